import { AnalyticsError } from "../errors.ts";
import { addDays, countDays } from "../operations/days.ts";
import type { Period } from "../operations/period.ts";
import { dateAt, formatInstant } from "./calendar.ts";
import type { SourceSite, Span } from "./data-source.ts";

/** A first and a last day, both included. */
export interface Days {
  from: string;
  to: string;
}

/**
 * The days that a question asks about: `from` and `to`, or else the `days` that end today. Throws AnalyticsError
 * `missing_parameter` or `invalid_parameter`, with the days that are possible.
 */
export function resolveSpan(
  { days, from, to }: { days: number } & { [name in keyof Days]?: string | undefined },
  { timezone }: SourceSite,
  daysKept: number,
  now: number,
): Days {
  const today = dateAt(now, timezone);
  if (from === undefined && to === undefined) return { from: addDays(today, 1 - days), to: today };
  if (from === undefined) throw refuse("from", "is required where to is given", "missing_parameter");
  if (to === undefined) throw refuse("to", "is required where from is given", "missing_parameter");
  if (to > today) throw refuse("to", `must not be in the future: today at the site is ${today}`);
  if (from > to) throw refuse("from", `must not be after to, which is ${to}`);
  const earliest = addDays(today, 1 - daysKept);
  if (from < earliest) throw refuse("from", `must not be before ${earliest}: nothing earlier is kept`);
  return { from, to };
}

/** `days` has a default, so that only what was given tells whether it was asked for beside `from` and `to`. */
export function refuseDaysWithSpan(isGiven: (name: string) => boolean): void {
  if (!isGiven("days") || !(isGiven("from") || isGiven("to"))) return;
  throw refuse("days", "and from, to cannot be used together");
}

export function buildPeriod({ site: { timezone }, from, to, now }: Span): Period {
  const today = dateAt(now, timezone);
  const partial = to === today;
  return {
    ...{ from, to, days: countDays(from, to), timezone, partial },
    complete_through: partial ? addDays(to, -1) : to,
    as_of: formatInstant(now, timezone),
  };
}

function refuse(
  parameter: keyof Days | "days",
  detail: string,
  code: "missing_parameter" | "invalid_parameter" = "invalid_parameter",
): AnalyticsError {
  return new AnalyticsError(code, `${parameter} ${detail}.`, {
    status: 400,
    parameters: [{ parameter, detail }],
  });
}
