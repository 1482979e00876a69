import { describe, expect, it } from "vitest";
import type { Fixtures, SiteProfile } from "../../../src/sources/demo/fixture-types.ts";
import { readFixtures } from "../../../src/sources/demo/fixtures.ts";
import { createChoice, createRandom } from "../../../src/sources/demo/random.ts";
import { createVisits, type Visit } from "../../../src/sources/demo/visits.ts";
import { createLookup } from "../../../src/sources/lookup.ts";

const fixtures = readFixtures();
const ANCHOR = "2026-11-16";

function makeVisits(changes: Partial<SiteProfile>, date: string, shared = fixtures) {
  const site = fixtures.sites.find(({ domain }) => domain === "example.com");
  if (!site) throw new Error("The fixtures have no example.com.");
  return createVisits({ ...site, data_since: 9_000, ...changes }, shared, "analytics", ANCHOR)(date);
}

/** All visits of such a site begin in this hour. */
const onlyAt = (hour: number) => Array.from({ length: 24 }, (_, index) => (index === hour ? 1 : 0));
const long = { pages_per_visit: 60, events: { signup: 1, download: 1 } };

describe("random numbers", () => {
  const draw = (seed: string, count: number) => {
    const random = createRandom(seed);
    return Array.from({ length: count }, random);
  };

  it("are the same for the same seed, and different for another", () => {
    expect(draw("analytics", 1_000)).toEqual(draw("analytics", 1_000));
    // Similar seeds must not start a few steps apart in the same sequence.
    const drawn = Array.from({ length: 100 }, (_, seed) => draw(`analytics:${seed}`, 1_000)).flat();
    expect(new Set(drawn).size).toBeGreaterThan(drawn.length - 20);
  });

  it.each([0.02, 0.5, 0.97])("are below %d as often as that says", (chance) => {
    const below = draw("analytics", 20_000).filter((number) => number < chance);
    expect(Math.abs(below.length / 20_000 - chance)).toBeLessThan(0.01);
    expect(draw("analytics", 20_000).every((number) => number >= 0 && number < 1)).toBe(true);
  });

  it("choose each value as often as its weight says", () => {
    const weights = [5, 0, 2.5, 0.5, 2, 0];
    const choose = createChoice(weights.map((weight, index) => [index, weight]));
    const random = createRandom("analytics");
    const chosen = Array.from({ length: 20_000 }, () => choose(random));
    for (const [index, weight] of weights.entries()) {
      const share = chosen.filter((value) => value === index).length / chosen.length;
      expect(Math.abs(share - weight / 10)).toBeLessThan(weight === 0 ? 1e-9 : 0.01);
    }
  });
});

