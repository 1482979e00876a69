import type { StepCounts } from "../../operations/call.ts";
import type { Dimension } from "../../operations/dimensions.ts";
import { type Filter, formatFilter } from "../../operations/filter.ts";
import { once } from "../../operations/schemas.ts";
import { countActive, countKept } from "../measure/count.ts";
import { createHitFilter, type KeptHits } from "../measure/hit-filter.ts";
import type { HitTable } from "../measure/hit-table.ts";
import { createHourCounts, type HourCounts } from "../measure/hour-counts.ts";
import { countSteps } from "../measure/steps.ts";
import type { HitTotals, Tallies } from "../measure/tallies.ts";
import { tabulateVisits } from "./visit-table.ts";
import type { Visit, Visits } from "./visits.ts";

export interface Counts {
  /** Totals of a day, or of its first part up to and including `until`, in seconds after midnight. */
  totals(date: string, until?: number): HitTotals;
  /** The hours of a day that begin at `starts`, which are in seconds after midnight, as is `until`. */
  hours(date: string, starts: readonly number[], until?: number): HourCounts[];
  /** The values of a dimension on a day; undefined if there is nothing. */
  tallies(date: string, dimension: Dimension, until?: number): Tallies | undefined;
  /** The visits of a day that took steps. */
  steps(date: string, steps: Filter, until?: number): StepCounts;
  /** Distinct visitors with a hit in (`after`, `until`], in seconds after midnight. */
  active(date: string, after: number, until: number): number;
}

/** Makes the table of a day, or of its first part. */
type ReadTable = (date: string, until?: number) => HitTable;

/**
 * How many hits of a site are kept, at about 200 bytes each: two months of the largest site, since a report asks for each list of
 * them by itself. A day counts as so many more, since an empty one takes memory too.
 */
const MAX_KEPT = 180_000;
const DAY_WEIGHT = 100;

/**
 * Tabulates visits, and keeps those of the latest days: one question takes several requests for the same days, and making visits takes
 * longer than counting them. Questions about a year would replace all that is kept by days that are not asked for again.
 */
function keepLatest(visits: Visits, mostHits: number): ReadTable {
  const days = new Map<string, { made: Visit[]; whole: () => HitTable; weight: number }>();
  let total = 0;
  const make = (date: string) => {
    const made = visits(date);
    const weight = made.reduce((sum, { hits }) => sum + hits.length, DAY_WEIGHT);
    const day = { made, whole: once(() => tabulateVisits(made)), weight };
    days.set(date, day);
    total += weight;
    while (total > mostHits) {
      const [first = ""] = [...days.keys()].sort();
      total -= days.get(first)?.weight ?? 0;
      days.delete(first);
    }
    return day;
  };
  return (date, until) => {
    const { made, whole } = days.get(date) ?? make(date);
    return until === undefined ? whole() : tabulateVisits(made, until);
  };
}

/** How many filters' totals a site caches, since an answer with rows needs the totals of its days too. */
const MAX_FILTERS = 32;

/** Counts a site's visits, or what a filter keeps of them. */
export function createCounts(visits: Visits, mostHits = MAX_KEPT): (filter?: Filter) => Counts {
  const read = keepLatest(visits, mostHits);
  const all = createCountsOf(read, [], { cachesTallies: true });
  /** The least recently used first. */
  const filtered = new Map<string, Counts>();
  return (filter = []) => {
    if (filter.length === 0) return all;
    const key = JSON.stringify(formatFilter(filter));
    const counts = filtered.get(key) ?? createCountsOf(read, filter, { cachesTallies: false });
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
function createCountsOf(
  read: ReadTable,
  filter: Filter,
  { cachesTallies }: { cachesTallies: boolean },
): Counts {
  const knownTotals = new Map<string, HitTotals>();
  const knownTallies = new Map<string, Tallies | undefined>();
  const choose = createHitFilter(filter);
  const keep = (date: string, until?: number): KeptHits => choose(read(date, until));

  return {
    totals: (date, until) => {
      if (until !== undefined) return countKept(keep(date, until)).totals;
      const known = knownTotals.get(date) ?? countKept(keep(date)).totals;
      knownTotals.set(date, known);
      return known;
    },
    hours: (date, starts, until) => {
      const hours = createHourCounts(starts);
      hours.add(keep(date, until));
      return starts.map((_, hour) => hours.read(hour));
    },
    tallies: (date, dimension, until) => {
      if (until !== undefined) return countKept(keep(date, until)).tally(dimension);
      const key = `${dimension} ${date}`;
      if (knownTallies.has(key)) return knownTallies.get(key);
      const { totals, tally } = countKept(keep(date));
      const tallies = tally(dimension);
      if (cachesTallies) knownTallies.set(key, tallies);
      // An answer needs the totals too, and making the visits takes longer than counting them.
      if (!knownTotals.has(date)) knownTotals.set(date, totals);
      return tallies;
    },
    steps: (date, steps, until) => countSteps(keep(date, until), steps),
    active: (date, after, until) => countActive(keep(date, until), after),
  };
}
