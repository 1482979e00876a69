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
  faults.flatMap((fault, index) => {
    const command: readonly string[] = commands[index % commands.length] ?? [];
    // The forms alternate, of the commands too; an answer with the key is tried in both, and LONG=1 tries all in both.
    const forms = IS_LONG || fault.name.includes("key") ? [0, 1] : [index % 2];
    return forms.map((form) => [fault.name, form === 0 ? [...command, "--json"] : command, fault] as const);
  }),
)(
  "%s: %s",
  async (_, command, { outcome, fault }) => {
    const { code, stdout, stderr } = await run(proxy.open(fault).origin, command);
    const isJson = command.includes("--json");
    expect((stdout + stderr).toLowerCase()).not.toContain(KEY);
    expect(stderr).not.toMatch(/this is a bug|^\s+at /m);
    if (outcome === "right") {
      const right = await run(proxy.open().origin, command);
      return expect([code, stdout]).toEqual([0, right.stdout]);
    }
    expect([code, stdout]).toEqual([exitCodeOf(outcome), ""]);
    if (isJson) expect(JSON.parse(stderr).error.code).toBe(outcome);
    else expect(stderr).toMatch(/^error: .*\w/);
  },
  2 * DEADLINE_MS,
);