describe("the visits of a day", () => {
  it.each([
    ["that is ordinary", "2026-11-20", "Europe/Berlin", 86_400],
    ["of 23 hours", "2026-03-29", "Europe/Berlin", 82_800],
    ["of 25 hours", "2026-10-25", "Europe/Berlin", 90_000],
    ["that begins an hour late", "2018-11-04", "America/Sao_Paulo", 82_800],
  ])("%s end with the day, and views come before events", (_, date, timezone, length) => {
    const story: SiteProfile["story"] = [];
    const visits = makeVisits({ timezone, hours: onlyAt(23), story, ...long }, date);
    const whole = makeVisits({ timezone, hours: onlyAt(9), story, ...long }, date);
    expect(whole.length).toBeGreaterThan(200);
    // An hour that the day does not have has no visits.
    expect(visits.length).toBe(length === 82_800 ? 0 : whole.length);
    for (const { hits } of [...visits, ...whole]) {
      const times = hits.map(({ at }) => at);
      expect(times).toEqual([...times].sort((a, b) => a - b));
      expect(times.at(-1)).toBeLessThan(length);
      const firstEvent = hits.findIndex(({ event }) => event !== null);
      expect(hits.slice(firstEvent).every(({ event }) => firstEvent === -1 || event !== null)).toBe(true);
    }
    const count = (all: typeof visits) => all.reduce((sum, { hits }) => sum + hits.length, 0);
    if (length === 86_400) expect(count(visits)).toBeLessThan(count(whole));
    if (length === 90_000) expect(count(visits)).toBe(count(whole));
  });

  it("come through the day as through the day before, so that no hour of the demo looks like an outage", () => {
    const { get: hitsOf } = createLookup((date: string) => makeVisits({}, date).flatMap(({ hits }) => hits));
    const views = (date: string, until: number) =>
      hitsOf(date).filter(({ at, event }) => event === null && at < until).length;
    // The days on which the demo can be today: those of the week of its anchor.
    for (let day = 16; day <= 22; day++)
      for (const hour of [2, 3, 6, 9, 12, 18]) {
        const [today, before] = [`2026-11-${day}`, `2026-11-${day - 1}`].map((date) =>
          views(date, hour * 3600),
        );
        const ratio = (today ?? 0) / (before ?? 0);
        expect([day, hour, ratio > 0.55 && ratio < 1.9]).toEqual([day, hour, true]);
      }
  });

  it("are none if the zone skips the day", () => {
    const asked = (date: string) => makeVisits({ timezone: "Pacific/Apia" }, date).length;
    expect(asked("2011-12-30")).toBe(0);
    expect(asked("2011-12-29")).toBeGreaterThan(200);
  });

  it("have as many pages, events and second visits as the profile says", () => {
    const story: SiteProfile["story"] = [];
    const profile = {
      pages_per_visit: 2.5,
      events: { signup: 0.1 },
      hours: onlyAt(9),
      visitors: 20_000,
      story,
    };
    const visits = makeVisits(profile, "2026-11-18");
    const hits = visits.flatMap((visit) => visit.hits);
    const views = hits.filter(({ event }) => event === null).length;
    const visitors = new Set(visits.map(({ visitor }) => visitor)).size;
    expect(Math.abs(views / visits.length - 2.5)).toBeLessThan(0.03);
    expect(Math.abs((hits.length - views) / visits.length - 0.1)).toBeLessThan(0.01);
    expect(Math.abs(visits.length / visitors - 1.12)).toBeLessThan(0.01);
  });

  it("are always the same", () => {
    const [site] = fixtures.sites;
    if (!site) throw new Error("The fixtures have no site.");
    const visits = createVisits(site, fixtures, "analytics", ANCHOR);
    const first = visits("2026-11-18");
    expect(visits("2026-11-19")).not.toEqual(first);
    expect(visits("2026-11-18")).toEqual(first);
    expect(createVisits(site, fixtures, "analytics", ANCHOR)("2026-11-18")).toEqual(first);
  });

  it("are made of uncorrelated random numbers", () => {
    const rows = listNumbers();
    const columns = Object.keys(rows[0] ?? {}).map((name) => ({
      name,
      codes: encode(rows.map((row) => row[name])),
    }));
    const pairs = columns.flatMap((one, index) =>
      columns.slice(index + 1).map((other) => ({ one, other, surprise: surprise(one.codes, other.codes) })),
    );
    expect(pairs.length).toBeGreaterThan(200);
    const odd = pairs.filter(({ surprise }) => surprise > 6).map(({ one, other }) => [one.name, other.name]);
    expect(odd).toEqual([]);
  });
});

type Value = string | number | boolean | undefined;

