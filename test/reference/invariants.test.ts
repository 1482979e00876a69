import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { dimensions } from "../../src/operations/dimensions.ts";
import { addDays } from "../../src/operations/period.ts";
import { compareValues } from "../../src/reference/answers.ts";
import { createReferenceApi } from "../../src/reference/api.ts";
import { createDataset } from "../../src/reference/dataset.ts";
import { readFixtures } from "../../src/reference/fixtures.ts";
import type { Fixtures } from "../../src/reference/profile.ts";
import { createVisits, listVisits } from "../../src/reference/visits.ts";
import { createTestApi } from "../support/api.ts";
import { countBreakdown, countRealtime, countSeries, countStats } from "../support/oracle.ts";

/** The fixtures' shape with small sites of any timezone, so that thousands of questions are cheap. */
function createSmallFixtures(timezone: string, visitors: number): Fixtures {
  const all = readFixtures();
  return {
    ...all,
    sites: all.sites.map((site) => ({
      ...site,
      timezone: site.visitors === 0 ? site.timezone : timezone,
      visitors: site.visitors === 0 ? 0 : visitors,
      story: site.story.map(({ extra, ...chapter }) => ({
        ...chapter,
        ...(extra && { extra: { ...extra, visitors: visitors * 2 } }),
      })),
    })),
  };
}

const zones = [
  ...[
    "Europe/Berlin",
    "America/New_York",
    "Asia/Tokyo",
    "Pacific/Auckland",
    "Asia/Kathmandu",
    "America/Sao_Paulo",
  ],
  ...["Australia/Lord_Howe", "Pacific/Kiritimati", "Pacific/Niue", "Africa/Cairo", "America/Havana", "UTC"],
];
const start = Date.parse("2024-01-01T00:00:00Z");
const scenario = fc.record({
  timezone: fc.constantFrom(...zones),
  now: fc.integer({ min: 0, max: 1_200 * 86_400 }).map((seconds) => start + seconds * 1000),
  domain: fc.constantFrom(
    "example.com",
    "docs.example.com",
    "news.example.org",
    "shop.example.net",
    "parked.example",
  ),
  days: fc.oneof(fc.integer({ min: 1, max: 40 }), fc.constantFrom(1, 2, 7, 30)),
});
/** Clocks where days go wrong: DST nights, month and year ends, and midnight itself. */
const edges = [
  ...["2026-03-28T23:30:00Z", "2026-03-29T01:00:00Z", "2026-10-25T00:59:59Z", "2026-10-25T01:00:00Z"],
  ...["2026-12-31T23:00:00Z", "2026-12-31T22:59:59Z", "2028-02-29T12:00:00Z", "2026-03-01T00:00:00Z"],
  ...["2026-11-20T23:00:00Z", "2026-11-20T23:00:01Z", "2026-11-20T22:59:59Z"],
];

function open({ timezone, now, domain }: { timezone: string; now: number; domain: string }) {
  const fixtures = createSmallFixtures(timezone, 14);
  const { ask, time } = createTestApi({ fixtures, start: now });
  const site = createDataset(fixtures, "analytics", now)[0]?.findSite(domain);
  if (!site) throw new Error("no such site");
  return { ask, time, site };
}

async function checkSummaryAndSeries(input: { timezone: string; now: number; domain: string; days: number }) {
  const { ask, site } = open(input);
  const { now, domain, days } = input;
  const stats = (await ask(`/api/v1/stats?site=${domain}&days=${days}`)).body;
  const series = (await ask(`/api/v1/timeseries?site=${domain}&days=${days}`)).body;
  const points = series.points as { date: string; visitors: number; pageviews: number; partial?: true }[];
  const sum = (key: "visitors" | "pageviews") => points.reduce((total, point) => total + point[key], 0);

  expect(stats).toMatchObject(countStats(site, now, days));
  expect(points.map(({ partial: _, ...point }) => point)).toEqual(countSeries(site, now, days));
  expect(points).toHaveLength(days);
  expect([sum("visitors"), sum("pageviews")]).toEqual([stats.visitors, stats.pageviews]);
  expect(points.map((point) => point.partial ?? false)).toEqual([...Array(days - 1).fill(false), true]);
  expect(series.period).toEqual(stats.period);
  const { from, to, complete_through } = stats.period as Record<string, string>;
  expect(addDays(from ?? "", days - 1)).toBe(to);
  expect(addDays(to ?? "", -1)).toBe(complete_through);
  expect((stats.warnings as unknown[] | undefined)?.length ?? 0).toBe(
    site.dataSince === null || (from ?? "") < site.dataSince ? 1 : 0,
  );
}

