import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout } from "node:timers/promises";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Listening, listen } from "../../src/api/listen.ts";
import { exitCodes } from "../../src/cli/exit-codes.ts";
import { writeProfile } from "../../src/config/profiles.ts";
import { NOW, SECOND_KEY } from "../support/api.ts";
import { spawn } from "../support/child-process.js";
import { createReferenceApi } from "../support/reference-api.ts";
import { runShell } from "../support/shell.ts";
import { fuzz, SECONDS, sample, TIMEOUT_MS } from "./fuzz.ts";
import { mutateText } from "./mutations.ts";

interface Run {
  argv: string[];
  environment: Record<string, string>;
  stdin: string;
  isTTY: boolean;
}

/** Longer than any time limit that a command has of its own: a question to an address that is silent has 50 s. */
const PATIENCE_MS = 60_000;
const HANGS = { code: null, stdout: "", stderr: "It did not end." };

const bin = resolve("bin/analytics-mcp.js");
const SERVICE = "{service}";
const before = process.cwd();
let folder = "";
let server: Listening;
beforeAll(async () => {
  const api = createReferenceApi({ clock: () => NOW, quota: { limit: 1_000_000_000, window: 60 } });
  server = await listen(api, "127.0.0.1", 0);
  folder = mkdtempSync(join(tmpdir(), "fuzz-"));
  writeFileSync(join(folder, "key"), `${SECOND_KEY}\n`, { mode: 0o600 });
  writeFileSync(join(folder, "mcp.json"), '{ "mcpServers": {} } // mine\n');
  writeProfile({ HOME: folder }, "acme", { baseUrl: server.origin, apiKey: SECOND_KEY });
  // What a command writes without being told where stays in a folder that goes.
  process.chdir(folder);
});
afterAll(async () => {
  process.chdir(before);
  rmSync(folder, { recursive: true, force: true });
  await server.close();
});

const site = ["example.com", "nope.example", "site_7f3k", "globex.example"];
const values: Record<string, string[]> = {
  "--site": site,
  "--days": ["1", "7", "400", "-1", "7d", "1e3"],
  "--limit": ["1", "1000", "0"],
  "--dimension": ["pages", "countries", "page", "__proto__"],
  "--fields": ["visitors", "date,visitors", "nope", ",", "__proto__"],
  "--color": ["always", "never", "sometimes"],
  "--base-url": [SERVICE, "http://127.0.0.1:9", "stats.example.com", "https://", "http://x.example"],
  "--profile": ["acme", "default", "../x", "A b", "__proto__"],
  "--api-key-file": ["key", "missing", ".", "/dev/null"],
  "--operation": ["getStats", "nope"],
  "--remote": ["https://mcp.example.com/mcp", "http://x.example/mcp", "https://x.example", "mcp"],
  "--name": ["analytics", "a b", "__proto__", "x".repeat(80)],
  "--file": ["mcp.json", "new.json", "key", "."],
  "--platform": ["windows", "linux", "amiga"],
  "--port": ["0", "70000", "x"],
  "--host": ["127.0.0.1", "0.0.0.0", "256.1.1.1"],
  "--public-url": ["https://mcp.example.com", "http://x.example", "https://a/b"],
  "--dashboard-url": ["https://stats.example.com/keys", "javascript:alert(1)", "x"],
  "--store": ["memory", "store.db", "redis://[", ".", "missing/store.db"],
  "--secret-file": ["secret", "key", "."],
  "--registration": ["on", "off", "maybe"],
  "--admin-listen": ["127.0.0.1:0", "9090", ":x"],
  "--allowed-origins": ["https://x.example", ",,", "*"],
  "--drain-delay": ["0", "x"],
  "--log-level": ["debug", "loud"],
  "--only": ["errors", "nope", ","],
  "--older-than": ["30", "0", "x"],
};
const switches = [
  "--demo",
  "--json",
  "--csv",
  "--plain",
  "--watch",
  "--write",
  "--dry-run",
  "--force",
  "--with-key",
  "--all",
  "--help",
  "--version",
  "-h",
  "-V",
  "--",
  "-",
  "--list",
  "--trust-proxy",
  "--api-key-stdin",
  "--no-demo",
];
const commands = [
  "",
  "sites",
  "stats",
  "timeseries",
  "breakdown",
  "realtime",
  "openapi",
  "overview",
  "compare",
  "login",
  "logout",
  "whoami",
  "doctor",
  "config",
  "serve",
  "grants",
  "clients",
  "reference",
  "conform",
  "completion",
  "help",
  "complete",
  "statz",
  "__proto__",
  "constructor",
];
const operands = [
  "list",
  "revoke",
  "prune",
  "bash",
  "zsh",
  "cursor",
  "codex",
  "claude-code",
  "vs-code",
  "goose",
  "claude",
  "environment",
  "exit-codes",
  "formatting",
  "stats",
  "nope",
  "constructor",
  "__proto__",
  SERVICE,
  "http://127.0.0.1:9",
  "--",
  "",
];
/** Options that no command has, with a key: what people try. */
const leaks = [`--api-key=${SECOND_KEY}`, `--key=${SECOND_KEY}`, `-k${SECOND_KEY}`, `--token=${SECOND_KEY}`];