/** What each visitor of a day drew, with equally likely values; undefined if nothing was drawn. */
function listNumbers(): Record<string, Value>[] {
  const eight = Array.from({ length: 8 }, (_, index) => `v${index}`);
  const alike = Object.fromEntries(eight.map((value) => [value, 1]));
  const makeEight = <T>(make: (value: string) => T) =>
    Object.fromEntries(eight.map((value) => [value, make(value)]));
  const utm = { source: null, medium: null, campaign: null, term: null, content: null };
  const shared: Fixtures = {
    ...fixtures,
    sources: {
      ...makeEight((channel) => ({ channel, referrer: null, utm })),
      direct: { channel: "direct", referrer: null, utm },
    },
    places: makeEight((country) => ({ country, region: null, city: null, language: null })),
    technologies: makeEight((device) => ({ device, browser: device, operating_system: device })),
  };
  const flat: Partial<SiteProfile> = {
    hostnames: alike,
    places: alike,
    technologies: alike,
    sources: alike,
    story: [],
    growth_from: 1,
    visitors: 20_000,
    pages_per_visit: 3,
    events: { signup: 0.5, download: 0.5 },
    hours: Array.from({ length: 24 }, (_, hour) => (hour < 8 ? 1 : 0)),
    pages: eight.map((path) => ({ path, entry: 1, view: 1 })),
  };
  const byVisitor = new Map<number, Visit[]>();
  for (const visit of makeVisits(flat, "2026-11-18", shared)) {
    byVisitor.set(visit.visitor, [...(byVisitor.get(visit.visitor) ?? []), visit]);
  }
  return [...byVisitor.values()].map(([first, second]) => ({
    channel: first?.source.channel,
    country: first?.place.country ?? "",
    device: first?.technology.device,
    returns: second !== undefined,
    ...Object.fromEntries(Object.entries(describeVisit(first)).map(([name, value]) => [`1 ${name}`, value])),
    ...Object.fromEntries(Object.entries(describeVisit(second)).map(([name, value]) => [`2 ${name}`, value])),
  }));
}

function describeVisit(visit: Visit | undefined): Record<string, Value> {
  const hits = visit?.hits ?? [];
  const views = hits.filter(({ event }) => event === null);
  const start = views[0]?.at ?? 0;
  const pause = (view: number) => {
    const [before, after] = [views[view - 1], views[view]];
    return before && after && Math.floor(((after.at - before.at - 15) / 210) * 8);
  };
  const has = (name: string) => visit && hits.some(({ event }) => event === name);
  return {
    hostname: visit?.hostname,
    hour: visit && Math.floor(start / 3600),
    minute: visit && Math.floor((start % 3600) / 450),
    goesOn: visit && views.length > 1,
    entry: views[0]?.path,
    page: views[1]?.path,
    next: views[2]?.path,
    pause: pause(1),
    secondPause: pause(2),
    signup: has("signup"),
    download: has("download"),
  };
}

/** Numbers the distinct values from 0; undefined becomes -1. Counting numbers is far quicker than counting texts. */
function encode(values: Value[]): number[] {
  const codes = new Map<Value, number>([[undefined, -1]]);
  return values.map((value) => {
    const code = codes.get(value) ?? codes.size - 1;
    codes.set(value, code);
    return code;
  });
}

/** Correlation of two columns: chi squared, in standard deviations from what independent values would give. */
function surprise(ones: number[], others: number[]): number {
  const together: number[][] = [];
  let total = 0;
  for (const [index, one] of ones.entries()) {
    const other = others[index] ?? -1;
    if (one < 0 || other < 0) continue;
    const counts = together[one] ?? [];
    together[one] = counts;
    counts[other] = (counts[other] ?? 0) + 1;
    total++;
  }
  const sum = (counts: Iterable<number | undefined>) => [...counts].reduce<number>((a, b) => a + (b ?? 0), 0);
  const some = [...together].map((counts) => sum(counts ?? []));
  const width = Math.max(...[...together].map((counts) => counts?.length ?? 0));
  const more = Array.from({ length: width }, (_, other) => sum(together.map((counts) => counts[other])));
  let chiSquared = 0;
  for (const [one, rowSum] of some.entries()) {
    for (const [other, columnSum] of more.entries()) {
      const expected = (rowSum * columnSum) / total;
      if (expected > 0) chiSquared += ((together[one]?.[other] ?? 0) - expected) ** 2 / expected;
    }
  }
  const count = (sums: number[]) => sums.filter((sum) => sum > 0).length;
  const freedom = (count(some) - 1) * (count(more) - 1);
  return freedom === 0 ? 0 : (chiSquared - freedom) / Math.sqrt(2 * freedom);
}
