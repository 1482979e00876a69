import { addDays, countDays, type Days, listDays } from "../../operations/days.ts";
import { NEAR, type Warning } from "../../operations/warning.ts";
import { dateAt } from "../calendar.ts";
import { listPossibleToday, readWritten } from "./answer-dates.ts";
import { namesOf } from "./json-pointer.ts";
import type { Cells } from "./read-record.ts";
import { isAside, splitName } from "./words.ts";

/** What a service's series says of a day. */
export interface ServiceDay {
  date: string;
  visitors: number;
  pageviews: number;
}

/** The days that an answer to `days` covers. */
export interface ServiceWindow {
  from: string;
  to: string;
  days: number;
  /** Whether the last day is not over; undefined if that cannot be known. */
  partial: boolean | undefined;
}

export interface WindowQuery {
  days: number;
  /** The dates that the series names, ascending. */
  dates: readonly string[];
  timezone: string | undefined;
  /** Milliseconds since 1970. */
  now: number;
}

/**
 * Lists the days that the last day of an answer can be, ascending. A series of as many days as were asked for ends with its
 * last one; one that leaves out days without traffic may also leave out the last ones, and days may end today or yesterday.
 */
export function listEnds({ days, dates, timezone, now }: WindowQuery): string[] {
  const [first, last] = [dates[0], dates.at(-1)];
  const possible = listToday(now, timezone);
  const [earliest = ""] = possible;
  const ends = [addDays(earliest, -1), ...possible];
  if (first === undefined || last === undefined) return ends;
  if (countDays(first, last) === days) return [last];
  return ends.filter((to) => to >= last && addDays(to, 1 - days) <= first);
}

const FIRST = [
  "from",
  "start",
  "since",
  "begin",
  "date from",
  "start date",
  "from date",
  "date start",
  "period start",
  "date 1",
];
const LAST = ["to", "end", "until", "date to", "end date", "to date", "date end", "period end", "date 2"];

/** The days that an answer says it covers; undefined if it names none, or if they cannot be read without a timezone. */
export function findStatedDays(cells: Cells): Days | undefined {
  const find = (words: readonly string[]) => {
    const folded = words.map((word) => splitName(word).join(""));
    const days = [...cells].flatMap(([pointer, cell]) => {
      const names = namesOf(pointer);
      const isNamed = folded.includes(splitName(names.at(-1) ?? "").join(""));
      const written = isNamed && !isAside(names) ? readWritten(cell) : undefined;
      return written !== undefined && "date" in written ? [written.date] : [];
    });
    return new Set(days).size === 1 ? days[0] : undefined;
  };
  const [from, to] = [find(FIRST), find(LAST)];
  return from !== undefined && to !== undefined && from <= to ? { from, to } : undefined;
}

/** The dates that it can be now: one, if the timezone is known. */
const listToday = (now: number, timezone: string | undefined): string[] =>
  timezone === undefined ? listPossibleToday(now) : [dateAt(now, timezone)];

/** Some days until a last one. Undefined if that is a day to come. */
export function createWindow(
  to: string,
  { days, timezone, now }: Omit<WindowQuery, "dates">,
): ServiceWindow | undefined {
  const possible = listToday(now, timezone);
  if (to > (possible.at(-1) ?? "")) return undefined;
  return { from: addDays(to, 1 - days), to, days, partial: findPartial(to, possible) };
}

/** Whether a day is not over, where today may be one of several dates. */
function findPartial(to: string, possible: readonly string[]): boolean | undefined {
  if (to < (possible[0] ?? "")) return false;
  // No answer is about days to come, so the last of these dates is today if there is an answer about it.
  return to === possible.at(-1) ? true : undefined;
}

/** A day of an answer. */
interface AnsweredDay extends ServiceDay {
  missing?: true;
  partial?: true;
}

/**
 * All days of a window. A day that the series leaves out is a day without anybody only inside the series, and only if the page
 * views of all days are the total's; otherwise it is missing.
 *
 * @param total The page views of the whole window; undefined if they are not known.
 * @param since The first day with data, if days are before it; null if there is none yet.
 */
export function fillDays(
  window: ServiceWindow,
  points: readonly ServiceDay[],
  total: number | undefined,
  since?: string | null,
): { days: AnsweredDay[]; warnings: Warning[] } {
  const byDate = new Map(points.map((point) => [point.date, point]));
  const [first = "", last = ""] = [points[0]?.date, points.at(-1)?.date];
  const isComplete = total === sumOf(points, "pageviews");
  const isZero = (date: string) => isComplete && date > first && date < last;
  const all = listDays(window.from, window.to);
  const isBefore = (date: string) => since === null || (since !== undefined && date < since);
  const left = all.filter((date) => !byDate.has(date) && !isBefore(date));
  const missing = left.filter((date) => !isZero(date));
  const days = all.map((date): AnsweredDay => {
    const known = byDate.get(date) ?? { date, visitors: 0, pageviews: 0 };
    const isMissing = isBefore(date) || missing.includes(date);
    const isPartial = window.partial === true && date === window.to;
    return { ...known, ...(isMissing && { missing: true }), ...(isPartial && { partial: true }) };
  });
  const zeros = left.length - missing.length;
  return {
    days,
    warnings: [
      ...(zeros > 0
        ? [near(`The service leaves out days without page views: ${countOf(zeros)} here, shown as 0.`)]
        : []),
      ...(missing.length > 0 ? [warnOfMissing(missing)] : []),
    ],
  };
}

const countOf = (days: number) => (days === 1 ? "1 day" : `${days} days`);

/** The same code as a gap in a source of this machine, and what it is about. */
function warnOfMissing(missing: readonly string[]): Warning {
  const [from = "", to = ""] = [missing[0], missing.at(-1)];
  const which = missing.length === 1 ? from : `${missing.length} days from ${from} to ${to}`;
  return {
    code: "gap",
    detail: `The service's series has no number for ${which}: missing, not zero.`,
    values: { from, to, days: missing.length },
  };
}

export const sumOf = (points: readonly ServiceDay[], field: "visitors" | "pageviews"): number =>
  points.reduce((sum, point) => sum + point[field], 0);

/** A warning that something is not quite what the contract means by it. */
export const near = (detail: string): Warning => ({ code: NEAR, detail });
