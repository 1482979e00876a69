import type { KeptHits } from "./hit-filter.ts";
import type { HitTotals } from "./tallies.ts";

/** An hour, without its events. */
export type HourCounts = Omit<HitTotals, "events">;

/** Hours in order. They begin at `starts`, in seconds since 1970. */
export type HourTally = Readonly<Record<"starts" | keyof HourCounts, readonly number[]>>;

/**
 * Counts hits by hour. A visitor counts once in each hour, a visit in the hour in which it begins.
 *
 * @param starts When the hours begin, in the seconds of the tables, in order. Each ends where the next one begins, the last one never.
 */
export function createHourCounts(starts: readonly number[]) {
  const create = () => new Float64Array(starts.length);
  const counts = {
    visitors: create(),
    pageviews: create(),
    visits: create(),
    bounces: create(),
    visitSeconds: create(),
  };
  const find = createHourFinder(starts);
  /** By hour, the visitor who was counted last. */
  const last = new Uint32Array(starts.length);
  /** Adds the kept rows, and returns by visit whether it has any. */
  const addRows = ({ table, isKept, visits }: KeptHits): Uint8Array => {
    const hasKept = new Uint8Array(visits.count);
    last.fill(0);
    for (let row = 0; row < table.length; row++) {
      if (isKept?.[row] === 0) continue;
      hasKept[visits.ofRow[row] ?? 0] = 1;
      const hour = find(table.times[row] ?? 0);
      const visitor = table.visitors[row] ?? 0;
      if (visitor !== last[hour]) increase(counts.visitors, hour, 1);
      last[hour] = visitor;
      if (table.events[row] === 0) increase(counts.pageviews, hour, 1);
    }
    return hasKept;
  };
  return {
    /** Adds what is kept of a table, which has all hits of its visitors. */
    add: (kept: KeptHits): void => {
      const { table, visits } = kept;
      const hasKept = addRows(kept);
      for (let visit = 0; visit < visits.count; visit++) {
        if (hasKept[visit] === 0) continue;
        const hour = find(table.times[visits.first[visit] ?? 0] ?? 0);
        increase(counts.visits, hour, 1);
        increase(counts.bounces, hour, visits.bounces[visit] ?? 0);
        increase(counts.visitSeconds, hour, visits.seconds[visit] ?? 0);
      }
    },
    /** Adds hours that were counted before; nothing, and returns false, if they are others. */
    addHours: (tally: HourTally): boolean => {
      const first = starts.indexOf(tally.starts[0] ?? Number.NaN);
      if (first < 0 || tally.starts.some((start, index) => start !== starts[first + index])) return false;
      for (const [name, column] of Object.entries(counts)) {
        // The names are those of `counts`.
        for (const [index, count] of tally[name as keyof typeof counts].entries())
          increase(column, first + index, count);
      }
      return true;
    },
    read: (hour: number): HourCounts => ({
      visitors: counts.visitors[hour] ?? 0,
      pageviews: counts.pageviews[hour] ?? 0,
      visits: counts.visits[hour] ?? 0,
      bounces: counts.bounces[hour] ?? 0,
      visitSeconds: counts.visitSeconds[hour] ?? 0,
    }),
  };
}

const increase = (counts: Float64Array, index: number, by: number) => {
  counts[index] = (counts[index] ?? 0) + by;
};

/** Creates a function that finds the hour of an instant. It is fast for instants near the one before. */
function createHourFinder(starts: readonly number[]): (time: number) => number {
  let found = 0;
  return (time) => {
    while (found > 0 && time < (starts[found] ?? 0)) found--;
    while (found + 1 < starts.length && time >= (starts[found + 1] ?? 0)) found++;
    return found;
  };
}
