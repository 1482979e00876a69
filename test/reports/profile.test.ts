import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { findExtremes, foldSeries } from "../../src/reports/profile.ts";
import { findQuery } from "../../src/reports/queries.ts";
import { createLocalCall } from "../../src/sources/local-call.ts";
import { combinedLine, createLogPlace, type LogPlace, NOON } from "../sources/logs/log-place.ts";
import { NOW } from "../support/api.ts";
import { connectInProcess, textOf } from "../support/clients.ts";
import { runShell } from "../support/shell.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const WEEK = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

const point = (date: string, hour: number, visitors: number) => ({ date, hour, visitors, pageviews: 0 });

describe("foldSeries", () => {
  it("averages each slot over its own days", () => {
    const slots = foldSeries("week_hour", [
      // Two Mondays, of which one has no hour 2, and a Sunday.
      point("2026-11-02", 1, 4),
      point("2026-11-02", 2, 3),
      point("2026-11-09", 1, 5),
      point("2026-11-01", 0, 1),
    ]);
    expect(slots).toEqual([
      { weekday: "Monday", hour: 1, days: 2, visitors: 4.5, pageviews: 0 },
      { weekday: "Monday", hour: 2, days: 1, visitors: 3, pageviews: 0 },
      { weekday: "Sunday", hour: 0, days: 1, visitors: 1, pageviews: 0 },
    ]);
  });

  it("takes an hour that the clocks repeat for one hour", () => {
    const slots = foldSeries("hour_of_day", [
      point("2026-10-25", 2, 3),
      point("2026-10-25", 2, 4),
      point("2026-10-26", 2, 1),
    ]);
    expect(slots).toEqual([{ hour: 2, days: 2, visitors: 4, pageviews: 0 }]);
  });

  it("never rounds what happened to zero", () => {
    const days = Array.from({ length: 30 }, (_, index) => point("2026-11-02", 1, index === 0 ? 1 : 0));
    const dated = days.map((each, index) => ({
      ...each,
      date: `2026-11-${String(index + 1).padStart(2, "0")}`,
    }));
    expect(foldSeries("hour_of_day", dated)[0]?.visitors).toBe(0.033);
  });

  it("computes rates from the sums", () => {
    const visits = { visits: 3, bounces: 1, visit_seconds: 100 };
    const day = { date: "2026-11-02", visitors: 3, pageviews: 7, ...visits };
    expect(foldSeries("weekday", [day, { ...day, date: "2026-11-09", bounces: 2 }])).toEqual([
      {
        ...{ weekday: "Monday", days: 2, visitors: 3, pageviews: 7 },
        ...{ visits: 3, bounce_rate: 50, views_per_visit: 2.33, seconds_per_visit: 33 },
      },
    ]);
  });
});

it("finds the extremes, and none where all are the same", () => {
  const points = [3, 9, 2, 9, 2].map((visitors, place) => ({ visitors, place }));
  expect(findExtremes(points)).toEqual({
    ...{ highest: points[1], lowest: points[2] },
    ties: { highest: 1, lowest: 1 },
  });
  expect(findExtremes(points.filter(({ visitors }) => visitors === 9))).toBeUndefined();
  expect(findExtremes([])).toBeUndefined();
});

interface Point {
  date?: string;
  time?: string;
  weekday?: string;
  hour?: number;
  days: number;
  visitors: number;
  pageviews: number;
  partial?: boolean;
}
interface Answer {
  points: Point[];
  highest: Partial<Point>;
  lowest: Partial<Point>;
}

const shell = (line: string) =>
  runShell(`timeseries example.com --demo ${line}`.split(" "), {
    environment: { NO_COLOR: "1", TZ: "UTC" },
    clock: () => NOW,
  });
const read = async (line: string): Promise<Answer> => JSON.parse((await shell(`${line} --json`)).stdout);

const round = (value: number) => Math.round(10 * value) / 10;
const weekdayOf = (date: string) =>
  new Date(`${date}T12:00:00Z`).toLocaleDateString("en", { weekday: "long" });

