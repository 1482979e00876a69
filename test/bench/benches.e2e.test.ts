import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { execFile } from "../support/child-process.js";
import { hasChdb } from "../support/clickhouse.ts";
import { installed } from "../support/installed-package.ts";
import { pick } from "../support/seed.ts";

const few = ["--rounds", "1"];
const ofInstalled = ["--installed", installed.folder];

/** What each bench prints in front of a table's figures, which say nothing of so few rounds. */
const benches: [name: string, args: string[], rows: string[]][] = [
  [
    "start",
    [...few, ...ofInstalled],
    [
      "`node -e 0`",
      "a bare responder's tools/list",
      "tools/list",
      "`--help`",
      "`stats --demo`",
      "the first get_stats, `--demo`",
      "the first get_stats, a service over HTTP",
    ],
  ],
  [
    "calls",
    [...few, "--bursts", "1", "--calls", "20"],
    [
      "get_realtime",
      "get_stats",
      "get_stats, remembered",
      "100 bare requests",
      "100 calls",
      "peak memory, MB",
    ],
  ],
  [
    "throughput",
    [...few, "--turn", "100", "--connections", "5"],
    ["`/mcp`, 2026-07-28", "`/mcp`, 2025-11-25, with a `progressToken`"],
  ],
  [
    "logs",
    [...few, ...ofInstalled, "--starts", "1", "--lines", "20000", "--visitors", "100"],
    [
      "`stats --logs`, the first start, 1 thread",
      "`node -e 0`",
      "`stats --logs`, the second start",
      "the same, after 1000 new lines",
    ],
  ],
];
it.concurrent.each(pick(benches, 1))(
  "%s measures, and leaves the results as they are",
  async (name, args, rows) => {
    const before = readFileSync("bench/RESULTS.md", "utf8");
    const command = ["bench/run.js", name, ...args, "--trial"];
    const { stdout } = await execFile(process.execPath, command);
    const measured = (row: string) =>
      stdout.split("\n").some((line) => line.startsWith(`| ${row} | `) && /( \| [\d.]+)+ \|$/.test(line));
    expect(rows.filter((row) => !measured(row))).toEqual([]);
    expect(readFileSync("bench/RESULTS.md", "utf8")).toBe(before);
  },
);

it.concurrent("flood measures, and no honest request fails", async () => {
  const args = ["bench/run.js", "flood", "--seconds", "1", "--quiet", "1"];
  const { stdout } = await execFile(process.execPath, args);
  expect(stdout).toMatch(/^[1-9]\d* hostile requests in 1 s.* 0 failed\.$/m);
  for (const when of ["before", "at the end", "1 s later"]) {
    expect(stdout).toMatch(new RegExp(`^\\| ${when} \\| \\d+ \\| \\d+ \\| \\d+ \\|$`, "m"));
  }
});

it("has a chapter for each", () => {
  const chapters = ["start", "calls", "throughput", "logs", "clickhouse"].map(
    (name) => /^const CHAPTER = "(.*)";$/m.exec(readFileSync(`bench/${name}.ts`, "utf8"))?.[1],
  );
  const lines = readFileSync("bench/RESULTS.md", "utf8").split("\n");
  expect(lines.filter((line) => chapters.includes(line))).toEqual(chapters);
});

it.skipIf(!hasChdb)("clickhouse measures, with sums of days and without", { concurrent: true }, async () => {
  const args = ["--hits", "2000", "--days", "2", ...few, "--trial"];
  const { stdout } = await execFile(process.execPath, ["bench/run.js", "clickhouse", ...args]);
  const tables = stdout.split("| question |").slice(1);
  expect(tables).toHaveLength(2);
  for (const text of tables) expect(text).toMatch(/^\| pages \(50000\) \| 1 \| [\d.]+ \| \d+ \| -?\d+ \|$/m);
});
