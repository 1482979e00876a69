import { once } from "node:events";
import { resolve } from "node:path";
import { PassThrough, type Readable, type Writable } from "node:stream";
import { afterEach, beforeEach, expect, it } from "vitest";
import { serveStdio } from "../../src/mcp/stdio.ts";
import { demo } from "../../src/sources/demo.ts";
import { createLocalCall } from "../../src/sources/local-call.ts";
import { DEMO_KEY, NOW } from "../support/api.ts";
import { spawn } from "../support/child-process.js";
import { conversation, lastRequest, readAnswers, readExpected } from "./frames.ts";
import { fuzz, TIMEOUT_MS } from "./fuzz.ts";
import { writeOut } from "./mutations.ts";

const LAST = "the last";

interface Server {
  stdin: Writable;
  stdout: Readable;
  stderr: Readable;
  ended: Promise<number | null>;
}

/** The server in this process. */
function startHere(): Server {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const clock = () => NOW;
  const call = createLocalCall(() => demo.open({ clock, environment: {}, flags: {} }), clock);
  const served = serveStdio({
    stdin,
    stdout,
    call,
    version: "0.0.0",
    about: demo.about,
    options: [],
    admit: () => {},
    onFault: ({ message }) => void stderr.write(message),
  });
  return { stdin, stdout, stderr, ended: served.then(() => 0) };
}

/** The built program in a process of its own. */
function startBuilt(): Server {
  const env = { ANALYTICS_CALLS_PER_MINUTE: "100000" };
  const child = spawn(process.execPath, [resolve("bin/analytics-mcp.js"), "--demo"], { env });
  child.stdin.on("error", () => {});
  return { ...child, ended: once(child, "close").then(([code]) => code) };
}

function listen({ stdout, stderr }: Server) {
  const written = { stdout: "", stderr: "" };
  stdout.on("data", (chunk) => {
    written.stdout += chunk;
  });
  stderr.on("data", (chunk) => {
    written.stderr += chunk;
  });
  return { written, frames: () => written.stdout.split("\n").slice(0, -1) };
}

const faults: unknown[] = [];
const noteFault = (fault: unknown) => void faults.push(fault);
beforeEach(() => void process.on("unhandledRejection", noteFault));
afterEach(() => void process.off("unhandledRejection", noteFault));

it.each([
  ["in this process", startHere],
  ["as it is built", startBuilt],
])(
  "answers each request of any conversation once, and writes frames alone: %s",
  {
    timeout: TIMEOUT_MS,
  },
  (_, start) =>
    fuzz("stdio", conversation, async (lines) => {
      const server = start();
      const { written, frames } = listen(server);
      const sent = [...lines.map(writeOut), lastRequest(LAST)];
      for (const each of sent) server.stdin.write(`${each}\n`);
      const { asked, owed } = readExpected(sent.flatMap((each) => each.split("\n")));
      server.stdin.end();
      expect(await server.ended).toBe(0);
      const answered = readAnswers(frames());
      expect([...owed].filter((key) => !answered.has(key))).toEqual([]);
      const unasked = [...answered].filter(([key, count]) => key !== "none" && count > (asked.get(key) ?? 0));
      expect(unasked).toEqual([]);
      expect(written.stdout + written.stderr).not.toContain(DEMO_KEY);
      expect(written.stdout + written.stderr).not.toContain("this is a bug");
      expect(faults).toEqual([]);
    }),
);
