import type { Dimension } from "../../src/operations/dimensions.ts";
import type { CrawlerRequest } from "../../src/sources/demo/crawler-requests.ts";
import type { DeadLinkRequest } from "../../src/sources/demo/dead-link-requests.ts";
import type { Visit } from "../../src/sources/demo/visits.ts";
import { datesUntil, dayOf, hourShown, hoursOf, moveDate, startOf } from "./calendar.ts";
import { createIsAmong, readCondition } from "./conditions.ts";

/** A site as in its fixture, with the raw visits of each day: all that the oracle knows about it. */
export interface RawSite {
  id: string;
  domain: string;
  name: string;
  timezone: string;
  /** First day with data. */
  since: string | null;
  /** Day on which the site was added. */
  added: string;
  visits(date: string): Visit[];
  crawlers(date: string): CrawlerRequest[];
  deadLinks(date: string): DeadLinkRequest[];
}

interface Hit {
  visitor: number;
  visit: Visit;
  /** All hits of the visit up to now. */
  ofVisit: Hit[];
  instant: number;
  path: string;
  event: string | null;
}

/** Of the visits with a counted hit, each as a whole. */
export interface Visited {
  visits: number;
  bounces: number;
  visit_seconds: number;
}

/** Rows of pages and events have no visits. */
export interface Row extends Partial<Visited> {
  value: string | null;
  visitors: number;
  /** Page views, or how often the event happened. */
  hits: number;
}

export interface Totals extends Visited {
  visitors: number;
  pageviews: number;
  events: number;
}

export type Count = ReturnType<typeof createCount>;

/** Conditions on what is counted; none counts everything. */
type Filter = readonly string[];

/** So many hits are kept in memory, since making visits up takes longer than counting them. */
const MAX_HITS = 25_000;

