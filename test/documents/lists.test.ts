import { resolve } from "node:path";
import { expect, it } from "vitest";
import { buildCommandList, buildToolList } from "../support/lists.ts";

it.each([
  ["src/mcp/tool-list.json", buildToolList()],
  ["src/cli/commands/command-list.json", await buildCommandList()],
])("%s is up to date (npm run lists)", async (path, list) => {
  await expect(`${JSON.stringify(list, null, 2)}\n`).toMatchFileSnapshot(resolve(path));
});
