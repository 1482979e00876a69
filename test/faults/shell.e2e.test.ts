import { resolve } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { exitCodeOf } from "../../src/cli/exit-codes.ts";
import { execFile } from "../support/child-process.js";
import { type FaultProxy, startFaultProxy } from "../support/fault-proxy.ts";
import { IS_LONG } from "../support/seed.ts";
import { wireFaults } from "./wire-faults.ts";

const KEY = "canary-key-5d0c97-of-a-command";
/** Milliseconds: the HTTP client's deadline, the program's start, and some for a busy machine. */
const DEADLINE_MS = 180_000;
const commands = [
  ["stats", "--site", "example.com", "--days", "7"],
  ["breakdown", "--site", "example.com", "--dimension", "cities"],
  ["overview", "--site", "example.com"],
  ["compare", "--site", "example.com"],
  ["sites"],
  ["realtime", "--site", "example.com"],
  ["openapi"],
] as const;

/** One fault of each class; LONG=1 runs all of them. */
const CHOSEN = [
  "is reset before the status line",
  "is closed within a token of the JSON",
  "a chunk's length that is none",
  "429 and Retry-After of an hour",
  "500 with a page",
  "gzip that is none",
  "a bomb in br",
  "millions of empty objects",
  "invalid UTF-8",
  "another type",
  "307",
  "103 Early Hints first",
  "two resets and then an answer",
  "the key in a problem",
];
const faults = wireFaults.filter(({ name }) => IS_LONG || CHOSEN.includes(name));

interface Ended {
  /** Null if it was killed at the deadline. */
  code: number | null;
  stdout: string;
  stderr: string;
}

let proxy: FaultProxy;
beforeAll(async () => {
  proxy = await startFaultProxy();
});
afterAll(() => proxy.close());

function run(origin: string, args: readonly string[]): Promise<Ended> {
  const env = { ANALYTICS_API_KEY: KEY, ANALYTICS_BASE_URL: origin };
  const command = [resolve("bin/analytics-mcp.js"), ...args];
  return execFile(process.execPath, command, { env, timeout: DEADLINE_MS }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
  );
}

it("every chosen fault exists", () => {
  expect(wireFaults.map(({ name }) => name)).toEqual(expect.arrayContaining(CHOSEN));
});

it.concurrent.each(
  faults.map((fault, index) => [fault.name, fault, commands[index % commands.length] ?? []] as const),
)(
  "%s",
  async (_, { outcome, fault }, command) => {
    const { origin } = proxy.open(fault);
    const [json, plain] = await Promise.all([run(origin, [...command, "--json"]), run(origin, command)]);
    for (const { stdout, stderr } of [json, plain]) {
      expect((stdout + stderr).toLowerCase()).not.toContain(KEY);
      expect(stderr).not.toMatch(/this is a bug|^\s+at /m);
    }
    if (outcome === "right") {
      const { stdout } = await run(proxy.open().origin, command);
      return expect([json.code, plain.code, plain.stdout]).toEqual([0, 0, stdout]);
    }
    expect([json.stdout, plain.stdout]).toEqual(["", ""]);
    const { code } = JSON.parse(json.stderr).error;
    expect(code).toBe(outcome);
    expect([json.code, plain.code]).toEqual([exitCodeOf(code), exitCodeOf(code)]);
    expect(plain.stderr).toMatch(/^error: .*\w/);
  },
  2 * DEADLINE_MS,
);