/** The numbers of a site, each counted from the raw visits as the contract says. */
export function createCount(site: RawSite) {
  const known = new Map<string, unknown>();
  const read = new Map<string, Hit[]>();
  let size = 0;
  /** The counts of a day that is over are cached: they take long, and several queries need them. */
  const once = <T>(
    what: string,
    date: string,
    now: number,
    filter: Filter,
    compute: (hits: Hit[]) => T,
  ): T => {
    const isOver = startOf(moveDate(date, 1), site.timezone) <= now;
    const key = JSON.stringify([what, date, filter, isOver ? null : now]);
    if (!known.has(key)) known.set(key, compute(keepHits(hitsOf(date, now), filter)));
    return known.get(key) as T;
  };

  const hitsOf = (date: string, now: number) => {
    const key = `${date} ${now}`;
    const hits = read.get(key) ?? readDay(site, date, now);
    if (!read.has(key)) size += hits.length;
    if (size > MAX_HITS) {
      read.clear();
      size = hits.length;
    }
    read.set(key, hits);
    return hits;
  };

  const totalsOf = (date: string, now: number, filter: Filter = []) =>
    once("totals", date, now, filter, countTotals);
  const rowsOf = (date: string, now: number, dimension: Dimension, filter: Filter = []) =>
    once(dimension, date, now, filter, (hits) => countRows(hits, dimension));
  const today = (now: number) => dayOf(now, site.timezone);

  return {
    site,
    today,
    /** Today and the days before it, oldest first. */
    days: (now: number, days: number) => datesUntil(today(now), days),
    /** The same number of complete days, without today; and those that end so many days earlier. */
    completeDays: (now: number, days: number, earlier = 0) =>
      datesUntil(moveDate(today(now), -1 - earlier), days),
    /** Counts all of these dimensions day by day, so that each day of a busy site is read once. */
    readAhead: (now: number, days: number, dimensions: readonly Dimension[]) => {
      for (const date of datesUntil(today(now), days)) {
        totalsOf(date, now);
        for (const dimension of dimensions) rowsOf(date, now, dimension);
      }
    },
    /** Each day with its totals, today as far as it has gone. */
    series: (now: number, days: number, filter?: Filter) =>
      datesUntil(today(now), days).map((date) => ({ date, ...totalsOf(date, now, filter) })),
    /** Each hour of some days that has begun. */
    hours: (now: number, dates: readonly string[], filter: Filter = []) =>
      dates.flatMap((date) => {
        const nameOf = (instant: number) => hourShown(instant, site.timezone);
        const kept = keepHits(hitsOf(date, now), filter);
        const byHour = group(kept, ({ instant }) => nameOf(instant));
        const byBeginning = group(kept, ({ ofVisit }) =>
          nameOf(Math.min(...ofVisit.map(({ instant }) => instant))),
        );
        return hoursOf(date, site.timezone)
          .filter((start) => start <= now)
          .map((start) => {
            const { events: _, visitors, pageviews } = countTotals(byHour.get(nameOf(start)) ?? []);
            const begun = byBeginning.get(nameOf(start)) ?? [];
            return { start, visitors, pageviews, ...countVisits(begun) };
          });
      }),
    /** Sums over dates. */
    totals: (now: number, dates: readonly string[], filter?: Filter): Totals =>
      dates
        .map((date) => totalsOf(date, now, filter))
        .reduce((sum, day) => ({
          visitors: sum.visitors + day.visitors,
          pageviews: sum.pageviews + day.pageviews,
          events: sum.events + day.events,
          ...addVisits(sum, day),
        })),
    /** Sums over dates, in the contract's order. */
    rows: (now: number, dates: readonly string[], dimension: Dimension, filter?: Filter): Row[] => {
      const sums = new Map<string | null, Row>();
      for (const date of dates) {
        for (const { value, visitors, hits, ...visited } of rowsOf(date, now, dimension, filter)) {
          const sum = sums.get(value);
          sums.set(value, {
            value,
            visitors: (sum?.visitors ?? 0) + visitors,
            hits: (sum?.hits ?? 0) + hits,
            ...(isVisited(visited) && addVisits(sum, visited)),
          });
        }
      }
      return [...sums.values()].sort(
        (a, b) => b.visitors - a.visitors || b.hits - a.hits || compareCodePoints(a.value, b.value),
      );
    },
    /** When the next hit happens, if in the next three days. */
    nextHit: (now: number): number | undefined =>
      datesUntil(moveDate(today(now), 3), 4)
        .flatMap((date) => {
          const start = startOf(date, site.timezone);
          return site.visits(date).flatMap(({ hits }) => hits.map(({ at }) => start + at * 1000));
        })
        .sort((a, b) => a - b)
        .find((instant) => instant > now),
    /** Visitors with a hit in the five minutes up to now. */
    active: (now: number, filter: Filter = []) =>
      // Three dates, since the zone may have skipped the one before today.
      datesUntil(today(now), 3)
        .map((date) => {
          const kept = keepHits(readDay(site, date, now), filter);
          return countVisitors(kept.filter(({ instant }) => instant > now - 300_000 && instant <= now));
        })
        .reduce((sum, each) => sum + each),
  };
}

/** A day's raw visits up to now. A visit outside the day in its zone is an error. */
function readDay({ timezone, visits }: RawSite, date: string, now: number): Hit[] {
  const [start, end] = [startOf(date, timezone), startOf(moveDate(date, 1), timezone)];
  return visits(date).flatMap((visit) => {
    const ofVisit: Hit[] = [];
    for (const { at, path, event } of visit.hits) {
      const instant = start + at * 1000;
      if (at < 0 || instant >= end)
        throw new Error(`A visit of ${date} in ${timezone} happened on another day, at second ${at}.`);
      if (instant <= now) ofVisit.push({ visitor: visit.visitor, visit, ofVisit, instant, path, event });
    }
    return ofVisit;
  });
}

/** The hits that meet every condition, themselves or through their visit. */
function keepHits(hits: Hit[], filter: Filter): Hit[] {
  const tests = filter.map(createTest);
  return hits.filter((hit) => tests.every((isMet) => isMet(hit)));
}

function createTest(text: string): (hit: Hit) => boolean {
  const condition = readCondition(text);
  const isAmong = createIsAmong(condition);
  const has = (hit: Hit) => isAmong(readOwnValue(condition.dimension as Dimension, hit));
  return (hit) => (condition.ofVisit ? hit.ofVisit.some(has) : has(hit)) !== condition.isNot;
}