const given = fc.constantFrom(...Object.keys(values)).chain((name) => {
  const known = fc.constantFrom(...(values[name] ?? []));
  return fc.oneof(
    { weight: 8, arbitrary: known.map((value) => [name, value]) },
    { weight: 1, arbitrary: known.map((value) => [`${name}=${value}`]) },
    { weight: 1, arbitrary: mutateText(known, 1).map((value) => [name, value]) },
    { weight: 1, arbitrary: fc.constant([name]) },
  );
});
const part = fc.oneof(
  { weight: 5, arbitrary: given },
  { weight: 4, arbitrary: fc.constantFrom(...switches).map((word) => [word]) },
  { weight: 2, arbitrary: fc.constantFrom(...operands).map((word) => [word]) },
  { weight: 1, arbitrary: fc.constantFrom(...leaks).map((word) => [word]) },
  { weight: 1, arbitrary: mutateText(fc.constantFrom(...switches, ...commands)).map((word) => [word]) },
);
const argv = fc
  .tuple(fc.array(part, { maxLength: 1 }), fc.constantFrom(...commands), fc.array(part, { maxLength: 5 }))
  .map(([early, command, rest]) => [...early.flat(), ...(command === "" ? [] : [command]), ...rest.flat()])
  // No address of this machine but those above; and no word holds NUL, which no process can be given.
  .map((words) =>
    words.map((word) => word.replaceAll("\u0000", "")).filter((word) => !/^\/(?!dev\/null)/.test(word)),
  );

const environments = fc.record(
  {
    ANALYTICS_API_KEY: fc.constantFrom(SECOND_KEY, SECOND_KEY, "", "your key", "${ANALYTICS_API_KEY}", "é"),
    ANALYTICS_BASE_URL: fc.constantFrom(SERVICE, SERVICE, "", "${URL}", "nope", "http://127.0.0.1:9"),
    ANALYTICS_PROFILE: fc.constantFrom("acme", "nope", "../x"),
    ANALYTICS_SITE: fc.constantFrom(...site, ""),
    ANALYTICS_CALLS_PER_MINUTE: fc.constantFrom("300", "0", "x"),
    ANALYTICS_ALLOW_HTTP: fc.constantFrom("x.example", ",", "*"),
    LANG: fc.constantFrom("de_DE.UTF-8", "C", "", "xx", "en_US@calendar=buddhist"),
    COLUMNS: fc.constantFrom("0", "-1", "x"),
  },
  { requiredKeys: [] },
);

const runs: fc.Arbitrary<Run> = fc.record({
  argv,
  environment: environments,
  stdin: fc.constantFrom("", "", `${SECOND_KEY}\n`, "\n\n", "{}\n"),
  isTTY: fc.boolean(),
});

const fillIn = (text: string) => text.replaceAll(SERVICE, server.origin);
const fill = (environment: Run["environment"]) => ({
  HOME: folder,
  ...Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, fillIn(value)])),
});

function expectDocumented({ code, stdout, stderr }: { code: number | null; stdout: string; stderr: string }) {
  const said = stdout + stderr;
  expect(Object.values(exitCodes)).toContain(code);
  expect(said).not.toMatch(/this is a bug|^\s+at .*:\d+:\d+|UnhandledPromise|Node\.js v\d/m);
  expect(said).not.toContain(SECOND_KEY);
  if (code !== 0) expect(stderr + stdout).toMatch(/\w/);
}

it(
  "ends any command line with a documented exit code, and never shows the key",
  { timeout: TIMEOUT_MS },
  () =>
    fuzz("argv", runs, async ({ argv: words, environment, stdin, isTTY }) => {
      // A terminal would be asked, and nobody answers here.
      const isAsked = words.includes("login") || words.includes("--api-key-stdin");
      const environmentOfRun = fill(environment);
      // A clock that stands still never gives the demo's quota back, which `conform` waits for.
      const clock = () => NOW + performance.now();
      const shell = { environment: environmentOfRun, stdin, isTTY: isTTY && !isAsked, clock };
      const ended = runShell(words.map(fillIn), shell);
      expectDocumented(await Promise.race([ended, setTimeout(PATIENCE_MS, HANGS, { ref: false })]));
    }),
);

it("so does the built program", { timeout: TIMEOUT_MS }, async () => {
  // What serves is stopped by nobody here.
  const isAnswer = ({ argv: words }: Run) =>
    !words.some((word) => /^(serve|reference|realtime|conform|-)$/.test(word));
  const all = sample(runs.filter(isAnswer), 100 * Math.ceil(SECONDS));
  const end = performance.now() + SECONDS * 1000;
  for (const [index, { argv: words, environment, stdin }] of all.entries()) {
    if (index > 0 && performance.now() > end) break;
    const child = spawn(process.execPath, [bin, ...words.map(fillIn)], {
      cwd: folder,
      timeout: PATIENCE_MS,
      env: fill(environment),
    });
    const output = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"] as const) {
      child[name].on("data", (chunk) => {
        output[name] += chunk;
      });
    }
    child.stdin.on("error", () => {}).end(stdin);
    const [code] = await once(child, "close");
    expect([words, environment, code]).toEqual([words, environment, expect.any(Number)]);
    expectDocumented({ code, ...output });
  }
});
