import { addDays } from "../operations/days.ts";
import type { Warning } from "../operations/warning.ts";

/** In days: the default period of a query, which shows nothing of data that ended earlier. */
const LONG_AGO = 30;
const LAST_DAYS = 7;

/** Says that data has ended, and, if that was long ago, what its last days are. All dates are `YYYY-MM-DD`. */
export function warnOfEnd(
  source: "log" | "table",
  { first, last }: { first: string; last: string },
  today: string,
): Warning {
  const start = addDays(last, 1 - LAST_DAYS);
  const since = start > first ? start : first;
  const isLongAgo = last < addDays(today, -LONG_AGO);
  const offer = isLongAgo ? `, its last days are ${since}/${last}` : "";
  return {
    code: "stale",
    detail: `The ${source} ends on ${last}${offer}: what came later is missing, not zero.`,
    values: { data_until: last, ...(isLongAgo && { last_days_from: since }) },
  };
}

/** The values of a warning about some days: how many there are, the first and the last. */
export function describeDates(dates: readonly string[]): { days: number; from: string; to: string } {
  const [from = "", to = from] = [dates[0], dates.at(-1)];
  return { days: dates.length, from, to };
}
