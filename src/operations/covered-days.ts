import { countDays, type Days } from "./days.ts";
import { isBeforeData, isGap, readDataStart, readDate, type Warning } from "./warning.ts";

/** Whether a warning says that data has ended. */
export const isStop = ({ code }: Warning): boolean => code === "stale";

/** Whether a warning says that something could not be read: there may be data. */
export const isUnread = ({ code }: Warning): boolean => code === "unread_input";

/** How many days of a window have data; undefined if the warnings do not tell. */
export function countCovered(
  { from, to }: Days,
  since: string | null | undefined,
  warnings: readonly Warning[],
): number | undefined {
  if (since === null) return 0;
  const ends = warnings.filter(isStop).map(({ values }) => readDate(values?.data_until));
  if (ends.includes(undefined)) return undefined;
  const first = since !== undefined && since > from ? since : from;
  const last = ends.reduce<string>((end, until = end) => (until < end ? until : end), to);
  const missing = warnings.filter(isGap).map((gap) => countMissing(gap, { from, to }));
  if (missing.includes(undefined)) return undefined;
  return Math.max(0, countDays(first, last) - missing.reduce<number>((sum, days = 0) => sum + days, 0));
}

/** How many of some days have data, by the warnings of an answer about them; undefined if these do not tell. */
export function countDaysWithData(days: Days, warnings: readonly Warning[]): number | undefined {
  const since = readDataStart(warnings);
  const isBefore = warnings.some(isBeforeData);
  return isBefore && since === undefined ? undefined : countCovered(days, since, warnings);
}

/** How many days of a window a gap covers; undefined if that is not known. */
function countMissing({ values }: Warning, window: Days): number | undefined {
  const [from, to, days] = [readDate(values?.from), readDate(values?.to), values?.days];
  if (from === undefined || to === undefined || typeof days !== "number") return undefined;
  if (to < window.from || from > window.to) return 0;
  return from >= window.from && to <= window.to ? days : undefined;
}
