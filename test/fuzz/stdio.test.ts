import { PassThrough } from "node:stream";
import { afterEach, beforeEach, expect, it } from "vitest";
import { run } from "../../src/cli/program.ts";
import { DEMO_KEY, NOW } from "../support/api.ts";
import { conversation, lastRequest, readAnswers, readExpected } from "./frames.ts";
import { fuzz, TIMEOUT_MS } from "./fuzz.ts";
import { writeOut } from "./mutations.ts";

const PATIENCE_MS = 5_000;
const LAST = "the last";

/** The MCP server as the program starts it, in this process. */
function startServer() {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const written = { stdout: "", stderr: "" };
  stdout.on("data", (chunk) => {
    written.stdout += chunk;
  });
  stderr.on("data", (chunk) => {
    written.stderr += chunk;
  });
  const ended = run(
    {
      ...{ stdin, stdout, stderr, environment: { ANALYTICS_CALLS_PER_MINUTE: "100000" } },
      ...{ clock: () => NOW, version: "1.2.3", nodeVersion: process.versions.node },
      untilStopped: async () => {},
    },
    ["--demo"],
  );
  const frames = () => written.stdout.split("\n").slice(0, -1);
  return { stdin, written, ended, frames };
}

async function until(holds: () => boolean): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  while (!holds() && performance.now() < end) await new Promise((resolve) => setTimeout(resolve, 2));
}

const faults: unknown[] = [];
const noteFault = (fault: unknown) => void faults.push(fault);
beforeEach(() => void process.on("unhandledRejection", noteFault));
afterEach(() => void process.off("unhandledRejection", noteFault));

it("answers each request of any conversation once, and writes frames alone", { timeout: TIMEOUT_MS }, () =>
  fuzz("stdio", conversation, async (lines) => {
    const { stdin, written, ended, frames } = startServer();
    const sent = [...lines.map(writeOut), lastRequest(LAST)];
    for (const each of sent) stdin.write(`${each}\n`);
    const { asked, owed } = readExpected(sent.flatMap((each) => each.split("\n")));
    await until(() => {
      const answered = readAnswers(frames());
      return [...owed].every((key) => answered.has(key));
    });
    const answered = readAnswers(frames());
    expect([...owed].filter((key) => !answered.has(key))).toEqual([]);
    const unasked = [...answered].filter(([key, count]) => key !== "none" && count > (asked.get(key) ?? 0));
    expect(unasked).toEqual([]);
    stdin.end();
    expect(await ended).toBe(0);
    expect(written.stdout + written.stderr).not.toContain(DEMO_KEY);
    expect(written.stdout + written.stderr).not.toContain("this is a bug");
    expect(faults).toEqual([]);
  }),
);