/** Folds as one would by hand, from what the points are of. */
function foldByHand(points: readonly Point[], nameOf: (date: string, hour: string) => string) {
  const slots = new Map<string, { days: Set<string>; visitors: number; pageviews: number }>();
  for (const { date, time = "", partial, visitors, pageviews } of points) {
    const day = date ?? time.slice(0, 10);
    // Today at the site.
    if (partial || day === "2026-11-21") continue;
    const name = nameOf(day, time.slice(11, 13));
    const slot = slots.get(name) ?? { days: new Set(), visitors: 0, pageviews: 0 };
    slot.days.add(day);
    slot.visitors += visitors;
    slot.pageviews += pageviews;
    slots.set(name, slot);
  }
  return Object.fromEntries(
    [...slots].map(([name, { days, visitors, pageviews }]) => [
      name,
      [days.size, round(visitors / days.size), round(pageviews / days.size)],
    ]),
  );
}

describe("timeseries --by, on the demo", () => {
  it.each(["", "--filter country=DE"])("is what its days and hours say, by hand %s", async (filter) => {
    const [days, hours] = [
      await read(`--days 29 ${filter}`.trim()),
      await read(`--by hour --days 29 ${filter}`.trim()),
    ];
    const list = async (by: string) => {
      const { points } = await read(`--by ${by} ${filter}`.trim());
      return Object.fromEntries(
        points.map(({ weekday = "", hour, days, visitors, pageviews }) => [
          `${weekday}${hour === undefined ? "" : ` ${String(hour).padStart(2, "0")}`}`,
          [days, visitors, pageviews],
        ]),
      );
    };
    expect(await list("weekday")).toEqual(foldByHand(days.points, weekdayOf));
    expect(await list("hour_of_day")).toEqual(foldByHand(hours.points, (_, hour) => ` ${hour}`));
    const both = await list("week_hour");
    expect(both).toEqual(foldByHand(hours.points, (date, hour) => `${weekdayOf(date)} ${hour}`));
    expect(Object.keys(both)).toHaveLength(168);
  });

  it("shows a row for each hour and a column for each weekday, of visitors and of page views", async () => {
    const { stdout } = await shell("--by week_hour --output tsv");
    const [header, ...rows] = stdout.trimEnd().split("\n");
    expect(header).toBe(`table\thour\t${WEEK.map((day) => day.toLowerCase()).join("\t")}`);
    expect(rows).toHaveLength(48);
    const { points } = await read("--by week_hour");
    const cells = points.filter(({ hour }) => hour === 7).map(({ visitors }) => visitors);
    expect(rows[7]).toBe(`visitors\t07:00\t${cells.join("\t")}`);
  });

  it("is whole in both forms of a tool's answer", async () => {
    const client = await connectInProcess({ demo: true });
    const ask = { site: "example.com", interval: "week_hour", period: "last_28_days" };
    const result = await client.callTool("get_timeseries", ask);
    await client.close();
    const { points, truncated } = result.structuredContent as { points: Point[]; truncated?: boolean };
    expect([points.length, truncated]).toEqual([168, undefined]);
    const text = textOf(result);
    expect(text).toContain("Averages per day, of 28 complete days with data.");
    for (const { visitors, pageviews, hour = 0 } of points) {
      const clock = `${String(hour).padStart(2, "0")}:00`;
      const rows = text.split("\n").filter((line) => line.startsWith(`${clock}\t`));
      expect(rows.map((row) => row.split("\t"))).toEqual([
        expect.arrayContaining([String(visitors)]),
        expect.arrayContaining([String(pageviews)]),
      ]);
    }
  });

  it.each([
    ["--by week_hour --with visits", "--with cannot be combined with interval week_hour"],
    ["--by hour_of_day --days 101", "--days must be from 1 to 100 by hour"],
  ])("%s is refused", async (line, message) => {
    const { code, stderr } = await shell(line);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });

  it("has no averages of today alone, and says so", async () => {
    const { stdout, stderr } = await shell("--by hour_of_day --period today");
    expect(JSON.parse((await shell("--by weekday --days 1 --json")).stdout).points).toEqual([]);
    expect(stdout).not.toContain("00:00");
    expect(stderr).toContain("None of these days is complete and has data, so there are no averages.");
  });
});

