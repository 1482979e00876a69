import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { listen } from "../../src/api/listen.ts";
import { DEMO_KEY } from "../support/api.ts";
import { spawn, spawnSync } from "../support/child-process.js";
import { installed } from "../support/installed-package.ts";
import { createReferenceApi } from "../support/reference-api.ts";

const { bin } = installed;

/** Words that stand in one heavy part of the program each. */
const parts = {
  "the network": "EnvHttpProxyAgent",
  "the MCP SDK": "StdioServerTransport",
  "the prompts": "Whether traffic really dropped",
  "the resources": "What this server, its API and its tools do.",
  "the questions at a terminal": "not shown as you type",
  "the doctor": "any server can impersonate the service",
  "the reference API": "demo-key-of-acme",
  "the reader of Parquet files": "parquet decompressed page length",
};

/** The program's own code that a run of it has loaded, as Node reports it. */
function readLoaded(args: string[], input = ""): string {
  const folder = mkdtempSync(join(tmpdir(), "loaded-"));
  spawnSync(bin, args, { input, env: { NODE_V8_COVERAGE: folder } });
  const urls = readdirSync(folder).flatMap((file) =>
    (JSON.parse(readFileSync(join(folder, file), "utf8")).result as { url: string }[]).map(({ url }) => url),
  );
  rmSync(folder, { recursive: true });
  return readAll(urls.filter((url) => url.startsWith("file:")).map((url) => fileURLToPath(url)));
}

function readAll(files: string[]): string {
  expect(files.length).toBeGreaterThan(0);
  return files.map((file) => readFileSync(file, "utf8")).join("\n");
}

it("the version takes no more than the command's own file", () => {
  expect(readLoaded(["--version"])).toBe(readFileSync("bin/analytics-mcp.js", "utf8"));
});

it("starts for a user without a home folder", () => {
  const folder = mkdtempSync(join(tmpdir(), "homeless-"));
  const preload = join(folder, "homeless.cjs");
  writeFileSync(
    preload,
    `require("node:os").homedir = () => { throw new Error("ENOENT"); };
    require("node:module").enableCompileCache = () => {};`,
  );
  const { status, stderr } = spawnSync(bin, ["--help"], { env: { NODE_OPTIONS: `--require ${preload}` } });
  rmSync(folder, { recursive: true });
  expect([status, String(stderr)]).toEqual([0, ""]);
});

it("the server on stdio compiles no schemas", () => {
  const folder = mkdtempSync(join(tmpdir(), "compiled-"));
  const preload = join(folder, "count.cjs");
  writeFileSync(
    preload,
    `let count = 0;
    const construct = (...args) => (count++, Reflect.construct(...args));
    globalThis.Function = new Proxy(Function, { construct });
    process.once("exit", () => process.stderr.write("compiled " + count));`,
  );
  const frames = readFileSync("test/real-clients/frames/claude-code.ndjson", "utf8");
  const args = ["--require", preload, bin, "--demo"];
  const { stdout, stderr } = spawnSync(process.execPath, args, { input: frames, encoding: "utf8" });
  rmSync(folder, { recursive: true });
  expect(stdout).toContain('"tools":[');
  expect(stderr).toBe("compiled 0");
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
  [["sites", "--logs", "test/sources/logs/labelled/access.log", "--site", "example.com"], []],
  [["sites", "--base-url", "http://127.0.0.1:9", "--api-key-file", "/dev/null"], []],
])("%j loads only what it needs: %j", (args, needed) => {
  const loaded = readLoaded(args);
  const found = Object.entries(parts).flatMap(([name, word]) => (loaded.includes(word) ? [name] : []));
  expect(found).toEqual(needed);
});

it("the server on stdio waits for the operations and their client until a tool is called", () => {
  const words = ["a person who comes on two days counts twice", "the API does not redirect, but a dashboard"];
  const asked = readLoaded(["sites", "--base-url", "http://127.0.0.1:9", "--api-key-file", "/dev/null"]);
  for (const word of words) expect(asked).toContain(word);
  // What Claude Code asks before its first call: the lists of prompts, resources and tools.
  const frames = readFileSync("test/real-clients/frames/claude-code.ndjson", "utf8").split("\n");
  const loaded = readLoaded([], frames.filter((frame) => !frame.includes('"tools/call"')).join("\n"));
  for (const word of [parts["the prompts"], parts["the resources"]]) expect(loaded).toContain(word);
  for (const word of words) expect(loaded).not.toContain(word);
});

/** Node's own modules of a run, which take their time as well. */
async function readBuiltins(args: string[]): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), "loaded-"));
  const file = join(folder, "modules.txt");
  const env = { HOME: folder, ANALYTICS_API_KEY: DEMO_KEY, LOADED: file };
  const child = spawn(
    process.execPath,
    ["--require", resolve("test/support/loaded-builtins.cjs"), bin, ...args],
    {
      env,
      stdio: "ignore",
    },
  );
  expect(await once(child, "exit")).toEqual([0, null]);
  const modules = readFileSync(file, "utf8").split("\n");
  rmSync(folder, { recursive: true });
  return modules;
}

const OWN_UNDICI = "NativeModule internal/deps/undici/undici";

it("Node's module list shows what is loaded", () => {
  const script = "void Headers; require('child_process'); console.log(process.moduleLoadList.join('\\n'))";
  const { stdout } = spawnSync(process.execPath, ["-e", script], { encoding: "utf8" });
  expect(stdout.split("\n")).toEqual(
    expect.arrayContaining([OWN_UNDICI, "NativeModule child_process", "NativeModule fs"]),
  );
});

it("help speaks no HTTP", async () => {
  const modules = await readBuiltins(["--help"]);
  for (const name of [OWN_UNDICI, "NativeModule http"]) expect(modules).not.toContain(name);
});

it("the demo speaks no HTTP", async () => {
  const modules = await readBuiltins(["stats", "--demo", "--site", "example.com"]);
  for (const name of [OWN_UNDICI, "NativeModule http"]) expect(modules).not.toContain(name);
});

it("a request loads undici once: not Node's own copy, too", async () => {
  const server = await listen(createReferenceApi({ clock: Date.now }), "127.0.0.1", 0);
  const modules = await readBuiltins(["stats", "--site", "example.com", "--base-url", server.origin]);
  await server.close();
  expect(modules).toContain("NativeModule http");
  // Loaded for the addresses that need it: this one does not begin with https.
  for (const name of [OWN_UNDICI, "NativeModule tls"]) expect(modules).not.toContain(name);
});

/** What is loaded is read and compiled at each start: more of it is more to wait for. */
it.each<[string, number, () => string]>([
  ["--help", 93_000, () => readLoaded(["--help"])],
  ["stats --demo", 433_500, () => readLoaded(["stats", "--demo", "--site", "example.com"])],
  ["the server on stdio", 492_500, () => readLoaded([])],
])("%s loads at most %d characters", { retry: 2 }, (what, budget, read) => {
  const { length } = read();
  process.stdout.write(`characters loaded for ${what}: ${length} of ${budget}\n`);
  expect(length).toBeLessThanOrEqual(budget);
});
