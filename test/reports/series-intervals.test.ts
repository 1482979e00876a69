import { describe, expect, it } from "vitest";
import { addDays, countDays } from "../../src/operations/days.ts";
import { NOW } from "../support/api.ts";
import { runShell } from "../support/shell.ts";

interface Point {
  date: string;
  from: string;
  to: string;
  days: number;
  visitors: number;
  pageviews: number;
  partial?: boolean;
}

/** A Saturday; the demo's default site is in Berlin. */
const TODAY = "2026-11-21";

const shell = (line: string, options = {}) =>
  runShell(`timeseries --demo ${line}`.split(" "), { environment: { NO_COLOR: "1" }, ...options });
const read = async (line: string, options = {}): Promise<{ interval: string; points: Point[] }> =>
  JSON.parse((await shell(`${line} --json`, options)).stdout);

const shape = (points: readonly Point[]) =>
  points.map(({ from, to, days, partial }) => [from, to, days, partial ?? false]);

describe("timeseries --by", () => {
  it.each([
    [
      "week",
      "--from 2026-11-01",
      [
        ["2026-11-01", "2026-11-01", 1, true],
        ["2026-11-02", "2026-11-08", 7, false],
        ["2026-11-09", "2026-11-15", 7, false],
        ["2026-11-16", TODAY, 6, true],
      ],
    ],
    [
      "week",
      "--from 2026-11-02 --to 2026-11-10",
      [
        ["2026-11-02", "2026-11-08", 7, false],
        ["2026-11-09", "2026-11-10", 2, true],
      ],
    ],
    ["week", "--period last_week", [["2026-11-09", "2026-11-15", 7, false]]],
    [
      "month",
      "--from 2026-09-10",
      [
        ["2026-09-10", "2026-09-30", 21, true],
        ["2026-10-01", "2026-10-31", 31, false],
        ["2026-11-01", TODAY, 21, true],
      ],
    ],
    // A year's end, and February.
    [
      "month",
      "--from 2025-12-01 --to 2026-02-28",
      [
        ["2025-12-01", "2025-12-31", 31, false],
        ["2026-01-01", "2026-01-31", 31, false],
        ["2026-02-01", "2026-02-28", 28, false],
      ],
    ],
    ["month", "--days 1", [[TODAY, TODAY, 1, true]]],
  ])("%s %s", async (by, span, expected) => {
    const { interval, points } = await read(`--by ${by} ${span}`);
    expect(interval).toBe(by);
    expect(shape(points)).toEqual(expected);
  });

  it.each(["week", "month"])("a %s is the sum of its days", async (by) => {
    const [{ points: days }, { points }] = await Promise.all([
      read("--days 365"),
      read(`--days 365 --by ${by}`),
    ]);
    for (const { from, to, visitors, pageviews } of points) {
      const own = days.filter(({ date }) => from <= date && date <= to);
      expect(own).toHaveLength(countDays(from, to));
      expect(visitors).toBe(own.reduce((sum, day) => sum + day.visitors, 0));
      expect(pageviews).toBe(own.reduce((sum, day) => sum + day.pageviews, 0));
    }
    expect(points.slice(1).map(({ from }) => from)).toEqual(
      points.slice(0, -1).map(({ to }) => addDays(to, 1)),
    );
  });

  it("a week that today ends is incomplete all the same", async () => {
    const { points } = await read("--by week --days 7", { clock: () => NOW + 86_400_000 });
    expect(shape(points)).toEqual([["2026-11-16", "2026-11-22", 7, true]]);
  });

  it("day is what it is without", async () => {
    expect(await shell("--by day")).toEqual(await shell("--days 28"));
  });

  it("prints rows for programs, and says on stderr what they are", async () => {
    const { stdout, stderr } = await shell("--by week --from 2026-11-01 --to 2026-11-15 --csv");
    expect(stdout).toMatch(
      /^from,to,days,visitors,pageviews,partial\r?\n2026-11-01,2026-11-01,1,\d+,\d+,true\r?\n2026-11-02,2026-11-08,7,\d+,\d+,\r?\n/,
    );
    expect(stderr).toContain("Visitors are unique per day and added up:");
    expect(stderr).toContain("Incomplete: 2026-11-01 (1 of 7 days).");
  });

  it("the picture counts weeks, and says that the last is incomplete", async () => {
    const { stdout, stderr } = await shell("--by week --days 90", { isTTY: true });
    expect(stdout).toContain("visitors a week; the last bar is incomplete");
    const from = async (day: string, to = "today") =>
      (await shell(`--by week --from ${day} --to ${to}`, { isTTY: true })).stdout;
    expect(await from("2026-11-01")).toContain("visitors a week; the first and last bars are incomplete");
    expect(await from("2026-11-01", "2026-11-15")).toContain("visitors a week; the first bar is incomplete");
    expect(stdout).toContain("2026-08-24 to 2026-11-21");
    expect(stderr).toMatch(/Incomplete: 2026-11-16 to 2026-11-21\s+\(6\s+of\s+7\s+days/);
  });

  it("a sparkline of more weeks than columns has the means of several", async () => {
    const { stdout } = await shell("--by week --days 365", { isTTY: true, columns: 40, rows: 20 });
    expect(stdout).toContain(
      "visitors a week, means of 2 weeks,\n2025-11-22 to 2026-11-21, the last one\nincomplete; highest: 7,682",
    );
  });
});
