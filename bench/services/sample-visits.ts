import { isDeepStrictEqual } from "node:util";
import { addDays } from "../../src/operations/days.ts";
import { readFixtures } from "../../src/sources/demo/fixtures.ts";
import { createVisits, type Visit } from "../../src/sources/demo/visits.ts";

/** Visits for a real service: a few people, so that its recorded answers stay small. */
export interface SampleDay {
  date: string;
  visits: Visit[];
}

const VISITORS = 17;
/** A visit ends after this many seconds without a hit. */
const GAP = 1_800;
/** What a service may write in another way: a folder and its page, a query, other scripts. */
const ODD_PAGES = [
  "/docs/",
  "/search?topic=tea&lang=en",
  "/日本語/🚀",
  "/blog/a%20b",
  "/caf%C3%A9",
  "/tags/a,b",
  `/<b>"x"'`,
];

/** The demo's visits of a small example.com, with more events than usual. */
export function createSampleDays(first: string, days: number): SampleDay[] {
  const fixtures = readFixtures();
  const [example] = fixtures.sites;
  if (example === undefined) throw new Error("The fixtures have no site.");
  const isPlain = (text: string) => !/[?\p{Cc}]/u.test(text);
  const profile = {
    ...example,
    visitors: VISITORS,
    growth_from: 1,
    story: [],
    events: { signup: 0.15, download: 0.1, outbound_link: 0.15 },
    sources: { ...example.sources, "autumn-search": 8, "autumn-social": 3 },
    pages: [
      ...example.pages.filter(({ path }) => isPlain(path)),
      ...ODD_PAGES.map((path) => ({ path, entry: 1.5, view: 2 })),
    ],
  };
  const visitsOf = createVisits(profile, fixtures, "services", addDays(first, days));
  return Array.from({ length: days }, (_, day) => {
    const date = addDays(first, day);
    return { date, visits: moveApart(visitsOf(date)) };
  });
}

/** The demo draws a return visit by itself, and only the time without a hit tells a service that it is another one. */
function moveApart(visits: readonly Visit[]): Visit[] {
  const found: Visit[] = [];
  for (const visit of visits) {
    const before = found.at(-1);
    const isApart = before?.visitor !== visit.visitor || distance(before, visit) > GAP;
    if (isApart) found.push(visit);
  }
  return found;
}

function distance(a: Visit, b: Visit): number {
  const [startA, endA, startB, endB] = [a.hits.at(0), a.hits.at(-1), b.hits.at(0), b.hits.at(-1)].map(
    (hit) => hit?.at ?? 0,
  ) as [number, number, number, number];
  return Math.max(startB - endA, startA - endB);
}

/** What visits have in common, each of them once. */
type Common = { sources: Visit["source"][]; places: Visit["place"][]; technologies: Visit["technology"][] };
type PackedVisit = [
  visitor: number,
  hostname: string,
  common: number[],
  hits: [number, string, string | null][],
];

/** Days as they are kept in a file: a line of what visits have in common, then a line for each day. */
export function packDays(days: readonly SampleDay[]): unknown[] {
  const common: Common = { sources: [], places: [], technologies: [] };
  const find = <T>(list: T[], value: T) => {
    const known = list.findIndex((each) => isDeepStrictEqual(each, value));
    return known === -1 ? list.push(value) - 1 : known;
  };
  const lines = days.map(({ date, visits }) => ({
    date,
    visits: visits.map(({ visitor, hostname, source, place, technology, hits }): PackedVisit => {
      const { sources, places, technologies } = common;
      const indexes = [find(sources, source), find(places, place), find(technologies, technology)];
      return [visitor, hostname, indexes, hits.map(({ at, path, event }) => [at, path, event])];
    }),
  }));
  return [common, ...lines];
}

export function unpackDays([common, ...days]: readonly unknown[]): SampleDay[] {
  const { sources, places, technologies } = common as Common;
  return (days as { date: string; visits: PackedVisit[] }[]).map(({ date, visits }) => ({
    date,
    visits: visits.map(([visitor, hostname, [source = -1, place = -1, technology = -1], hits]) => ({
      visitor,
      hostname,
      source: get(sources, source),
      place: get(places, place),
      technology: get(technologies, technology),
      hits: hits.map(([at, path, event]) => ({ at, path, event })),
    })),
  }));
}

function get<T>(list: readonly T[], index: number): T {
  const found = list[index];
  if (found === undefined) throw new Error("The file of visits is damaged.");
  return found;
}
