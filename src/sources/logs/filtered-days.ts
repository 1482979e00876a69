import { setImmediate } from "node:timers/promises";
import { AnalyticsError } from "../../errors.ts";
import type { Dimension } from "../../operations/dimensions.ts";
import type { Filter } from "../../operations/filter.ts";
import type { DayTotals } from "../data-source.ts";
import type { DayCounts, Tallies } from "./counting/day-counts.ts";
import { countKept, createHitFilter, listColumns } from "./counting/hit-filter.ts";
import type { HitDimension, HitTable } from "./counting/hit-table.ts";
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

/**
 * Counts what a filter keeps, day by day, so that memory does not grow with the days. Throws AnalyticsError if the hits of a
 * day cannot be read: without them, the numbers would be too low.
 */
export async function countFiltered(
  days: readonly QueriedDay[],
  filter: Filter,
  { dimension, take }: Partial<Counted> = {},
  signal?: AbortSignal,
): Promise<DayTotals[]> {
  const choose = createHitFilter(filter);
  const columns = listColumns(filter, dimension);
  const unread: Unread[] = [];
  const counted: DayTotals[] = [];
  for (const day of days) {
    const totals = { visitors: 0, pageviews: 0, events: 0, visits: 0, bounces: 0, visitSeconds: 0 };
    try {
      for await (const table of listTables(day, columns)) {
        // Lets other calls go on, and the signal come.
        await setImmediate();
        signal?.throwIfAborted();
        // Nothing will be answered: the rest is read only to name all days whose hits cannot be.
        if (unread.length > 0) break;
        const found = countKept(choose(table), dimension);
        for (const name of TOTALS) totals[name] += found.totals[name];
        if (found.tallies !== undefined) take?.(found.tallies);
      }
    } catch (error) {
      if (signal?.aborted || !(error instanceof AnalyticsError)) throw error;
      unread.push({ date: day.date, error });
    }
    counted.push({ date: day.date, ...totals });
  }
  if (unread.length > 0) throw createUnreadError(unread);
  return counted;
}

const TOTALS = ["visitors", "pageviews", "events", "visits", "bounces", "visitSeconds"] as const;

async function* listTables(
  { counts, readOpen }: QueriedDay,
  columns: readonly HitDimension[],
): AsyncGenerator<HitTable> {
  if (readOpen !== undefined) yield readOpen();
  else if (counts !== undefined && counts.totals.pageviews > 0) {
    if (counts.readHits === undefined) throw createNoHitsError();
    const { readHits } = await import("./store/read-hits.ts");
    yield* readHits(counts.readHits(), columns);
  }
}

const createNoHitsError = () =>
  new AnalyticsError("usage", "Its hits could not be saved when it was closed.", {
    hint: "Choose other days, or ask without a filter.",
  });

interface Unread {
  date: string;
  error: AnalyticsError;
}

/** How many days are named. */
const MAX_NAMED = 5;

/** Says which days cannot be filtered, and why. */
function createUnreadError(unread: readonly Unread[]): AnalyticsError {
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
    `A filter needs the hits of each day, and some cannot be read. ${named.join("; ")}${others}`,
    { hint: cause?.hint, cause },
  );
}
