import { describe, expect, it } from "vitest";
import { compareValues } from "../../src/operations/row-order.ts";
import { readFixtures } from "../../src/sources/demo/fixtures.ts";
import { createVisits } from "../../src/sources/demo/visits.ts";
import { createCount } from "../oracle/count.ts";
import { readRaw } from "../oracle/raw.ts";
import { createTestApi, NOW } from "../support/api.ts";
import { createReferenceApi } from "../support/reference-api.ts";

describe("rows with the same numbers", () => {
  it("are ordered by code point, not by UTF-16 units, and null is last", () => {
    const values = [null, "/😀", "/\uff5e", "/a", "/Z"];
    expect(values.sort(compareValues)).toEqual(["/Z", "/a", "/\uff5e", "/😀", null]);
  });
});

describe("realtime", () => {
  it("counts a hit for five minutes, from its own second on", async () => {
    const fixtures = readFixtures();
    const quiet = {
      ...fixtures,
      sites: fixtures.sites.map((site) => ({ ...site, visitors: Math.min(14, site.visitors), story: [] })),
    };
    const start = Date.parse("2026-11-20T12:00:00Z");
    const { ask, time } = createTestApi({ fixtures: quiet, start });
    const site = readRaw(quiet, "analytics", start).find(({ domain }) => domain === "example.com");
    const hits = site?.visits("2026-11-20").flatMap((visit) => visit.hits) ?? [];
    expect(hits.length).toBeGreaterThan(10);
    for (const { at } of hits) {
      for (const seconds of [at - 1, at, at + 299, at + 300]) {
        time.now = Date.parse("2026-11-19T23:00:00Z") + seconds * 1000;
        const { body } = await ask("/api/v1/realtime?site=example.com");
        expect(body.visitors).toBe(site && createCount(site).active(time.now));
      }
    }
  });

  it("changes: it takes many values during a day of the largest site", async () => {
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
  it("has its events on the last viewed page", () => {
    const fixtures = readFixtures();
    const [site] = fixtures.sites.map((profile) => ({ ...profile, pages_per_visit: 60 }));
    const visits = site ? createVisits(site, fixtures, "analytics", "2026-11-16")("2026-11-20") : [];
    const withEvents = visits.filter(({ hits }) => hits.at(-1)?.event !== null);
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

  it("never lets a number of today fall during the day", async () => {
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

  it("counts a day from 00:00 on", async () => {
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

  it("only reads the given clock", async () => {
    let reads = 0;
    const api = createReferenceApi({ clock: () => ++reads * 0 + NOW });
    await api(
      new Request("https://x.test/api/v1/sites", { headers: { authorization: "Bearer demo-key-of-acme" } }),
    );
    expect(reads).toBe(2);
  });
});
