import type { Call, CallOptions } from "../operations/call.ts";
import { countCovered, isStop } from "../operations/covered-days.ts";
import type { Days } from "../operations/days.ts";
import { sites, type timeseries } from "../operations/index.ts";
import { type Note, note } from "../operations/note.ts";
import type { AnswerOf } from "../operations/operation.ts";
import { formatSpan } from "../operations/period.ts";
import {
  FOLDED_FILTER,
  isBeforeData,
  isGap,
  readDataStart,
  readDate,
  type Warning,
} from "../operations/warning.ts";
import type { Alike, Change, PerDay, Window } from "./windows.ts";

/** What a reader must know about the days of a comparison that have no data. */
export interface Coverage {
  /** Whether the site had data on all days of both windows. */
  comparable: boolean;
  /** The first day with data, if a window reaches it; null if there is no data at all. */
  data_since?: string | null | undefined;
  /** The last day with data, if it ended before a window did. */
  data_until?: string | undefined;
  /** Why a window lacks data, if not because of its beginning. */
  incomplete?: string | undefined;
}

/** Warnings that some of its days are incomplete, or were counted by different rules. */
const UNLIKE = new Set([
  "incomplete",
  "partial_first_day",
  "late",
  "definition",
  "damaged_history",
  "unread_input",
  FOLDED_FILTER,
]);

/** The first day with data of a site, by its id. */
export type DataStarts = Pick<ReadonlyMap<string, string | null>, "get">;

/**
 * Returns the first day with data: of the site alone where that can be asked, because a service with an API of its own may need a
 * request for each site. Bypasses the cache, as all calls of a comparison do.
 */
export async function readDataStarts(call: Call, site: string, options: CallOptions): Promise<DataStarts> {
  if (call.readDataDays) {
    const { since } = await call.readDataDays(site, options);
    return { get: () => since };
  }
  const result = await call(sites, {}, { ...options, fresh: true });
  return new Map(
    result.sites.flatMap(({ id, data_since }) =>
      data_since === undefined ? [] : [[id, data_since] as const],
    ),
  );
}

/** Puts the earlier window first: a period may be compared with a later one. */
const orderWindows = <W extends Days>([a, b]: readonly [W, W]): [first: W, second: W] =>
  b.from < a.from ? [b, a] : [a, b];

type Series = AnswerOf<typeof timeseries>;

/**
 * Finds out which days of two windows have data, and so how they can be compared. The first day with data counts as one,
 * but there are then no percentages, because counting may have begun in the middle of it.
 *
 * @param series The series that the windows are cut from; the first one contains the first day of the earlier window.
 */
export function findCoverage(
  series: readonly [Series, ...Series[]],
  { current, previous }: { current: Window; previous: Window },
  starts: DataStarts,
): { coverage: Coverage; alike: Alike } {
  const warnings = series.flatMap((each) => each.warnings ?? []);
  const since = starts.get(series[0].site.id) ?? readDataStart(warnings);
  const [first] = orderWindows([previous, current]);
  const covered = {
    current: countCovered(current, since, warnings),
    previous: countCovered(previous, since, warnings),
  };
  const lacksDays = covered.current !== current.days || covered.previous !== previous.days;
  const isBefore = since === null || (since !== undefined && since >= first.from);
  // Without its date, it may be about any of the days.
  const isUnknown = since === undefined && warnings.some(isBeforeData);
  if (isBefore || isUnknown) {
    const coverage = { comparable: false, ...(isBefore && { data_since: since }) };
    const known = isUnknown ? { current: undefined, previous: undefined } : covered;
    return { coverage, alike: { comparable: false, lacksDays: lacksDays || isUnknown, covered: known } };
  }
  const unlike = warnings.find(({ code }) => UNLIKE.has(code));
  // A source that has stopped may have done so in the middle of its last day.
  const stopped = warnings.find((warning) => isStop(warning) && reaches(warning, [current, previous]));
  const gap = lacksDays ? warnings.find(isGap) : undefined;
  const reason = unlike ?? stopped ?? gap;
  const until = readDate(stopped?.values?.data_until);
  const coverage = reason
    ? { comparable: false, ...(until !== undefined && { data_until: until }), incomplete: reason.detail }
    : { comparable: true };
  return { coverage, alike: { comparable: !unlike && !stopped, lacksDays, covered } };
}

/** Whether data ended before one of the windows did, or on its last day. */
function reaches({ values }: Warning, windows: readonly Days[]): boolean {
  const until = readDate(values?.data_until);
  return until === undefined || windows.some(({ to }) => until <= to);
}

/** A window with its number of days with data, if some have none. */
export const markCovered = (window: Window, days: number | undefined): Window =>
  days === undefined || days === window.days ? window : { ...window, days_with_data: days };

/** Explains why a comparison has no percentages, or only averages. */
export function describeCoverage(
  { comparable, data_since, incomplete: reason }: Coverage,
  { current, previous }: { current: Counted; previous: Counted & { visitors?: number | null | undefined } },
  { sum, average }: { sum: Change; average: PerDay | undefined },
  filter: readonly string[] | undefined,
): { notes: Note[]; warnings: Note[] } {
  const [first, second] = orderWindows<Counted>([previous, current]);
  const isEarlier = first === previous;
  if (comparable) {
    const name = isEarlier ? "earlier" : "later";
    const visitors = filter ? "such visitors" : "visitors";
    const note = `The ${name} period had no ${visitors}, so there is no percentage.`;
    return { notes: previous.visitors === 0 ? [note] : [], warnings: [] };
  }
  const warn = (warning: Note) => ({ notes: [], warnings: [warning] });
  if (data_since === null) return warn("The site has no data yet, so there is nothing to compare.");
  const lacking = describeLack(first, second);
  const isPossible = sum.absolute !== null || average !== undefined;
  const without = average?.percent === null ? ", without a percentage" : "";
  const averages = `changes are of averages per day with data${without}`;
  if (reason !== undefined) {
    if (!isPossible) return warn(`${reason} So no change is given.`);
    if (lacking === undefined) return warn(`${reason} So no percentage is given.`);
    return warn(note`${reason} ${lacking}: ${averages}.`);
  }
  const start = describeStart(data_since, first);
  if (!isPossible) return warn(`${start}, so there is nothing to compare.`);
  if (lacking !== undefined) return warn(note`${start}. ${lacking}: ${averages}.`);
  const change = isEarlier ? "a rise is not growth" : "a fall is not a loss";
  return warn(`${start}, so the earlier period is incomplete: ${change}, and no percentage is given.`);
}

function describeStart(since: string | undefined, earlier: Counted): string {
  if (since === undefined) return `The site had no data yet on ${earlier.from}`;
  if (since > earlier.to)
    return `There is no data of ${formatSpan(earlier)}: the site's data begins on ${since}`;
  return `The site's data begins on ${since}, perhaps in the middle of the day`;
}

type Counted = Pick<Window, "from" | "to" | "days" | "days_with_data">;

/** Says of how many days there is data. */
function describeLack(earlier: Counted, later: Counted): ReturnType<typeof note> | undefined {
  const [first, second] = [earlier, later].map(({ days, days_with_data }) =>
    days_with_data === undefined ? undefined : note`${days_with_data} of its ${days} days`,
  );
  if (first === undefined) return second && note`The later period has data on ${second}`;
  return note`The earlier period has data on ${first}${second === undefined ? "" : note`, the later on ${second}`}`;
}
