import { describe, expect, it } from "vitest";
import { queries } from "../../src/reports/queries.ts";
import { execFile } from "../support/child-process.js";
import { installed } from "../support/installed-package.ts";
import { inspector, newerNode } from "../support/tools.ts";

const { bin } = installed;

/** The official Inspector's command line on the packed server. */
async function inspect(era: string, ...args: string[]) {
  const all = [inspector ?? "", "--cli", "--protocol-era", era, ...args, "--", bin, "--demo"];
  const { stdout, stderr } = await execFile(newerNode ?? "", all);
  // It warns of schemas that not every client can read.
  expect(stderr).not.toMatch(/warning/i);
  return JSON.parse(stdout);
}

describe.skipIf(!inspector || !newerNode)("the official Inspector", () => {
  it.each(["legacy", "auto", "modern"])("finds the packed server in order (%s)", async (era) => {
    // Strict, it fails where a schema has an error in it.
    const { tools } = await inspect(era, "--strict", "--method", "tools/list");
    expect(tools).toHaveLength(queries.length);
    const call = ["--method", "tools/call", "--tool-name", "get_stats"];
    const result = await inspect(era, ...call, "--tool-arg", "site=example.com", "--tool-arg", "days=7");
    expect(result.structuredContent).toMatchObject({ site: { domain: "example.com" }, period: { days: 7 } });
    // What else there is does not depend on the era: one of them asks.
    if (era !== "auto") return;
    const { resources } = await inspect(era, "--method", "resources/list");
    expect(resources.length).toBeGreaterThan(2);
    const { prompts } = await inspect(era, "--method", "prompts/list");
    expect(prompts).toHaveLength(3);
  });
});
