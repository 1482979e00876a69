import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Dimension } from "../../../src/operations/dimensions.ts";
import { parseFilter } from "../../../src/operations/filter.ts";
import type { DataSource } from "../../../src/sources/data-source.ts";
import { countDay } from "../../../src/sources/logs/counting/count-day.ts";
import { addHit, addRequest, openDay } from "../../../src/sources/logs/counting/open-day.ts";
import { numberSender } from "../../../src/sources/logs/counting/senders.ts";
import { formatHits } from "../../../src/sources/logs/store/day-hits.ts";
import { createHitMemory } from "../../../src/sources/logs/store/hit-memory.ts";
import { IS_LONG, SEED, share } from "../../support/seed.ts";
import { countSteps } from "../../support/steps.ts";
import { CHROME, combinedLine, createLogPlace, type LogPlace, NOON } from "./log-place.ts";
import {
  countNaively,
  hoursNaively,
  type KnownHit,
  type KnownVisit,
  rankNaively,
  sortRows,
  totalNaively,
} from "./naive-filter.ts";
import { changeClosedDays, listFiles } from "./store/history-files.ts";

const FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
const DAY = 86_400;
/** 2026-11-16, a Monday, in UTC. */
const START = Date.UTC(2026, 10, 16) / 1000;
const DATES = ["2026-11-16", "2026-11-17", "2026-11-18", "2026-11-19"];

/** A reproducible stream of numbers. */
function createDraw(seed: number) {
  let state = seed;
  return (below: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % below;
  };
}

type Draw = ReturnType<typeof createDraw>;

/** Visitors with visits that are apart, and downloads before, in and after them. */
function makeVisits(seed: number): KnownVisit[] {
  const draw = createDraw(seed);
  return DATES.flatMap((date, day) =>
    Array.from({ length: 12 }, (_, visitor) => makeVisitsOf(draw, date, START + day * DAY, visitor)).flat(),
  );
}

function makeVisitsOf(draw: Draw, date: string, midnight: number, visitor: number): KnownVisit[] {
  const visits: KnownVisit[] = [];
  let time = midnight + 60 + draw(3_600);
  for (let count = 1 + draw(3); count > 0; count--) {
    const hits = makeHits(draw, time);
    const first = { time: time - 30, path: "/files/early.pdf", event: "File Download" };
    if (visits.length === 0 && draw(3) === 0) hits.unshift(first);
    visits.push({
      date,
      visitor: nameOf(visitor),
      values: {
        hostnames: "example.com",
        utm_sources: pick(draw, [null, "news", "shop"]),
        referrers: pick(draw, [null, "ref.example.org"]),
        browsers: visitor % 2 === 0 ? "Chrome" : "Firefox",
        devices: "desktop",
      },
      hits,
    });
    time = (hits.at(-1)?.time ?? 0) + 7_200 + draw(1_800);
  }
  return visits;
}

function makeHits(draw: Draw, start: number): KnownHit[] {
  const hits: KnownHit[] = [];
  let time = start;
  for (let views = 1 + draw(4); views > 0; views--) {
    hits.push({ time, path: pick(draw, ["/", "/pricing", "/blog/a", "/blog/b", "/docs"]) });
    const download = { time: time + draw(60), path: "/files/guide.pdf", event: "File Download" };
    if (draw(4) === 0) hits.push(download);
    time += 60 + draw(900);
  }
  // Long after the visit, and still before the next one.
  if (draw(5) === 0) hits.push({ time: time + 2_400, path: "/files/late.zip", event: "File Download" });
  return hits;
}

const pick = <T>(draw: Draw, list: readonly T[]): T => list[draw(list.length)] as T;

const STEPS = [
  ["pages=/", "pages=/pricing"],
  ["pages=/pricing", "pages=/"],
  ["pages=/blog/*", "pages=/blog/*"],
  ["pages=/*", "pages=/*", "pages=/*", "pages=/*"],
  ["pages=/docs|/", "events=File Download"],
  ["events=File*", "pages=/*"],
];

function isStep({ path, event }: KnownHit, step: string): boolean {
  const [, name, value = ""] = /^(pages|events)=(.*)$/.exec(step) ?? [];
  const pattern = new RegExp(`^(?:${value.replaceAll("*", ".*")})$`);
  // Events of logs have no page.
  return pattern.test((name === "events" ? event : event === undefined ? path : undefined) ?? "");
}

