import { addDays } from "../operations/days.ts";
import type { Dimension } from "../operations/dimensions.ts";
import type { AtMost } from "../operations/ranges.ts";
import { FOLDED_FILTER, type Warning } from "../operations/warning.ts";

/** In days: the default period of a query, which shows nothing of data that ended earlier. */
const LONG_AGO = 30;
const LAST_DAYS = 7;

/**
 * Says that data has ended, and, if that was long ago, what its last days are. All dates are `YYYY-MM-DD`.
 *
 * @param at When it ended, if that is known and was today.
 */
export function warnOfEnd(
  source: "log" | "table",
  { first, last }: { first: string; last: string },
  today: string,
  at?: Record<"time" | "timezone", string>,
): Warning {
  const start = addDays(last, 1 - LAST_DAYS);
  const since = start > first ? start : first;
  const isLongAgo = last < addDays(today, -LONG_AGO);
  const offer = isLongAgo ? `, its last days are ${since}/${last}` : "";
  return {
    code: "stale",
    detail: `The ${source} ends on ${last}${at ? ` at ${at.time} (${at.timezone})` : ""}${offer}: what came later is missing, not zero.`,
    values: { data_until: last, ...(at && { time: at.time }), ...(isLongAgo && { last_days_from: since }) },
  };
}

/** Says that a log is silent for much longer than it usually pauses. Takes when its last line was written. */
export function warnOfSilence({ day, time, timezone }: Record<"day" | "time" | "timezone", string>): Warning {
  return {
    code: "stale",
    detail: `The log's last line is of ${day} ${time} (${timezone}): what came later is missing, or nobody came.`,
    values: { data_until: day, time },
  };
}

/**
 * Says that a source keeps some values of these dimensions only as one row.
 *
 * @param label What the row is called.
 */
export function warnOfFolding(folded: readonly Dimension[], label: string): Warning {
  const names = folded.map((dimension) => dimension.replaceAll("_", " ")).join(", ");
  return {
    code: "folded",
    detail: `Visitors sent more different ${names} than are kept of a day: the rest is in one row, ${label}.`,
  };
}

/**
 * Says that values were folded on some days that may be those that a filter asks for.
 *
 * @param sums How many visitors all days have, where they add up.
 */
export function warnOfFilter(dates: readonly string[], sums?: { visitors: number } & AtMost): Warning {
  const where = dates.length === 1 ? dates[0] : `${dates.length} days from ${dates[0]} to ${dates.at(-1)}`;
  const { visitors = 0, visitors_at_most = visitors } = sums ?? {};
  const range = sums === undefined ? "" : ` In all, it keeps ${visitors} to ${visitors_at_most} visitors.`;
  return {
    code: FOLDED_FILTER,
    detail: `Values were folded on ${where} that may be those of the filter, so numbers can be higher.${range}`,
    values: { ...describeDates(dates), ...(sums && { visitors, visitors_at_most }) },
  };
}

/** The same of paths that people asked for in vain, and of the pages that led there. */
export const warnOfFoldedLinks = (): Warning => ({
  code: "folded",
  detail:
    "Visitors asked for more different paths, or from more different pages, than are kept of a day: the rest is in one row, (other), or has no referrer.",
});

/** In parts of all senders with a page view: more scanners than this are worth a look. */
const MANY_SCANNERS = 0.2;

/** Says that many senders were left out as scanners on some of the days; undefined if not. */
export function warnOfScanners(
  days: readonly { date: string; visitors: number; scanners: number }[],
): Warning | undefined {
  const many = days.filter(({ visitors, scanners }) => scanners > MANY_SCANNERS * (visitors + scanners));
  if (many.length === 0) return undefined;
  const dates = many.map(({ date }) => date);
  const scanners = many.reduce((sum, day) => sum + day.scanners, 0);
  const senders = many.reduce((sum, day) => sum + day.visitors + day.scanners, 0);
  const where = dates.length === 1 ? dates[0] : `${dates.length} days from ${dates[0]} to ${dates.at(-1)}`;
  return {
    code: "many_scanners",
    detail: `On ${where}, ${scanners} of ${senders} who viewed pages were left out as scanners: they asked for what only scanners ask for, or nearly all of their requests were refused.`,
    values: { ...describeDates(dates), scanners, senders },
  };
}

/** The values of a warning about some days: how many there are, the first and the last. */
export function describeDates(dates: readonly string[]): { days: number; from: string; to: string } {
  const [from = "", to = from] = [dates[0], dates.at(-1)];
  return { days: dates.length, from, to };
}
