import type { Dimension } from "../../operations/dimensions.ts";
import { type Filter, formatFilter } from "../../operations/filter.ts";
import type { VisitTotals } from "../data-source.ts";
import { createKeep, type Keep, type KeptVisit } from "./kept-visits.ts";
import { isHitDimension, pageViews, valueOfVisit } from "./visit-values.ts";
import { cutVisits, type Hit, type Visit, type Visits } from "./visits.ts";

export interface Totals extends VisitTotals {
  visitors: number;
  pageviews: number;
  events: number;
}

/**
 * The visitors of one value, and its page views; for the dimension `events`, its events. Single hits have pages and events:
 * their tallies have no visits.
 */
export interface Tally extends VisitTotals {
  visitors: number;
  hits: number;
}

export type Tallies = Map<string | null, Tally>;

/** An hour, without its events. */
export type HourCounts = Omit<Totals, "events">;

export interface Counts {
  /** Totals of a day, or of its first part up to and including `until`, in seconds after midnight. */
  totals(date: string, until?: number): Totals;
  /** The hours of a day that begin at `starts`, which are in seconds after midnight, as is `until`. */
  hours(date: string, starts: readonly number[], until?: number): HourCounts[];
  /** Tallies of a dimension over several days; `until` limits the last one. */
  tallies(dates: string[], dimension: Dimension, until?: number): Tallies;
  /** Distinct visitors with a hit in (`after`, `until`], in seconds after midnight. */
  active(date: string, after: number, until: number): number;
}

/** How many filters' totals a site caches: one question takes several requests with the same filter. */
const MAX_FILTERS = 32;

/** Counts a site's visits, or what a filter keeps of them. */
export function createCounts(visits: Visits): (filter?: Filter) => Counts {
  const all = createCountsOf(visits, createKeep([]), { cachesTallies: true });
  /** The least recently used first. */
  const filtered = new Map<string, Counts>();
  return (filter = []) => {
    if (filter.length === 0) return all;
    const key = JSON.stringify(formatFilter(filter));
    const counts = filtered.get(key) ?? createCountsOf(visits, createKeep(filter), { cachesTallies: false });
    filtered.delete(key);
    filtered.set(key, counts);
    for (const oldest of [...filtered.keys()].slice(0, -MAX_FILTERS)) filtered.delete(oldest);
    return counts;
  };
}

/**
 * Counts what is kept of a site's visits. The counts of a whole day are cached, since a day that is over never changes; a
 * day in progress (`until`) is counted each time. Tallies take too much memory to cache those of every filter.
 */
function createCountsOf(visits: Visits, keep: Keep, { cachesTallies }: { cachesTallies: boolean }): Counts {
  const knownTotals = new Map<string, Totals>();
  const knownTallies = new Map<string, Tallies>();
  /** What happens later does not exist yet: a visit is judged by its hits so far. */
  const keepUntil = (date: string, until: number) => keep(happenedBy(visits(date), until));

  const totals: Counts["totals"] = (date, until) => {
    if (until !== undefined) return countTotals(keepUntil(date, until));
    const known = knownTotals.get(date) ?? countTotals(keep(visits(date)));
    knownTotals.set(date, known);
    return known;
  };

  const talliesOfDay = (date: string, dimension: Dimension, until: number | undefined): Tallies => {
    if (until !== undefined) return countTallies(keepUntil(date, until), dimension);
    const key = `${dimension} ${date}`;
    const known = knownTallies.get(key);
    if (known) return known;
    const kept = keep(visits(date));
    const tallies = countTallies(kept, dimension);
    if (cachesTallies) knownTallies.set(key, tallies);
    // An answer needs the totals too, and making the visits takes longer than counting them.
    if (!knownTotals.has(date)) knownTotals.set(date, countTotals(kept));
    return tallies;
  };

  return {
    totals,
    hours: (date, starts, until) =>
      countHours(until === undefined ? keep(visits(date)) : keepUntil(date, until), starts),
    tallies: (dates, dimension, until) =>
      addUp(dates.map((date) => talliesOfDay(date, dimension, date === dates.at(-1) ? until : undefined))),
    active: (date, after, until) => {
      const active = keepUntil(date, until).filter(({ hits }) => hits.some(({ at }) => at > after));
      return new Set(active.map(({ visit }) => visit.visitor)).size;
    },
  };
}