/** Conditions of all kinds, at random. */
function makeFilter(draw: Draw): string[] {
  const values = {
    pages: ["/", "/pricing", "/blog/*", "*c*", "/docs", "/none", ""],
    events: ["File Download", "", "File*", "Sign-up"],
    hostnames: ["example.com", "", "*.example.net"],
    entry_pages: ["/", "/blog/a|/blog/b", "/docs", ""],
    exit_pages: ["/pricing", "*/b", ""],
    utm_sources: ["news", "shop|", ""],
    referrers: ["*.org", ""],
    browsers: ["Chrome", "Fire*|Opera"],
  };
  return Array.from({ length: 1 + draw(3) }, () => {
    const [name, list] = pick(draw, Object.entries(values));
    const ofVisit = ["pages", "events", "hostnames"].includes(name) && draw(2) === 0 ? "visit:" : "";
    return `${ofVisit}${name}${pick(draw, ["=", "!="])}${pick(draw, list)}`;
  });
}

const nameOf = (visitor: number) => `198.51.100.${visitor}`;

const writeVisits = (visits: readonly KnownVisit[]): string[] =>
  visits
    .flatMap(({ visitor, values, hits }) => {
      const first = hits.find(({ event }) => event === undefined);
      return hits.map((hit) => {
        const query = hit === first && values.utm_sources ? `?utm_source=${values.utm_sources}` : "";
        const referrer = hit === first && values.referrers ? `https://${values.referrers}/` : "-";
        const line = combinedLine({
          at: 1000 * hit.time,
          address: visitor,
          path: hit.path + query,
          referrer,
          agent: values.browsers === "Chrome" ? CHROME : FIREFOX,
        });
        return { time: hit.time, line };
      });
    })
    .sort((a, b) => a.time - b.time)
    .map(({ line }) => line);

const FILTERS = [
  [],
  ["pages=/pricing"],
  ["pages!=/blog/*"],
  ["pages="],
  ["pages!="],
  ["events=File Download"],
  ["events="],
  ["events!=File Download"],
  ["visit:pages=/pricing"],
  ["visit:pages!=/pricing|/docs"],
  ["visit:events=File*"],
  ["visit:events!=File Download"],
  ["visit:pages="],
  ["entry_pages=/|/docs"],
  ["exit_pages!=/"],
  ["utm_sources=news"],
  ["utm_sources!=news"],
  ["utm_sources="],
  ["referrers=*.example.org"],
  ["browsers=Firefox", "visit:pages=/docs", "pages!=/docs"],
  ["events=File Download", "entry_pages=/pricing"],
  ["browsers=Chrome", "browsers=Firefox"],
  ["devices=desktop"],
  ["utm_terms="],
  ["utm_terms!="],
  ["hostnames=example.com"],
  ["visit:hostnames!=example.com"],
  ["countries=DE"],
];
const DIMENSIONS: Dimension[] = [
  ...(["pages", "entry_pages", "exit_pages", "events", "utm_sources", "referrers", "browsers"] as const),
];

let place: LogPlace;
beforeEach(() => {
  place = createLogPlace();
});
afterEach(() => place.remove());

const TODAY = "2026-11-21";
const NOTHING = { visitors: 0, pageviews: 0, events: 0, visits: 0, bounces: 0, visitSeconds: 0 };

async function spanOf(
  source: DataSource,
  filter?: readonly string[],
  days: { from?: string; to?: string } = {},
) {
  const [site] = await source.sites();
  if (site === undefined) throw new Error("There is no site.");
  const parsed = filter && parseFilter(filter);
  return { site, from: TODAY, to: TODAY, ...days, now: place.clock.now, filter: parsed };
}

const count = async (source: DataSource, filter: readonly string[], days?: { from?: string; to?: string }) =>
  source.days(await spanOf(source, filter, days));

/** Answers about some days, each filter about other dimensions, as rows that do not depend on the order. */
async function askAll(source: DataSource, filter: readonly string[], dates: readonly string[]) {
  const span = await spanOf(source, filter, { from: dates[0] ?? "", to: dates.at(-1) ?? "" });
  const rows: [string, unknown][] = [];
  for (const dimension of dimensionsOf(filter)) {
    const ranking = await source.breakdown(span, dimension, 1_000);
    rows.push([dimension, sortRows(ranking.rows).map(({ label, ...row }) => row)]);
  }
  const hours = (await source.hours?.(span)) ?? [];
  expect(hours).toHaveLength(24 * dates.length);
  return {
    filter,
    days: await source.days(span),
    hours: hours.filter(({ visitors, visits = 0 }) => visitors + visits > 0),
    rows: Object.fromEntries(rows),
  };
}

