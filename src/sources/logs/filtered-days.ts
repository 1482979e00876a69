import { setImmediate } from "node:timers/promises";
import { AnalyticsError } from "../../errors.ts";
import type { Dimension } from "../../operations/dimensions.ts";
import type { Filter } from "../../operations/filter.ts";
import type { DayTotals, HourTotals } from "../data-source.ts";
import { countKept } from "../measure/count.ts";
import { createHitFilter, listColumns } from "../measure/hit-filter.ts";
import type { HitDimension, HitTable } from "../measure/hit-table.ts";
import { createHourCounts } from "../measure/hour-counts.ts";
import type { Tallies } from "../measure/tallies.ts";
import type { DayCounts } from "./counting/day-counts.ts";
import { OutdatedDay } from "./store/day-files.ts";

/** A day of a query. */
export interface QueriedDay {
  date: string;
  /** Undefined if the logs have no line of it. */
  counts: DayCounts | undefined;
  /** Reads the hits of a day that is open. */
  readOpen?: (() => HitTable) | undefined;
}

/** What to count beside totals. */
export interface Counted {
  dimension: Dimension;
  /** Gets the values of each part of a day. A visitor of a day is in one part alone. */
  take: (tallies: Tallies) => void;
}

/** Counts what a filter keeps, day by day. Throws as `forEachTable` does. */
export async function countFiltered(
  days: readonly QueriedDay[],
  filter: Filter,
  { dimension, take }: Partial<Counted> = {},
  signal?: AbortSignal,
): Promise<DayTotals[]> {
  const choose = createHitFilter(filter);
  const columns = listColumns(filter, dimension);
  const counted = new Map(
    days.map(({ date }) => [
      date,
      { visitors: 0, pageviews: 0, events: 0, visits: 0, bounces: 0, visitSeconds: 0 },
    ]),
  );
  const add = (table: HitTable, date: string) => {
    const found = countKept(choose(table));
    const totals = counted.get(date);
    if (totals) for (const name of TOTALS) totals[name] += found.totals[name];
    const tallies = dimension && found.tally(dimension);
    if (tallies !== undefined) take?.(tallies);
  };
  await forEachTable(days, columns, add, FOR_FILTER, signal);
  return [...counted].map(([date, totals]) => ({ date, ...totals }));
}

const TOTALS = ["visitors", "pageviews", "events", "visits", "bounces", "visitSeconds"] as const;

/**
 * Counts the hours of days: of everything, or of what a filter keeps. Throws as `forEachTable` does.
 *
 * @param starts When the hours begin, in milliseconds since 1970.
 */
export async function countHours(
  days: readonly QueriedDay[],
  filter: Filter,
  starts: readonly number[],
  signal?: AbortSignal,
): Promise<HourTotals[]> {
  const choose = createHitFilter(filter);
  const hours = createHourCounts(starts.map((start) => start / 1000));
  await forEachTable(days, listColumns(filter), (table) => hours.add(choose(table)), FOR_HOURS, signal);
  return starts.map((start, index) => ({ start, ...hours.read(index) }));
}

/** What the hits of each day are for, and what can be asked without them. */
interface Purpose {
  needs: string;
  without: string;
}

const FOR_FILTER: Purpose = { needs: "A filter needs", without: "without a filter" };
const FOR_HOURS: Purpose = { needs: "Hours need", without: "by day, without a filter" };

/**
 * Reads the hits of days one after the other, so that memory does not grow with the days. Throws AnalyticsError if those of a
 * day cannot be read: without them, the numbers would be too low.
 */
async function forEachTable(
  days: readonly QueriedDay[],
  columns: readonly HitDimension[],
  take: (table: HitTable, date: string) => void,
  purpose: Purpose,
  signal: AbortSignal | undefined,
): Promise<void> {
  const unread: Unread[] = [];
  for (const day of days) {
    try {
      for await (const table of listTables(day, columns, purpose)) {
        // Lets other calls go on, and the signal come.
        await setImmediate();
        signal?.throwIfAborted();
        // Nothing will be answered: the rest is read only to name all days whose hits cannot be.
        if (unread.length > 0) break;
        take(table, day.date);
      }
    } catch (error) {
      if (signal?.aborted || !(error instanceof AnalyticsError)) throw error;
      unread.push({ date: day.date, error });
    }
  }
  if (unread.length > 0) throw createUnreadError(unread, purpose);
}

async function* listTables(
  { counts, readOpen }: QueriedDay,
  columns: readonly HitDimension[],
  purpose: Purpose,
): AsyncGenerator<HitTable> {
  if (readOpen !== undefined) yield readOpen();
  else if (counts !== undefined && counts.totals.pageviews > 0) {
    if (counts.readHits === undefined) throw createNoHitsError(purpose);
    const { readHits } = await import("./store/read-hits.ts");
    yield* readHits(counts.readHits(), columns);
  }
}

const createNoHitsError = ({ without }: Purpose) =>
  new AnalyticsError("usage", "Its hits could not be saved when it was closed.", {
    hint: `Choose other days, or ask ${without}.`,
  });

interface Unread {
  date: string;
  error: AnalyticsError;
}

/** How many days are named. */
const MAX_NAMED = 5;

/** Says the hits of which days cannot be read, and why. */
function createUnreadError(unread: readonly Unread[], { needs }: Purpose): AnalyticsError {
  const named = unread.slice(0, MAX_NAMED).map(({ date, error }) => `${date}: ${error.message}`);
  const others = unread.length > named.length ? `; and ${unread.length - named.length} more days` : "";
  // A file that was removed may have been replaced: then asking again helps.
  const cause = (
    unread.find(({ error }) => error instanceof OutdatedDay) ??
    unread.find(({ error }) => error.code === "unavailable") ??
    unread[0]
  )?.error;
  return new AnalyticsError(
    cause?.code ?? "unavailable",
    `${needs} the hits of each day, and some cannot be read. ${named.join("; ")}${others}`,
    { hint: cause?.hint, cause },
  );
}
