import { setImmediate } from "node:timers/promises";
import { AnalyticsError } from "../../errors.ts";
import type { Dimension } from "../../operations/dimensions.ts";
import { type Filter, formatFilter } from "../../operations/filter.ts";
import { countKept, type KeptCounts } from "../measure/count.ts";
import { createHitFilter, type KeptHits, listColumns } from "../measure/hit-filter.ts";
import type { HitDimension } from "../measure/hit-table.ts";
import { leaveOutPaths, type PathTable } from "../measure/leave-out.ts";
import type { DayCounts } from "./counting/day-counts.ts";
import { OutdatedDay } from "./store/day-files.ts";

/** A day of a query. */
export interface QueriedDay {
  date: string;
  /** Undefined if the logs have no line of it. */
  counts: DayCounts | undefined;
  /** Reads the hits of a day that is open. */
  readOpen?: (() => PathTable) | undefined;
}

/** What the hits of each day are for, and what can be asked without them. */
interface Purpose {
  needs: string;
  without: string;
}

export const FOR_FILTER: Purpose = { needs: "A filter needs", without: "without a filter" };
export const FOR_PATHS: Purpose = { needs: "--exclude-path needs", without: "without --exclude-path" };
export const FOR_STEPS: Purpose = {
  needs: "Steps need",
  without: "for each goal on its own, without a filter",
};
export const FOR_HOURS: Purpose = { needs: "Hours need", without: "by day, without a filter" };

export interface HitQuestion {
  days: readonly QueriedDay[];
  filter: Filter;
  /** The dimension whose values are counted. */
  dimension?: Dimension | undefined;
  /** What else is asked about hits: their dimensions are read. */
  steps?: Filter | undefined;
  /** Whether the hits of a path are left out; none are if absent. */
  isLeftOut?: ((path: string) => boolean) | undefined;
  purpose: Purpose;
  /**
   * Gets what the filter keeps of each part of a day. A visitor of a day is in one part alone.
   *
   * @param count Counts it, once for all who ask.
   */
  take(date: string, kept: KeptHits, count: () => KeptCounts): void;
  signal?: AbortSignal | undefined;
}

/** Asks about the hits of days. Rejects with AnalyticsError if those of a day cannot be read: the numbers would be too low. */
export type ReadHits = (question: HitQuestion) => Promise<void>;

/** A question that is not answered yet. */
interface Waiting extends HitQuestion {
  /** By date, the days that are still to be read. */
  left: Map<string, QueriedDay>;
  unread: Unread[];
  choose: (table: PathTable) => KeptHits;
  /** The same for the same filter. */
  key: string;
  resolve(): void;
  reject(error: unknown): void;
}

interface Unread {
  date: string;
  error: AnalyticsError;
}

/**
 * Creates a function that reads hits day by day, so that memory does not grow with the days. What is read of a day is for all
 * questions that wait for it: those of a page come at nearly the same time. Questions take turns in choosing the next day.
 */
export function createHitReader(): ReadHits {
  const waiting: Waiting[] = [];
  let isReading = false;
  const readAll = async () => {
    isReading = true;
    // What is asked in the same moment shares even the first day.
    await setImmediate();
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      waiting.push(next);
      const [day] = next.left.values();
      if (day !== undefined) await readDay(day, waiting);
      waiting.splice(0, Number.POSITIVE_INFINITY, ...waiting.filter((question) => !settle(question)));
    }
    isReading = false;
  };
  return (question) =>
    new Promise((resolve, reject) => {
      const { days, filter } = question;
      const left = new Map(days.filter(hasHits).map((day) => [day.date, day]));
      const key = JSON.stringify(formatFilter(filter));
      const choose = createChoice(question);
      waiting.push({ ...question, left, unread: [], choose, key, resolve, reject });
      if (!isReading) void readAll();
    });
}

/** Paths are left out before a filter chooses: what is left out is no hit. */
export function createChoice({
  filter,
  isLeftOut,
}: Pick<HitQuestion, "filter" | "isLeftOut">): (table: PathTable) => KeptHits {
  const choose = createHitFilter(filter);
  return isLeftOut === undefined ? choose : (table) => choose(leaveOutPaths(table, isLeftOut));
}

const hasHits = ({ counts, readOpen }: QueriedDay): boolean =>
  readOpen !== undefined ||
  (counts !== undefined && counts.damage === undefined && counts.totals.pageviews > 0);

/** Ends a question that is answered, or that nobody asks any more; false if there is more to read for it. */
function settle({ left, unread, purpose, signal, resolve, reject }: Waiting): boolean {
  if (signal?.aborted) reject(signal.reason);
  else if (left.size > 0) return false;
  else if (unread.length > 0) reject(createUnreadError(unread, purpose));
  else resolve();
  return true;
}

/** Reads a day for all who wait for it. */
async function readDay(day: QueriedDay, waiting: readonly Waiting[]): Promise<void> {
  const { date, counts, readOpen } = day;
  const asking = waiting.filter(({ left }) => left.get(date)?.counts === counts);
  const columns = new Set(
    asking.flatMap(({ filter, steps = [], dimension, isLeftOut }) => [
      ...listColumns([...filter, ...steps], dimension),
      ...(isLeftOut === undefined ? [] : (["pages"] as const)),
    ]),
  );
  try {
    for await (const table of listTables(day, [...columns])) {
      // Lets other calls go on, and the signals come.
      await setImmediate();
      // Where nothing will be answered, days are read only to name all whose hits cannot be.
      const answered = asking.filter(({ unread, signal }) => unread.length === 0 && !signal?.aborted);
      if (answered.length === 0) break;
      giveTable(date, table, answered);
    }
  } catch (error) {
    for (const { left, unread, reject } of asking) {
      if (error instanceof AnalyticsError) unread.push({ date, error });
      else {
        left.clear();
        reject(error);
      }
    }
  }
  if (readOpen === undefined && counts?.readHits === undefined) {
    for (const { unread, purpose } of asking) unread.push({ date, error: createNoHitsError(purpose) });
  }
  for (const { left } of asking) left.delete(date);
}

async function* listTables(
  { counts, readOpen }: QueriedDay,
  columns: readonly HitDimension[],
): AsyncGenerator<PathTable> {
  if (readOpen !== undefined) yield readOpen();
  else if (counts?.readHits !== undefined) {
    const { readHits } = await import("./store/read-hits.ts");
    yield* readHits(counts.readHits(), columns);
  }
}

function giveTable(date: string, table: PathTable, asking: readonly Waiting[]): void {
  const known = new Map<string, { kept: KeptHits; counts?: KeptCounts }>();
  for (const { key, choose, take } of asking) {
    const chosen: { kept: KeptHits; counts?: KeptCounts } = known.get(key) ?? { kept: choose(table) };
    known.set(key, chosen);
    take(date, chosen.kept, () => {
      chosen.counts ??= countKept(chosen.kept);
      return chosen.counts;
    });
  }
}

const createNoHitsError = ({ without }: Purpose) =>
  new AnalyticsError("usage", "Its hits could not be saved when it was closed.", {
    hint: `Choose other days, or ask ${without}.`,
  });

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