const dimensionsOf = (filter: readonly string[]): Dimension[] => {
  const start = filter.join().length % DIMENSIONS.length;
  return [...DIMENSIONS, ...DIMENSIONS].slice(start, start + 2);
};

function expectAll(visits: readonly KnownVisit[], filter: readonly string[], dates: readonly string[]) {
  const kept = countNaively(
    visits.filter(({ date }) => dates.includes(date)),
    parseFilter(filter),
  );
  return {
    filter,
    days: totalNaively(dates, kept),
    hours: hoursNaively(kept),
    rows: Object.fromEntries(
      dimensionsOf(filter).map((dimension) => [dimension, rankNaively(kept, dimension)]),
    ),
  };
}

const SEEDS = IS_LONG ? [1, 2] : [SEED];

describe("a filter", () => {
  it.each(SEEDS)("keeps on open and closed days what the definition says (%i)", async (seed) => {
    const visits = makeVisits(seed);
    const draw = createDraw(100 + seed);
    const filters = [...FILTERS, ...Array.from({ length: 12 }, () => makeFilter(draw))];
    place.write("access.log.1", writeVisits(visits));
    // At the end of the last day, the first two are closed.
    place.clock.now = 1000 * (START + 4 * DAY - 1);
    const inMemory = await place.open({}, false);
    const first = await place.open();
    const check = async (source: DataSource, turn: number) => {
      for (const filter of share(filters, 3, turn))
        expect(await askAll(source, filter, DATES)).toEqual(expectAll(visits, filter, DATES));
    };
    await check(inMemory, 0);
    await check(first, 1);
    // Another process reads open days from their journal.
    expect(await askAll(await place.open(), ["pages=/docs"], DATES)).toEqual(
      expectAll(visits, ["pages=/docs"], DATES),
    );
    place.clock.now += 3_000 * DAY;
    await askAll(await place.open(), [], DATES);
    rmSync(join(place.folder, "www", "access.log.1"));
    place.write("access.log", [combinedLine({ at: place.clock.now })]);
    await check(await place.open(), 2);
  });

  it.each(SEEDS)(
    "chooses the visits of steps, on open and closed days, found by trying all ways (%i)",
    async (seed) => {
      const visits = makeVisits(seed);
      place.write("access.log.1", writeVisits(visits));
      place.clock.now = 1000 * (START + 4 * DAY - 1);
      const questions = STEPS.flatMap((steps) =>
        [[], ["entry_pages=/"], ["visit:events!=File Download"]].map((filter) => ({ steps, filter })),
      );
      const check = async (source: DataSource) => {
        for (const { steps, filter } of questions) {
          const span = await spanOf(source, filter, { from: DATES[0] ?? "", to: DATES.at(-1) ?? "" });
          const kept = countNaively(visits, parseFilter(filter));
          const tests = steps.map((step) => (hit: KnownHit) => isStep(hit, step));
          const expected = countSteps(
            kept.map(({ hits }) => hits),
            tests,
          );
          const conditions = steps.flatMap((step) => parseFilter([step]));
          expect([steps, filter, await source.steps?.(span, conditions)]).toEqual([steps, filter, expected]);
        }
      };
      await check(await place.open({}, false));
      await check(await place.open());
      place.clock.now += 3_000 * DAY;
      await (await place.open()).sites();
      rmSync(join(place.folder, "www", "access.log.1"));
      place.write("access.log", [combinedLine({ at: place.clock.now })]);
      await check(await place.open());
    },
  );

  it("does not know what comes after now", async () => {
    const at = (minute: number, path: string) => combinedLine({ at: NOON + minute * 60_000, path });
    place.write("access.log", [at(-10, "/a"), at(0, "/b"), at(5, "/c")]);
    const source = await place.open();
    const visit = { visits: 1, bounces: 0, visitSeconds: 600 };
    const day = { date: TODAY, visitors: 1, events: 0 };
    expect(await count(source, ["exit_pages=/b"])).toEqual([{ ...day, pageviews: 2, ...visit }]);
    expect(await count(source, ["visit:pages=/c"])).toEqual([{ date: TODAY, ...NOTHING }]);
  });

  it.each([
    [0, "/b"],
    [1, "/b"],
    [2, "/a"],
  ])("gives an event to the visit that begins at most a second later: %i s", async (seconds, entry) => {
    const at = (minute: number, path: string, second = 0) =>
      combinedLine({ at: NOON + minute * 60_000 + second * 1_000, path });
    place.write("access.log", [at(-90, "/a"), at(-20, "/guide.pdf"), at(-20, "/b", seconds)]);
    const source = await place.open();
    for (const days of [0, 3]) {
      place.clock.now = NOON + days * DAY * 1000;
      for (const page of ["/a", "/b"]) {
        expect(await count(source, [`entry_pages=${page}`])).toMatchObject([
          { events: Number(page === entry), pageviews: 1 },
        ]);
      }
    }
  });

  it("keeps no value that was folded, and no visit that may have had it", async () => {
    const at = (second: number, path: string) => combinedLine({ at: NOON - 3_600_000 + 100 * second, path });
    // Most of the long ones are beyond what one network can add.
    place.write("access.log", [
      ...Array.from({ length: 2_500 }, (_, index) =>
        at(index, `/${index}${index < 1_000 ? "" : "x".repeat(99)}`),
      ),
      combinedLine({ at: NOON - 60_000, path: "/7", address: "203.0.113.8" }),
    ]);
    for (const days of [0, 3]) {
      place.clock.now = NOON + days * DAY * 1000;
      const source = await place.open({ acceptProxyAddresses: true });
      const views = async (...filter: string[]) => (await count(source, filter))[0]?.pageviews;
      const all = (await views("pages=*")) ?? 0;
      expect(all).toBeLessThan(1_800);
      expect(all).toBeGreaterThan(1_600);
      expect(await views("pages=/7")).toBe(2);
      const [day] = await count(source, ["pages=/7"]);
      expect(day).toMatchObject({ visitors: 2, most: { visitors: 2, pageviews: 2 + 2_501 - all } });
      expect((await count(source, ["pages=/none"]))[0]).toMatchObject({ visitors: 0, most: { visitors: 1 } });
      expect((await count(source, ["browsers=Chrome"]))[0]?.most).toBeUndefined();
      expect(await views("pages!=/7")).toBe(all - 2);
      expect(await views("visit:pages=/8")).toBe(2_500);
      expect(await views("visit:pages!=/8")).toBe(1);
      expect(await views("exit_pages!=/7")).toBe(0);
      expect(await views("browsers=Chrome")).toBe(2_501);
      const { rows } = await source.breakdown(await spanOf(source, ["visit:pages=/8"]), "pages", 1_000);
      expect(rows.find(({ other }) => other)).toMatchObject({ value: null, hits: 2_501 - all });
    }
  });

  it("answers about every day of a year", async () => {
    const lines = Array.from({ length: 365 }, (_, day) => NOON - (364 - day) * DAY * 1000).flatMap((at) => [
      combinedLine({ at: at - 60_000, path: "/a" }),
      combinedLine({ at: at - 30_000, path: "/b", agent: FIREFOX }),
    ]);
    place.write("access.log", lines);
    // Writing a year of days to disk takes long.
    const source = await place.open({}, false);
    const days = await count(source, ["browsers=Firefox"], { from: "2025-11-22" });
    expect(days).toHaveLength(365);
    expect(days.filter(({ visitors, bounces }) => visitors === 1 && bounces === 1)).toHaveLength(365);
  });

  it("counts as active who has a kept hit in the last five minutes, by the whole day so far", async () => {
    const at = (minutes: number, path: string, address: string) =>
      combinedLine({ at: NOON - minutes * 60_000, path, address });
    place.write("access.log", [
      at(20, "/pricing", "192.0.2.1"),
      at(1, "/docs", "192.0.2.1"),
      at(1, "/docs", "192.0.2.2"),
      at(20, "/docs", "192.0.2.3"),
      at(1, "/guide.pdf", "192.0.2.3"),
      at(-1, "/pricing", "192.0.2.2"),
    ]);
    const source = await place.open();
    const { site, now } = await spanOf(source);
    const active = (...filter: string[]) => source.active(site, now, undefined, parseFilter(filter));
    expect(await active()).toBe(await source.active(site, now));
    expect(await active()).toBe(3);
    expect(await active("pages=/docs")).toBe(2);
    expect(await active("events=File Download")).toBe(1);
    expect(await active("entry_pages=/pricing")).toBe(1);
    expect(await active("visit:pages!=/pricing")).toBe(2);
    expect(await active("pages=/pricing")).toBe(0);
  });

  it("stops between days", async () => {
    place.write("access.log", writeVisits(makeVisits(1)));
    place.clock.now = 1000 * (START + 6 * DAY);
    const source = await place.open();
    const span = await spanOf(source, ["pages=/"], { from: "2026-11-16", to: "2026-11-19" });
    const stop = new AbortController();
    const asked = source.days(span, stop.signal);
    setImmediate(() => setImmediate(() => stop.abort(new Error("enough"))));
    await expect(asked).rejects.toThrow("enough");
    await expect(source.breakdown(span, "pages", 10, AbortSignal.abort())).rejects.toThrow();
    expect(await source.days(span)).toHaveLength(4);
  });
});

