import type { Dimension } from "../../operations/dimensions.ts";
import type { PassingVisit } from "./day-visit.ts";
import type { Visits } from "./visits.ts";

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
 * changes; a day in progress is counted anew each time.
 */
export function createCounts(visits: Visits): Counts {
  const totalsByDay = new Map<string, Totals>();
  const talliesByDay = new Map<string, Tallies>();

  const totals: Counts["totals"] = (date, until) => {
    if (until !== undefined) return countTotals(visits, date, until);
    return remember(totalsByDay, date, () => countTotals(visits, date, Infinity));
  };
  const talliesOfDay = (date: string, dimension: Dimension, until: number | undefined) => {
    if (until !== undefined) return countTallies(visits, date, dimension, until).tallies;
    return remember(talliesByDay, `${dimension} ${date}`, () => {
      const { tallies, totals } = countTallies(visits, date, dimension, Infinity);
      totalsByDay.set(date, totals);
      return tallies;
    });
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
      const seen = new Set<number>();
      visits(date, (visit) => {
        for (let hit = 0; hit < visit.length; hit++) {
          if (visit.at(hit) > after && visit.at(hit) <= until) seen.add(visit.visitor);
        }
      });
      return seen.size;
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

/** How many of a visit's hits there were up to a second of the day. */
function countUntil(visit: PassingVisit, until: number): number {
  let count = visit.length;
  // All of a whole day count, and no time need be made.
  if (until === Infinity) return count;
  while (count > 0 && visit.at(count - 1) > until) count--;
  return count;
}

/** Totals of the visits that it is shown, each with how many of its hits count. */
function collectTotals() {
  const totals: Totals = { visitors: 0, pageviews: 0, events: 0 };
  let counted = 0;
  const see = (visit: PassingVisit, hits: number) => {
    if (hits > 0 && visit.visitor !== counted) {
      counted = visit.visitor;
      totals.visitors++;
    }
    const pageviews = Math.min(hits, visit.views);
    totals.pageviews += pageviews;
    totals.events += hits - pageviews;
  };
  return { totals, see };
}

function countTotals(visits: Visits, date: string, until: number): Totals {
  const { totals, see } = collectTotals();
  visits(date, (visit) => see(visit, countUntil(visit, until)));
  return totals;
}

/** The totals, too: to make the visits again takes longer than to count them. */
function countTallies(visits: Visits, date: string, dimension: Dimension, until: number) {
  const { totals, see } = collectTotals();
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
  visits(date, (visit) => {
    const hits = countUntil(visit, until);
    see(visit, hits);
    if (hits === 0) return;
    if (valueOfVisit) return add(valueOfVisit(visit, hits), visit.visitor, Math.min(hits, visit.views));
    for (let hit = 0; hit < hits; hit++) {
      const event = visit.event(hit);
      if (dimension === "events" && event !== null) add(event, visit.visitor, 1);
      if (dimension === "pages" && event === null) add(visit.path(hit), visit.visitor, 1);
    }
  });
  return { tallies, totals };
}

type ValueOfVisit = (visit: PassingVisit, hits: number) => string | null;

/** The dimensions of which a visit has one value; `pages` and `events` are values of hits. */
const visitDimensions: Record<Dimension, ValueOfVisit | undefined> = {
  pages: undefined,
  entry_pages: (visit) => visit.path(0),
  exit_pages: (visit, hits) => visit.path(hits - 1),
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
