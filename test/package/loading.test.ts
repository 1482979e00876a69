import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, inject, it } from "vitest";

const { bin } = inject("installed");

/** Words that stand in one heavy part of the program each. */
const parts = {
  "the network": "EnvHttpProxyAgent",
  "the MCP SDK": "StdioServerTransport",
  "the questions at a terminal": "not shown as you type",
  "the doctor": "any server can pass for the service",
  "the reference API": "demo-key-of-acme",
};

/** The program's own code that a run of it has loaded, as Node tells. */
function readLoaded(args: string[]): string {
  const folder = mkdtempSync(join(tmpdir(), "loaded-"));
  spawnSync(bin, args, { input: "", env: { PATH: process.env.PATH ?? "", NODE_V8_COVERAGE: folder } });
  const urls = readdirSync(folder).flatMap((file) =>
    (JSON.parse(readFileSync(join(folder, file), "utf8")).result as { url: string }[]).map(({ url }) => url),
  );
  rmSync(folder, { recursive: true });
  const files = urls.filter((url) => url.startsWith("file:"));
  expect(files.length).toBeGreaterThan(0);
  return files.map((url) => readFileSync(fileURLToPath(url), "utf8")).join("\n");
}

it("the version takes no more than the command's own file", () => {
  expect(readLoaded(["--version"])).toBe(readFileSync("bin/analytics-mcp.js", "utf8"));
});

it("each word stands in the program", () => {
  const program = readdirSync("dist").filter((file) => file.endsWith(".js"));
  const text = program.map((file) => readFileSync(join("dist", file), "utf8")).join("\n");
  for (const word of Object.values(parts)) expect(text).toContain(word);
});

it.each([
  [["--help"], []],
  [["login", "--help"], []],
  [["whoami", "--all"], []],
  [[], ["the MCP SDK"]],
  [["sites", "--demo"], ["the reference API"]],
  [["sites", "--base-url", "http://127.0.0.1:9", "--api-key-file", "/dev/null"], []],
])("%j loads only what it needs: %j", (args, needed) => {
  const loaded = readLoaded(args);
  const found = Object.entries(parts).flatMap(([name, word]) => (loaded.includes(word) ? [name] : []));
  expect(found).toEqual(needed);
});