describe("a day whose hits are gone", () => {
  const dates = { from: "2026-11-16", to: "2026-11-20" };
  let source: DataSource;
  beforeEach(async () => {
    place.write("access.log.1", writeVisits(makeVisits(1)));
    // A day with an image alone, whose numbers are zeros, needs no hits.
    place.write("access.log", [combinedLine({ at: 1000 * (START + 4 * DAY), path: "/logo.png" })]);
    place.clock.now = 1000 * (START + 7 * DAY);
    await (await place.open()).sites();
    rmSync(join(place.folder, "www", "access.log.1"));
    source = await place.open();
  });
  const parquetOf = (date: string) =>
    listFiles(place.history()).find((path) => path.includes(date) && path.endsWith(".parquet")) ?? "";

  it("is named in an error, with the reason, and other days are answered", async () => {
    expect(await count(source, ["pages=/docs"], dates)).toHaveLength(5);
    rmSync(parquetOf("2026-11-17"));
    const bytes = readFileSync(parquetOf("2026-11-18"));
    bytes[50] = (bytes[50] ?? 0) ^ 1;
    writeFileSync(parquetOf("2026-11-18"), bytes);
    const error = await count(source, ["pages=/docs"], dates).catch((each: unknown) => each);
    expect(error).toMatchObject({ code: "unavailable", hint: expect.stringContaining("backup") });
    expect(String(error)).toMatch(/2026-11-17: .* is missing: .*2026-11-18: .* is damaged: /);
    expect(String(error)).not.toContain("2026-11-16");
    const pages = source.breakdown(await spanOf(source, ["pages=/docs"], dates), "pages", 10);
    await expect(pages).rejects.toThrow("2026-11-17");
    expect(await count(source, ["pages=/docs"], { from: "2026-11-19", to: "2026-11-20" })).toHaveLength(2);
    // Without a filter, nobody needs them.
    expect(
      (await source.days(await spanOf(source, undefined, dates))).map(({ visits }) => visits),
    ).not.toContain(undefined);
  });

  it("is read again if another process has counted it again", async () => {
    const before = await count(source, ["pages=/docs"], dates);
    // The log is there again, with one more line of its first day.
    const more = combinedLine({ at: 1000 * (START + 60), path: "/docs", address: "192.0.2.9" });
    place.write("access.log.1", writeVisits(makeVisits(1)));
    place.write("access.log.2", [more]);
    await (await place.open()).sites();
    rmSync(join(place.folder, "www", "access.log.1"));
    rmSync(join(place.folder, "www", "access.log.2"));
    place.append("access.log", [combinedLine({ at: place.clock.now - 1000, path: "/logo.png" })]);
    const after = await count(source, ["pages=/docs"], dates);
    expect(after[0]?.pageviews).toBe((before[0]?.pageviews ?? 0) + 1);
    expect(after.slice(1)).toEqual(before.slice(1));
  });

  it("is named if they could not be saved", async () => {
    changeClosedDays(place.history(), (day) => ({ ...day, hits: null }));
    const error = await count(await place.open(), ["pages=/docs"], dates).catch((each: unknown) => each);
    expect(error).toMatchObject({ code: "usage" });
    expect(String(error)).toMatch(/2026-11-16: Its hits could not be saved .*2026-11-19/);
    expect(String(error)).not.toContain("2026-11-20");
  });

  it("is named if there was no room in memory for them", () => {
    const memory = createHitMemory(100_000);
    const day = openDay(TODAY, 0, DAY);
    const keep = () => {
      for (let at = 0; at < 10_000; at++) {
        const sender = numberSender(day, { group: `10.0.0.${at % 250}`, agent: at }, () => 0);
        addRequest(day, sender, false, undefined);
        addHit(day, sender, at, 2 * day.values.of("pages").number(`/${at}`), 0);
      }
      const { counts, table } = countDay(day, "UTC");
      return memory.keep(counts, formatHits(day, table));
    };
    const first = keep();
    expect(first.readHits?.().length).toBeGreaterThan(30_000);
    for (let more = 0; more < 3; more++) keep();
    expect(() => first.readHits?.()).toThrow("no room in memory");
  });
});