/** The value by which a condition judges a hit: every hit has a page, and a page view has no event. */
function readOwnValue(dimension: Dimension, hit: Hit): string | null {
  if (dimension === "pages") return hit.path;
  if (dimension === "events") return hit.event;
  return readValue(dimension, hit) ?? null;
}

function countTotals(hits: Hit[]): Totals {
  return {
    visitors: countVisitors(hits),
    pageviews: hits.filter(({ event }) => event === null).length,
    events: hits.filter(({ event }) => event !== null).length,
    ...countVisits(hits),
  };
}

function countRows(hits: Hit[], dimension: Dimension): Row[] {
  const valued = hits.map((hit) => ({ hit, value: readValue(dimension, hit) }));
  const byValue = group(
    valued.filter(({ value }) => value !== undefined),
    ({ value }) => value as string | null,
  );
  return [...byValue].map(([value, own]) => {
    const its = own.map(({ hit }) => hit);
    const isCounted = ({ event }: Hit) => (event !== null) === (dimension === "events");
    return {
      value,
      visitors: countVisitors(its),
      hits: its.filter(isCounted).length,
      ...(dimension !== "pages" && dimension !== "events" && countVisits(its)),
    };
  });
}

const countVisitors = (hits: Hit[]) => new Set(hits.map(({ visitor }) => visitor)).size;

/** The visits of these hits, with all hits that each has up to now. */
function countVisits(hits: Hit[]): Visited {
  const whole = [...group(hits, ({ visit }) => visit).values()].map(([one]) =>
    (one?.ofVisit ?? []).map(({ instant }) => instant),
  );
  return {
    visits: whole.length,
    bounces: whole.filter(({ length }) => length === 1).length,
    visit_seconds: whole.reduce((sum, all) => sum + (Math.max(...all) - Math.min(...all)) / 1000, 0),
  };
}

const isVisited = (counts: Partial<Visited>): counts is Visited => counts.visits !== undefined;

const addVisits = (sum: Partial<Visited> | undefined, more: Visited): Visited => ({
  visits: (sum?.visits ?? 0) + more.visits,
  bounces: (sum?.bounces ?? 0) + more.bounces,
  visit_seconds: (sum?.visit_seconds ?? 0) + more.visit_seconds,
});

/** The value of a row that a hit counts for: its own for pages and events, its visit's otherwise. */
function readValue(dimension: Dimension, hit: Hit): string | null | undefined {
  const { visit, ofVisit } = hit;
  const pages = ofVisit.filter(({ event }) => event === null);
  switch (dimension) {
    case "pages":
      return hit.event === null ? hit.path : undefined;
    case "events":
      return hit.event ?? undefined;
    case "entry_pages":
      return pages[0]?.path;
    case "exit_pages":
      return pages.at(-1)?.path;
    case "hostnames":
      return visit.hostname;
    case "referrers":
      return visit.source.referrer;
    case "channels":
      return visit.source.channel;
    case "utm_sources":
      return visit.source.utm.source;
    case "utm_mediums":
      return visit.source.utm.medium;
    case "utm_campaigns":
      return visit.source.utm.campaign;
    case "utm_terms":
      return visit.source.utm.term;
    case "utm_contents":
      return visit.source.utm.content;
    case "countries":
      return visit.place.country;
    case "regions":
      return visit.place.region;
    case "cities":
      return visit.place.city;
    case "languages":
      return visit.place.language;
    case "devices":
      return visit.technology.device;
    case "browsers":
      return visit.technology.browser;
    case "operating_systems":
      return visit.technology.operating_system;
  }
}

/** By code point, null last. */
export function compareCodePoints(a: string | null, b: string | null): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  const [left, right] = [[...a], [...b]].map((characters) =>
    characters.map((each) => each.codePointAt(0) ?? 0),
  );
  for (const [index, code] of (left ?? []).entries()) {
    const other = right?.[index] ?? -1;
    if (code !== other) return code - other;
  }
  return (left?.length ?? 0) - (right?.length ?? 0);
}

function group<T, K>(all: T[], keyOf: (each: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const each of all) {
    const own = groups.get(keyOf(each)) ?? [];
    own.push(each);
    groups.set(keyOf(each), own);
  }
  return groups;
}
