import { createParameterError } from "../errors.ts";
import { addDays, countDays, type Days } from "../operations/days.ts";
import type { FullPeriod } from "../operations/period.ts";
import { dateAt, formatInstant } from "./calendar.ts";
import type { SourceSite, Span } from "./data-source.ts";

/**
 * The days of a query: `from` and `to`, else the `days` that end today. Throws AnalyticsError `missing_parameter` or
 * `invalid_parameter`; the message names the possible days.
 */
export function resolveSpan(
  { days, from, to }: { days: number } & { [name in keyof Days]?: string | undefined },
  { timezone }: SourceSite,
  daysKept: number,
  now: number,
): Days {
  const today = dateAt(now, timezone);
  if (from === undefined && to === undefined) return { from: addDays(today, 1 - days), to: today };
  const code = "missing_parameter";
  if (from === undefined) throw createParameterError("from", "is required if to is given", { code });
  if (to === undefined) throw createParameterError("to", "is required if from is given", { code });
  if (to > today)
    throw createParameterError("to", `must not be in the future: today at the site is ${today}`);
  if (from > to) throw createParameterError("from", `must not be after to, which is ${to}`);
  const earliest = addDays(today, 1 - daysKept);
  if (from < earliest)
    throw createParameterError("from", `must not be before ${earliest}: nothing earlier is kept`);
  return { from, to };
}

/** Refuses `days` with `from` or `to`. Takes the input before parsing, which fills in the default of `days`. */
export function assertNotDaysAndSpan(isGiven: (name: string) => boolean): void {
  if (!isGiven("days") || !(isGiven("from") || isGiven("to"))) return;
  throw createParameterError("days", "cannot be combined with from or to");
}

export function buildPeriod({ site: { timezone }, from, to, now }: Span): FullPeriod {
  const today = dateAt(now, timezone);
  const partial = to === today;
  return {
    from,
    to,
    days: countDays(from, to),
    timezone,
    partial,
    complete_through: partial ? addDays(to, -1) : to,
    as_of: formatInstant(now, timezone),
  };
}
