import { addDays } from "../operations/days.ts";
import type { Warning } from "../operations/period.ts";

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
  const offer =
    last < addDays(today, -LONG_AGO) ? `, its last days are ${start > first ? start : first}/${last}` : "";
  return {
    code: "stale",
    detail: `The ${source} ends on ${last}${offer}: what came later is missing, not zero.`,
  };
}
