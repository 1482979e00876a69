import { addDays, type Days } from "../operations/days.ts";
import { precedingDays, refusePeriod, resolvePeriod } from "../operations/period-words.ts";

/** The days of a comparison. All of them are complete. */
export interface ComparedDays {
  current: Days;
  previous: Days;
}

/** `against`: the same dates a year earlier. */
export const YEAR_BEFORE = "year_before";

/**
 * Resolves what to compare with what: `period`, or the last `days` complete days, and `against`, or the days before. An
 * incomplete today is left out. Throws AnalyticsError `invalid_parameter` for a period without a complete day.
 */
export function resolveCompared(
  {
    days,
    period = `last_${days}_days`,
    against,
  }: { days: number; period?: string | undefined; against?: string | undefined },
  today: string,
): ComparedDays {
  const current = withoutToday(resolvePeriod(period, today), period, today);
  if (against === undefined) return { current, previous: precedingDays(period, current) };
  if (against === YEAR_BEFORE)
    return { current, previous: { from: yearBefore(current.from), to: yearBefore(current.to) } };
  return { current, previous: withoutToday(resolvePeriod(against, today), against, today) };
}

function withoutToday(days: Days, period: string, today: string): Days {
  const complete = findComplete(days, today);
  if (complete) return complete;
  throw refusePeriod(`${period} has no complete day yet, so there is nothing to compare`);
}

/** The complete days of a span; undefined if it has none. */
export function findComplete({ from, to }: Days, today: string): Days | undefined {
  if (from === today) return undefined;
  return { from, to: to === today ? addDays(today, -1) : to };
}

/** February 29 becomes February 28. */
function yearBefore(day: string): string {
  const date = `${Number(day.slice(0, 4)) - 1}${day.slice(4)}`;
  return addDays(date, 0) === date ? date : addDays(date, -1);
}