describe("summary and series, against a naive count of the raw visits", () => {
  it("agree on any site, clock, timezone and number of days", async () => {
    await fc.assert(fc.asyncProperty(scenario, checkSummaryAndSeries), { numRuns: 150 });
  });

  it.each(edges)("agree at %s", async (clock) => {
    for (const timezone of ["Europe/Berlin", "Africa/Cairo", "Pacific/Auckland"]) {
      for (const days of [1, 31]) {
        await checkSummaryAndSeries({ timezone, now: Date.parse(clock), domain: "example.com", days });
      }
    }
  });
});

describe("breakdowns, against a naive count of the raw visits", () => {
  it("rank rightly, with right shares and totals, on any site, clock, dimension and limit", async () => {
    const asked = fc.record({
      scenario,
      dimension: fc.constantFrom(...dimensions),
      limit: fc.oneof(fc.integer({ min: 1, max: 8 }), fc.constant(1000)),
    });
    await fc.assert(
      fc.asyncProperty(asked, async ({ scenario: input, dimension, limit }) => {
        const days = Math.min(input.days, 9);
        const { ask, site } = open(input);
        const path = `site=${input.domain}&days=${days}`;
        const { body } = await ask(`/api/v1/breakdown?${path}&dimension=${dimension}&limit=${limit}`);
        const stats = (await ask(`/api/v1/stats?${path}`)).body;
        const measure = dimension === "events" ? "events" : "pageviews";
        const rows = body.rows as Record<string, number>[];

        const expected = countBreakdown(site, input.now, days, dimension).sort(
          (a, b) =>
            b.visitors - a.visitors ||
            b.hits - a.hits ||
            Number(a.value === null) - Number(b.value === null) ||
            ((a.value ?? "") < (b.value ?? "") ? -1 : 1),
        );
        expect(rows.map((row) => [row.value, row.visitors, row[measure]])).toEqual(
          expected.slice(0, limit).map((row) => [row.value, row.visitors, row.hits]),
        );
        expect(body.total_rows).toBe(expected.length);
        expect(body.truncated).toBe(expected.length > limit);
        const { visitors, pageviews, events } = stats;
        expect(body.totals).toEqual({ visitors, pageviews, ...(dimension === "events" && { events }) });
        for (const row of rows) {
          const share = (100 * Number(row.visitors)) / Number(visitors);
          expect(Math.abs(Number(row.percentage) - share)).toBeLessThanOrEqual(0.05 + 1e-9);
          expect(Number(row.percentage) * 10).toBeCloseTo(Math.round(Number(row.percentage) * 10), 9);
        }
      }),
      { numRuns: 150 },
    );
  });
});

describe("rows of the same numbers", () => {
  it("are ordered by code point, not by UTF-16 units, and null is last", () => {
    const values = [null, "/😀", "/\uff5e", "/a", "/Z"];
    expect(values.sort(compareValues)).toEqual(["/Z", "/a", "/\uff5e", "/😀", null]);
  });
});

describe("realtime", () => {
  it("counts the visitors of the last five minutes, over midnight too", async () => {
    const clocks = fc.oneof(
      scenario,
      scenario.map((input) => ({
        ...input,
        timezone: "Europe/Berlin",
        now: Date.parse("2026-06-10T22:00:00Z") + (input.days % 5) * 60_000,
      })),
    );
    await fc.assert(
      fc.asyncProperty(clocks, async (input) => {
        const { ask, site } = open({ ...input, domain: "example.com" });
        const { body } = await ask("/api/v1/realtime?site=example.com");
        expect(body.visitors).toBe(countRealtime(site, input.now));
      }),
      { numRuns: 150 },
    );
  });

  it("counts a hit for five minutes: at its second, and no more when they are over", async () => {
    const { timezone, domain } = { timezone: "Europe/Berlin", domain: "example.com" };
    const date = "2026-11-20";
    const { site } = open({ timezone, now: Date.parse("2026-11-20T12:00:00Z"), domain });
    const hits = site.visits(date).flatMap((visit) => visit.hits);
    expect(hits.length).toBeGreaterThan(10);
    for (const { at } of hits) {
      for (const seconds of [at - 1, at, at + 299, at + 300]) {
        const now = Date.parse("2026-11-19T23:00:00Z") + seconds * 1000;
        const { ask } = open({ timezone, now, domain });
        expect((await ask(`/api/v1/realtime?site=${domain}`)).body.visitors).toBe(countRealtime(site, now));
      }
    }
  });

  it("moves: within a day of the largest site it takes many values", async () => {
    const { ask, time } = createTestApi();
    const seen = new Set<unknown>();
    for (let step = 0; step < 48; step++) {
      time.now += 1_800_000;
      seen.add((await ask("/api/v1/realtime?site=example.com")).body.visitors);
    }
    expect(seen.size).toBeGreaterThan(4);
  });
});