function happenedBy(visits: Visit[], until: number): Visit[] {
  return cutVisits(visits, ({ at }) => at <= until);
}

function countHours(kept: KeptVisit[], starts: readonly number[]): HourCounts[] {
  const hours = starts.map(() => ({
    visitors: new Set<number>(),
    pageviews: 0,
    visits: 0,
    bounces: 0,
    visitSeconds: 0,
  }));
  const find = ({ at }: Pick<Hit, "at">) => hours[starts.findLastIndex((start) => start <= at)];
  for (const { visit, hits } of kept) {
    const [first] = visit.hits;
    const begun = first && find(first);
    if (begun) addVisit(begun, visit);
    for (const hit of hits) {
      const hour = find(hit);
      if (hour === undefined) continue;
      hour.visitors.add(visit.visitor);
      if (hit.event === null) hour.pageviews++;
    }
  }
  return hours.map(({ visitors, ...hour }) => ({ visitors: visitors.size, ...hour }));
}

function countTotals(kept: KeptVisit[]): Totals {
  const visitors = new Set<number>();
  const visits = { visits: 0, bounces: 0, visitSeconds: 0 };
  let [pageviews, events] = [0, 0];
  for (const { visit, hits } of kept) {
    visitors.add(visit.visitor);
    addVisit(visits, visit);
    for (const { event } of hits) {
      if (event === null) pageviews++;
      else events++;
    }
  }
  return { visitors: visitors.size, pageviews, events, ...visits };
}

/** A visit counts as a whole, whichever of its hits are kept. */
function addVisit(totals: VisitTotals, { hits }: Visit): void {
  totals.visits++;
  if (hits.length === 1) totals.bounces++;
  totals.visitSeconds += (hits.at(-1)?.at ?? 0) - (hits.at(0)?.at ?? 0);
}

function countTallies(kept: KeptVisit[], dimension: Dimension): Tallies {
  const tallies: Tallies = new Map();
  const visitors = new Map<Tally, Set<number>>();
  const find = (value: string | null, visitor: number): Tally => {
    let tally = tallies.get(value);
    if (tally === undefined) {
      tally = createTally();
      tallies.set(value, tally);
      visitors.set(tally, new Set());
    }
    visitors.get(tally)?.add(visitor);
    return tally;
  };
  for (const { visit, hits } of kept) {
    if (isHitDimension(dimension)) {
      for (const { path, event } of hits) {
        if ((event !== null) === (dimension === "events")) find(event ?? path, visit.visitor).hits++;
      }
    } else {
      const tally = find(valueOfVisit[dimension](visit), visit.visitor);
      tally.hits += pageViews(hits).length;
      addVisit(tally, visit);
    }
  }
  for (const [tally, { size }] of visitors) tally.visitors = size;
  return tallies;
}

const createTally = (): Tally => ({ visitors: 0, hits: 0, visits: 0, bounces: 0, visitSeconds: 0 });

/** Adds up days. Visitors are counted day by day, so their sum is right by definition. */
function addUp(days: Tallies[]): Tallies {
  const sums: Tallies = new Map();
  for (const day of days) {
    for (const [value, { visitors, hits, visits, bounces, visitSeconds }] of day) {
      const sum = sums.get(value) ?? createTally();
      sums.set(value, sum);
      sum.visitors += visitors;
      sum.hits += hits;
      sum.visits += visits;
      sum.bounces += bounces;
      sum.visitSeconds += visitSeconds;
    }
  }
  return sums;
}
