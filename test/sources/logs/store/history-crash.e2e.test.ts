import { once } from "node:events";
import { appendFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { spawn, spawnSync } from "../../../support/child-process.js";
import { findProgram } from "../../../support/processes.ts";
import { runShell } from "../../../support/shell.ts";
import { combinedLine } from "../log-place.ts";

const prlimit = findProgram("prlimit");
const unshare = findProgram("unshare");
/** Only root may mount a folder read-only, and not in every container. */
const canMount =
  unshare !== undefined && spawnSync(unshare, ["-m", "mount", "--bind", "/tmp", "/tmp"]).status === 0;

const DAY = 86_400_000;
const START = Date.UTC(2026, 9, 1);
const DAYS = 20;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "crash-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const makeLines = (from: number, to: number, all: number) =>
  Array.from({ length: to - from }, (_, index) => {
    const number = from + index;
    const at = START + Math.floor((number * DAYS * DAY) / all);
    return `${combinedLine({ at, address: `10.0.${number % 7}.${number % 200}`, path: `/p/${number % 500}` })}\n`;
  }).join("");

const command = () => [
  "bin/analytics-mcp.js",
  "breakdown",
  "--dimension",
  "pages",
  "--limit",
  "500",
  "--logs",
  join(folder, "access.log"),
  "--site",
  "example.com",
  "--timezone",
  "UTC",
  "--period",
  "2026-10-01/2026-10-20",
  "--csv",
];

function askLimited(state: string, limit: string[]) {
  const [file = "", ...words] = [...limit, process.execPath, ...command()];
  return spawnSync(file, words, { encoding: "utf8", env: { XDG_STATE_HOME: join(folder, state) } });
}

/** Asks where nothing is limited, in this process. */
async function ask(state: string): Promise<string> {
  const environment = { XDG_STATE_HOME: join(folder, state) };
  return (await runShell(command().slice(1), { environment, clock: Date.now })).stdout;
}

describe("the history of logs, when a process is killed or the disk is full", () => {
  it("never gives another number than a new reading", async () => {
    const [rounds, all] = [5, 15_000];
    for (let round = 0; round < rounds; round++) {
      appendFileSync(
        join(folder, "access.log"),
        makeLines((round * all) / rounds, ((round + 1) * all) / rounds, all),
      );
      const child = spawn(process.execPath, command(), {
        env: { XDG_STATE_HOME: join(folder, "state") },
        stdio: "ignore",
      });
      const closed = once(child, "close");
      await sleep(100 + 80 * round);
      child.kill("SIGKILL");
      await closed;
    }
    const anew = await ask("other");
    expect(await ask("state")).toBe(anew);
    expect(anew.split("\n").length).toBe(502);
    expect(readdirSync(join(folder, "state", "analytics-mcp", "logs")).length).toBeGreaterThan(0);
  });

  it.skipIf(prlimit === undefined)(
    "answers from the files on a disk that has no room for some of the history's files (prlimit), and says so",
    async () => {
      writeFileSync(join(folder, "access.log"), makeLines(0, 5_000, 5_000));
      const stdout = await ask("other");
      // Bytes a file: for nothing, for not even a day's counts, and for only some of the files.
      for (const size of [0, 1_000, 5_000]) {
        const full = askLimited(`state-${size}`, [prlimit ?? "", `--fsize=${size}`, "--"]);
        expect(full.stderr).toContain("The counts of these logs cannot be kept");
        expect([size, full.status, full.stdout]).toEqual([size, 0, stdout]);
        expect(await ask(`state-${size}`)).toBe(stdout);
      }
    },
  );

  it.skipIf(!canMount)(
    "answers from what it has and the files where the state is read-only, and says so",
    async () => {
      const lines = makeLines(0, 2_000, 2_000);
      writeFileSync(join(folder, "access.log"), lines);
      const readOnly = (state: string) => {
        const path = join(folder, state);
        const script = `mount --bind ${path} ${path} && mount -o remount,ro,bind ${path} && exec "$@"`;
        return [unshare ?? "", "-m", "sh", "-c", script, "sh"];
      };
      mkdirSync(join(folder, "empty"));
      const first = askLimited("empty", readOnly("empty"));
      expect(first.stderr).toMatch(/The counts of these logs are not kept: .* its disk is read-only\./);
      expect([first.status, first.stdout]).toEqual([0, await ask("state")]);
      // Nothing has to be saved.
      const same = askLimited("state", readOnly("state"));
      expect([same.stdout, same.stderr.includes("kept")]).toEqual([first.stdout, false]);
      appendFileSync(join(folder, "access.log"), makeLines(0, 500, 500));
      const grown = askLimited("state", readOnly("state"));
      expect(grown.stderr).toMatch(/The counts of these logs cannot be kept in .*: its disk is read-only\./);
      expect(grown.stdout).not.toBe(first.stdout);
      expect(grown.stdout).toBe(await ask("anew"));
      expect(await ask("state")).toBe(grown.stdout);
    },
  );
});
