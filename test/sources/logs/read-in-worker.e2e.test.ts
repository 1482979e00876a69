import { once } from "node:events";
import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { spawnSync } from "../../support/child-process.js";
import { findProgram } from "../../support/processes.ts";
import { combinedLine } from "./log-place.ts";

const prlimit = findProgram("prlimit");

const NOON = Date.UTC(2026, 9, 1, 12);
/** Some 36 MB, most of them what is not kept, so that they are soon counted. */
const LINES = 5_000;

let folder: string;
let states = 0;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "apart-"));
  const lines = Array.from({ length: LINES }, (_, number) =>
    combinedLine({
      at: NOON + number,
      address: `10.0.${number % 200}.${number % 250}`,
      path: `/p/${number % 50}?${"x".repeat(7_000)}`,
    }),
  );
  writeFileSync(join(folder, "access.log"), `${lines.join("\n")}\n`);
  writeFileSync(join(folder, "count.cjs"), 'process.on("worker", () => console.error("A thread."));');
  writeFileSync(join(folder, "kill.cjs"), 'process.on("worker", (thread) => thread.terminate());');
});
afterAll(() => rmSync(folder, { recursive: true }));
beforeEach(() => {
  states++;
});

const listEnvironment = () => ({ XDG_STATE_HOME: join(folder, `state-${states}`) });

/**
 * @param more What else the pattern of the files has.
 * @param limit The beginning of a command that limits the program.
 */
function ask(hook: string, more = "", limit: readonly string[] = []) {
  const command = [
    ...limit,
    process.execPath,
    "--require",
    join(folder, hook),
    "bin/analytics-mcp.js",
    "stats",
    "--logs",
    join(folder, `access.log${more}`),
    "--site",
    "example.com",
    "--timezone",
    "UTC",
    "--period",
    "2026-10-01/2026-10-01",
    "--json",
  ];
  const [file = "", ...words] = command;
  const { stdout, stderr } = spawnSync(file, words, { encoding: "utf8", env: listEnvironment() });
  return { pageviews: JSON.parse(stdout).pageviews, hasThread: stderr.includes("A thread.") };
}

describe("a large log that nobody has read yet", () => {
  it("is read by a thread, once", () => {
    expect(ask("count.cjs")).toEqual({ pageviews: LINES, hasThread: true });
    expect(ask("count.cjs")).toEqual({ pageviews: LINES, hasThread: false });
  });

  it("is read as far as a question's time allows, and then by the next one", async () => {
    const environment = listEnvironment();
    const flags = { logs: [join(folder, "access.log")], site: ["example.com"], timezone: "UTC" };
    const workerData = { flags, environment, now: NOON };
    const thread = new Worker("./dist/read-logs.js", { workerData, execArgv: [] });
    const ended = once(thread, "exit");
    await once(thread, "online");
    thread.postMessage("stop");
    expect(await ended).toEqual([0]);
    expect(ask("count.cjs")).toEqual({ pageviews: LINES, hasThread: true });
  });

  it("needs none again when it has been rotated", () => {
    expect(ask("count.cjs", "*")).toEqual({ pageviews: LINES, hasThread: true });
    renameSync(join(folder, "access.log"), join(folder, "access.log.1"));
    writeFileSync(join(folder, "access.log"), `${combinedLine({ at: NOON + LINES })}\n`);
    expect(ask("count.cjs", "*")).toEqual({ pageviews: LINES + 1, hasThread: false });
    renameSync(join(folder, "access.log.1"), join(folder, "access.log"));
  });

  it.skipIf(prlimit === undefined)("is read without one where addresses are limited (prlimit)", () => {
    const limited = ask("count.cjs", "", [prlimit ?? "", "--as=8000000000", "--"]);
    expect(limited).toEqual({ pageviews: LINES, hasThread: false });
  });

  it("is read without one if that fails", () => {
    expect(ask("kill.cjs").pageviews).toBe(LINES);
    expect(ask("count.cjs")).toEqual({ pageviews: LINES, hasThread: false });
  });
});
