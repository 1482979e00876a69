import { describe, expect, it } from "vitest";
import { AnalyticsError } from "../../src/errors.ts";
import type { Call } from "../../src/operations/call.ts";
import type { Overview } from "../../src/reports/overview.ts";
import { findQuery } from "../../src/reports/queries.ts";
import type { DataSource } from "../../src/sources/data-source.ts";
import { openDemoSource } from "../../src/sources/demo/organizations.ts";
import { createLocalCall } from "../../src/sources/local-call.ts";
import { NOW } from "../support/api.ts";
import { connect, serve } from "../support/period-service.ts";
import { runShell } from "../support/shell.ts";

const demo = await openDemoSource({ clock: () => NOW });
const callTo = (source: DataSource) =>
  createLocalCall(
    async () => source,
    () => NOW,
  );

interface Answered {
  result: Overview;
  text: string;
}

async function ask(call: Call, params: object = {}): Promise<Answered> {
  const query = findQuery("overview");
  const { result, views } = await query.ask(call, query.params.parse({ site: "example.com", ...params }), {});
  return { result: result as unknown as Overview, text: JSON.stringify(views) };
}

interface Points {
  points: { time: string; visitors: number; pageviews: number; visits: number }[];
}

async function askHours(call: Call, params: object) {
  const query = findQuery("timeseries");
  const asked = query.params.parse({ site: "example.com", interval: "hour", ...params });
  return ((await query.ask(call, asked, {})).result as unknown as Points).points;
}

const sumViews = (points: Points["points"]) => points.reduce((sum, { pageviews }) => sum + pageviews, 0);

describe("an overview", () => {
  it.each([[{}], [{ filter: ["country=DE"] }]])(
    "has the finished hours of today beside the same ones of yesterday: %j",
    async (filter) => {
      const call = callTo(demo);
      const points = await askHours(call, { days: 2, ...filter });
      const { result, text } = await ask(call, filter);
      // It is 05:05.
      const expected = {
        until: "05:00",
        pageviews_until_then: sumViews(points.slice(24, 29)),
        yesterday_until_then: sumViews(points.slice(0, 5)),
      };
      expect(expected.pageviews_until_then).toBeGreaterThan(0);
      expect(result.today?.hours).toEqual(expected);
      expect(text).toContain(JSON.stringify(expected).slice(1, -1));
    },
  );

  it("of a single day has its hours, and of several days none", async () => {
    const call = callTo(demo);
    for (const period of ["yesterday", "2026-11-12", "today"]) {
      const points = await askHours(call, { period });
      const { result, text } = await ask(call, { period });
      expect(result.trend.hours).toEqual({
        times: points.map(({ time }) => time),
        visitors: points.map(({ visitors }) => visitors),
        pageviews: points.map(({ pageviews }) => pageviews),
        visits: points.map(({ visits }) => visits),
      });
      expect(text).toContain(`Visitors an hour from ${points[0]?.time.slice(0, 10)} 00:00: `);
    }
    expect((await ask(call, { days: 2 })).result.trend).not.toHaveProperty("hours");
  });

  it("has none before the first hour is over, and none if yesterday has no data", async () => {
    const midnight = Date.parse("2026-11-21T00:30:00+01:00");
    const early = createLocalCall(
      async () => demo,
      () => midnight,
    );
    expect((await ask(early)).result.today).not.toHaveProperty("hours");
    const sites = async () => (await demo.sites()).map((site) => ({ ...site, dataSince: "2026-11-21" }));
    expect((await ask(callTo({ ...demo, sites }))).result.today).not.toHaveProperty("hours");
  });

  it("leaves them out where the source has none, or cannot read them", async () => {
    const { hours: _, ...withoutHours } = demo;
    const failing: DataSource = {
      ...demo,
      hours: async () => {
        throw new AnalyticsError("unavailable", "The hits cannot be read.");
      },
    };
    for (const source of [withoutHours, failing]) {
      const { result, text } = await ask(callTo(source), { period: "yesterday" });
      expect([result.today?.hours, result.trend.hours]).toEqual([undefined, undefined]);
      expect(text).toContain("Visitors a day from 2026-11-20: ");
    }
  });

  it("takes one more request of a service, and two for a day before yesterday", async () => {
    const countHourly = async (params: object) => {
      const { call, asked } = connect(serve(demo), true);
      await ask(call, params);
      return asked.filter((url) => url.includes("interval=hour")).length;
    };
    expect([await countHourly({}), await countHourly({ period: "yesterday" })]).toEqual([1, 1]);
    expect(await countHourly({ period: "2026-11-12" })).toBe(2);
    const { hours: _, ...withoutHours } = demo;
    const { call, asked } = connect(serve(withoutHours), true);
    await ask(call);
    expect(asked.filter((url) => url.includes("interval"))).toEqual([]);
  });
});

describe("the picture of a single day", () => {
  const draw = (line: string) =>
    runShell(`timeseries example.com --demo ${line}`.split(" "), {
      environment: { NO_COLOR: "1", LANG: "en_US.UTF-8" },
      clock: () => NOW,
      isTTY: true,
      columns: 100,
      rows: 60,
    });

  it("has its hours, above the row of the day", async () => {
    const { stdout } = await draw("--period yesterday");
    expect(stdout).toContain("visitors an hour");
    expect(stdout).toMatch(/Nov 20 +02:00 .*22:00\n\ndate +visitors +page views\n2026-11-20 Fri +\d+/);
  });

  it("is not drawn where there are several days, or a day was asked for", async () => {
    expect((await draw("--days 2")).stdout).toContain("visitors a day");
    expect((await draw("--period yesterday --by day")).stdout).not.toContain("visitors a");
    expect((await draw("--period yesterday --plain")).stdout).not.toContain("visitors a");
  });
});