describe("a visit", () => {
  it("raises its events on the page that it viewed last", () => {
    const fixtures = readFixtures();
    const [site] = fixtures.sites.map((each) => ({ ...each, pages_per_visit: 60 }));
    const visits = site && createVisits(site, fixtures, "analytics", "2026-11-16");
    const withEvents = visits
      ? listVisits(visits, "2026-11-20").filter(({ hits }) => hits.at(-1)?.event !== null)
      : [];
    expect(withEvents.length).toBeGreaterThan(10);
    for (const { hits } of withEvents) {
      const viewed = hits.findLast(({ event }) => event === null);
      expect(hits.at(-1)?.path).toBe(viewed?.path);
    }
  });
});

describe("time passes", () => {
  it("moves the window when midnight at the site passes between two calls, and keeps the day that is over", async () => {
    const { ask, time } = createTestApi({ start: Date.parse("2026-11-20T22:59:59Z") });
    const path = "/api/v1/timeseries?site=example.com&days=2";
    const before = (await ask(path)).body;
    time.now += 1_000;
    const after = (await ask(path)).body;
    expect(before.period).toMatchObject({
      from: "2026-11-19",
      to: "2026-11-20",
      as_of: "2026-11-20T23:59:59+01:00",
    });
    expect(after.period).toMatchObject({
      from: "2026-11-20",
      to: "2026-11-21",
      as_of: "2026-11-21T00:00:00+01:00",
    });
    const points = after.points as { date: string; visitors: number; partial?: true }[];
    expect(points[0]?.partial).toBeUndefined();
    expect(points[1]).toMatchObject({ date: "2026-11-21", partial: true });
    time.now += 5 * 86_400_000;
    const later = (await ask("/api/v1/timeseries?site=example.com&days=7")).body.points as typeof points;
    expect(later.find((point) => point.date === "2026-11-20")).toEqual(points[0]);
  });

  it("never lets a number of today fall as the day goes on", async () => {
    const { ask, time } = createTestApi({ start: Date.parse("2026-11-20T23:00:00Z") });
    let last = -1;
    for (let hour = 0; hour < 24; hour++) {
      const visitors = Number((await ask("/api/v1/stats?site=example.com&days=1")).body.visitors);
      expect(visitors).toBeGreaterThanOrEqual(last);
      last = visitors;
      time.now += 3_599_000;
    }
    expect(last).toBeGreaterThan(100);
  });

  it("counts a day at 00:00 of it", async () => {
    const { ask } = createTestApi({ start: Date.parse("2026-11-20T23:00:00Z") });
    const { body } = await ask("/api/v1/stats?site=example.com&days=1");
    expect(body.period).toMatchObject({
      from: "2026-11-21",
      to: "2026-11-21",
      complete_through: "2026-11-20",
    });
    expect(Number(body.visitors)).toBeLessThan(5);
  });

  it("answers the same bytes for the same seed and clock", async () => {
    const paths = [
      "/sites",
      "/stats?site=example.com",
      "/breakdown?site=shop.example.net&dimension=cities&days=90",
    ];
    for (const path of paths) {
      const [one, two] = [createTestApi(), createTestApi()];
      expect((await one.ask(`/api/v1${path}`)).text).toBe((await two.ask(`/api/v1${path}`)).text);
    }
    const other = createTestApi({ seed: "other" });
    const { ask } = createTestApi();
    const [path] = ["/api/v1/stats?site=example.com"];
    expect((await other.ask(path)).text).not.toBe((await ask(path)).text);
  });

  it("reads no clock but the one it is given", () => {
    let reads = 0;
    const api = createReferenceApi({ clock: () => ++reads * 0 + start });
    api(
      new Request("https://x.test/api/v1/sites", { headers: { authorization: "Bearer demo-key-of-acme" } }),
    );
    expect(reads).toBe(2);
  });
});