describe("the highest and the lowest day", () => {
  it.each(["day", "week", "month"])("are those of the complete days, by %s", async (by) => {
    const [{ points }, { highest, lowest }] = [await read("--days 40"), await read(`--days 40 --by ${by}`)];
    const counts = points.filter(({ partial }) => !partial).map(({ visitors }) => visitors);
    const find = (visitors: number) => {
      const { date = "" } = points.find((each) => each.visitors === visitors) ?? {};
      return { date, weekday: weekdayOf(date), visitors };
    };
    expect(highest).toEqual(find(Math.max(...counts)));
    expect(lowest).toEqual(find(Math.min(...counts)));
  });

  it("are hours in a series of hours", async () => {
    const { points, highest } = await read("--by hour --days 3");
    const most = points.reduce((a, b) => (b.visitors > a.visitors ? b : a));
    expect(highest).toEqual({ time: most.time, visitors: most.visitors });
  });

  it("are said with the weekday, which stands beside each date, too", async () => {
    const { stdout, stderr } = await shell("--days 3 --output table");
    expect(stdout).toContain("2026-11-19 Thu ");
    expect(stderr).toMatch(
      /Highest complete day: Thursday, 2026-11-19 \(\d+ visitors\)\. Lowest: Friday, 2026-11-20/,
    );
    expect((await shell("--days 3 --csv")).stdout).toContain("\n2026-11-19,");
  });
});

describe("a log", () => {
  let place: LogPlace;
  beforeEach(() => {
    place = createLogPlace();
  });
  afterEach(() => place.remove());

  async function ask(instants: readonly number[], interval: string, flags = {}) {
    place.write(
      "access.log",
      instants.map((at, index) => combinedLine({ at, address: `198.51.100.${index % 250}` })),
    );
    const call = createLocalCall(
      () => place.open(flags, false),
      () => place.clock.now,
    );
    const asked = { site: "example.com", days: 30, interval, period: undefined };
    const { result, views } = await findQuery("timeseries").ask(call, asked, {});
    const headline = views[0]?.headline;
    return {
      ...(result as unknown as Answer),
      headline,
      notes: JSON.stringify([views[0]?.warnings, views[0]?.notes]),
    };
  }

  it("has no day in an average on which it begins, of which it has no line, or that is not over", async () => {
    // Begins on Saturday the 7th at noon, and has nothing on Friday the 13th.
    const starts = [...Array(15).keys()].map((ago) => NOON - ago * DAY).filter((at) => at !== NOON - 8 * DAY);
    const { points, highest, headline, notes } = await ask(
      [...starts, NOON - 5 * DAY, NOON - 5 * DAY - HOUR].sort((a, b) => a - b),
      "weekday",
    );
    expect(points.map(({ weekday, days, visitors }) => [weekday, days, visitors])).toEqual([
      ["Monday", 2, 2],
      ...["Tuesday", "Wednesday", "Thursday"].map((day) => [day, 2, 1]),
      ["Friday", 1, 1],
      ["Saturday", 1, 1],
      ["Sunday", 2, 1],
    ]);
    expect(highest).toEqual({ weekday: "Monday", visitors: 2 });
    expect(notes).toContain("complete days");
    expect(headline).toMatch(/\(\d+ complete days, [A-Z]/);
  });

  it("has a repeated hour once, and a skipped one not at all, on the days on which clocks are changed", async () => {
    place.clock.now = Date.UTC(2026, 9, 27, 12);
    // In Berlin, 2026-10-25 has two hours 2: from 00:00 and from 01:00 UTC.
    const repeated = Date.UTC(2026, 9, 25, 0, 30);
    const first = Date.UTC(2026, 9, 23, 12);
    const lines = [first, repeated, repeated + HOUR, repeated + DAY + HOUR, place.clock.now - HOUR];
    const { points } = await ask(lines, "hour_of_day", { timezone: "Europe/Berlin" });
    // Saturday the 24th has no line at all: two days are left.
    expect(points).toHaveLength(24);
    expect(points[2]).toMatchObject({ hour: 2, days: 2, visitors: 1.5 });
    expect(points.filter(({ visitors }) => visitors > 0)).toHaveLength(1);
  });
});
