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
