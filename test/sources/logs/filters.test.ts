import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Dimension } from "../../../src/operations/dimensions.ts";
import { parseFilter } from "../../../src/operations/filter.ts";
import type { DataSource } from "../../../src/sources/data-source.ts";
import { CHROME, combinedLine, createLogPlace, type LogPlace } from "./log-place.ts";
import {
  countNaively,
  type KnownHit,
  type KnownVisit,
  rankNaively,
  sortRows,
  totalNaively,
} from "./naive-filter.ts";

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

/** All answers about some days, as rows that do not depend on the order. */
async function askAll(source: DataSource, filter: readonly string[], dates: readonly string[]) {
  const [site] = await source.sites();
  if (site === undefined) throw new Error("There is no site.");
  const span = {
    site,
    from: dates[0] ?? "",
    to: dates.at(-1) ?? "",
    now: place.clock.now,
    filter: parseFilter(filter),
  };
  const rows: [string, unknown][] = [];
  for (const dimension of DIMENSIONS) {
    const ranking = await source.breakdown(span, dimension, 1_000);
    rows.push([dimension, sortRows(ranking.rows).map(({ label, ...row }) => row)]);
  }
  return { days: await source.days(span), rows: Object.fromEntries(rows) };
}

function expectAll(visits: readonly KnownVisit[], filter: readonly string[], dates: readonly string[]) {
  const kept = countNaively(
    visits.filter(({ date }) => dates.includes(date)),
    parseFilter(filter),
  );
  return {
    days: totalNaively(dates, kept),
    rows: Object.fromEntries(DIMENSIONS.map((dimension) => [dimension, rankNaively(kept, dimension)])),
  };
}

describe("a filter", () => {
  it.each([1, 2])("keeps on open and closed days what the definition says (%i)", async (seed) => {
    const visits = makeVisits(seed);
    const draw = createDraw(100 + seed);
    const filters = [...FILTERS, ...Array.from({ length: 12 }, () => makeFilter(draw))];
    place.write("access.log.1", writeVisits(visits));
    // At the end of the last day, the first two are closed.
    place.clock.now = 1000 * (START + 4 * DAY - 1);
    const inMemory = await place.open({}, false);
    const first = await place.open();
    for (const filter of filters) {
      const expected = expectAll(visits, filter, DATES);
      expect({ filter, ...(await askAll(inMemory, filter, DATES)) }).toEqual({ filter, ...expected });
      expect({ filter, ...(await askAll(first, filter, DATES)) }).toEqual({ filter, ...expected });
    }
    // Another process reads open days from their journal.
    expect(await askAll(await place.open(), ["pages=/docs"], DATES)).toEqual(
      expectAll(visits, ["pages=/docs"], DATES),
    );
    place.clock.now += 3_000 * DAY;
    await askAll(await place.open(), [], DATES);
    rmSync(join(place.folder, "www", "access.log.1"));
    place.write("access.log", [combinedLine({ at: place.clock.now })]);
    const later = await place.open();
    for (const filter of filters)
      expect({ filter, ...(await askAll(later, filter, DATES)) }).toEqual({
        filter,
        ...expectAll(visits, filter, DATES),
      });
  });
});
