import type { Dimension } from "../operations/dimensions.ts";
import type { Hit, Visit, Visits } from "./visits.ts";

export interface Totals {
  visitors: number;
  pageviews: number;
  events: number;
}

/** Of one value: its visitors, and its page views (or events, for the dimension `events`). */
export interface Tally {
  visitors: number;
  hits: number;
}

export type Tallies = Map<string | null, Tally>;

export interface Counts {
  /** Totals of a day, up to and including `until` seconds after midnight. */
  totals(date: string, until?: number): Totals;
  /** Tallies of a dimension over several days; `until` bounds the last of them. */
  tallies(dates: string[], dimension: Dimension, until?: number): Tallies;
  /** Distinct visitors with a hit after `after` and up to `until`, in seconds after midnight. */
  active(date: string, after: number, until: number): number;
}

/**
 * Counts over a site's visits. What is counted of a whole day is remembered, since a day that is over never
 * changes; a day in progress is counted anew each time, from its list.
 */
export function createCounts(visits: Visits, list: (date: string) => Visit[]): Counts {
  const totalsByDay = new Map<string, Totals>();
  const talliesByDay = new Map<string, Tallies>();

  const walk = (date: string, until: number | undefined, see: (visit: Visit) => void) =>
    until === undefined ? visits(date, see) : list(date).forEach(see);
  const totals: Counts["totals"] = (date, until) => {
    const count = () => {
      const { totals, see } = countTotals(until);
      walk(date, until, see);
      return totals;
    };
    return until === undefined ? remember(totalsByDay, date, count) : count();
  };
  const talliesOfDay = (date: string, dimension: Dimension, until: number | undefined) => {
    const count = () => {
      const { tallies, see } = countTallies(dimension, until);
      walk(date, until, see);
      return tallies;
    };
    return until === undefined ? remember(talliesByDay, `${dimension} ${date}`, count) : count();
  };
  return {
    totals,
    tallies: (dates, dimension, until) => {
      const sum: Tallies = new Map();
      for (const [index, date] of dates.entries()) {
        const isLast = index === dates.length - 1;
        for (const [value, tally] of talliesOfDay(date, dimension, isLast ? until : undefined)) {
          const known = sum.get(value);
          if (!known) sum.set(value, { ...tally });
          else {
            known.visitors += tally.visitors;
            known.hits += tally.hits;
          }
        }
      }
      return sum;
    },
    active: (date, after, until) => {
      const isActive = ({ at }: Hit) => at > after && at <= until;
      return new Set(list(date).flatMap(({ visitor, hits }) => (hits.some(isActive) ? [visitor] : []))).size;
    },
  };
}

function remember<T>(memory: Map<string, T>, key: string, count: () => T): T {
  let value = memory.get(key);
  if (value === undefined) {
    value = count();
    memory.set(key, value);
  }
  return value;
}

/** A visit's hits up to a second of the day. */
function hitsUntil({ hits }: Visit, until: number): Hit[] {
  const last = hits[hits.length - 1];
  return last === undefined || last.at <= until ? hits : hits.filter(({ at }) => at <= until);
}

function countTotals(until = Infinity) {
  const totals: Totals = { visitors: 0, pageviews: 0, events: 0 };
  let counted = 0;
  const see = (visit: Visit) => {
    const hits = hitsUntil(visit, until);
    if (hits.length > 0 && visit.visitor !== counted) {
      counted = visit.visitor;
      totals.visitors++;
    }
    const pageviews = countPageviews(hits);
    totals.pageviews += pageviews;
    totals.events += hits.length - pageviews;
  };
  return { totals, see };
}

function countTallies(dimension: Dimension, until = Infinity) {
  const tallies = new Map<string | null, Tally & { counted: number }>();
  const add = (value: string | null, visitor: number, hits: number) => {
    let tally = tallies.get(value);
    if (!tally) {
      tally = { visitors: 0, hits: 0, counted: 0 };
      tallies.set(value, tally);
    }
    tally.hits += hits;
    // A visitor's visits follow each other, so remembering the last visitor of a value is enough.
    if (tally.counted === visitor) return;
    tally.counted = visitor;
    tally.visitors++;
  };
  const valueOfVisit = visitDimensions[dimension];
  const see = (visit: Visit) => {
    const hits = hitsUntil(visit, until);
    if (hits.length === 0) return;
    if (valueOfVisit) return add(valueOfVisit(visit, hits), visit.visitor, countPageviews(hits));
    for (const hit of hits) {
      if (dimension === "events" && hit.event !== null) add(hit.event, visit.visitor, 1);
      if (dimension === "pages" && hit.event === null) add(hit.path, visit.visitor, 1);
    }
  };
  return { tallies, see };
}

function countPageviews(hits: Hit[]): number {
  let count = 0;
  for (const { event } of hits) {
    if (event === null) count++;
  }
  return count;
}

type ValueOfVisit = (visit: Visit, hits: Hit[]) => string | null;

/** The dimensions of which a visit has one value; `pages` and `events` are values of hits. */
const visitDimensions: Record<Dimension, ValueOfVisit | undefined> = {
  pages: undefined,
  entry_pages: (_, hits) => hits[0]?.path ?? null,
  exit_pages: (_, hits) => hits[hits.length - 1]?.path ?? null,
  hostnames: (visit) => visit.hostname,
  referrers: (visit) => visit.source.referrer,
  channels: (visit) => visit.source.channel,
  utm_sources: (visit) => visit.source.utm.source,
  utm_mediums: (visit) => visit.source.utm.medium,
  utm_campaigns: (visit) => visit.source.utm.campaign,
  utm_terms: (visit) => visit.source.utm.term,
  utm_contents: (visit) => visit.source.utm.content,
  countries: (visit) => visit.place.country,
  regions: (visit) => visit.place.region,
  cities: (visit) => visit.place.city,
  languages: (visit) => visit.place.language,
  devices: (visit) => visit.technology.device,
  browsers: (visit) => visit.technology.browser,
  operating_systems: (visit) => visit.technology.operating_system,
  events: undefined,
};
