import { addDays, type Days } from "../operations/days.ts";
import {
  createPeriodError,
  daysOfYearBefore,
  isAll,
  normalizeWord,
  PERIOD_FORMS,
  precedingDays,
  resolvePeriod,
} from "../operations/period-words.ts";

/** The days of a comparison. All of them are complete. */
export interface ComparedDays {
  current: Days;
  previous: Days;
}

const COMPARED_FORMS = PERIOD_FORMS.replace(", all,", ",");

/** `against`: the days of a year before. */
const YEAR_BEFORE = "year_before";

/** How a comparison chooses its other days. */
export const AGAINST = `What to compare with: another period, or ${YEAR_BEFORE} (months and years with theirs, else the same weekdays). By default the days before: up to a week with the same weekdays; a month, quarter, year or weekday with the one before.`;

/**
 * Resolves the two periods to compare: `period`, or else the last `days` complete days, with `against`, or else the days
 * before. An incomplete today is left out. Throws AnalyticsError `invalid_parameter` for a period without a complete day.
 */
export function resolveCompared(
  {
    days,
    period = `last_${days}_days`,
    against,
  }: { days: number; period?: string | undefined; against?: string | undefined },
  today: string,
): ComparedDays {
  const current = resolveComplete(period, today, { parameter: "period", forms: COMPARED_FORMS });
  if (against === undefined) return { current, previous: precedingDays(period, current) };
  if (normalizeWord(against) === YEAR_BEFORE) return { current, previous: daysOfYearBefore(period, current) };
  const as = { parameter: "against", forms: `${YEAR_BEFORE}, ${COMPARED_FORMS}` };
  return { current, previous: resolveComplete(against, today, as) };
}

/** The complete days of a period. */
function resolveComplete(period: string, today: string, as: { parameter: string; forms: string }): Days {
  if (isAll(period)) {
    throw createPeriodError("cannot be all: there are no days before it to compare with", as.parameter);
  }
  const complete = findComplete(resolvePeriod(period, today, as), today);
  if (complete) return complete;
  throw createPeriodError(`${period} has no complete day yet, so there is nothing to compare`, as.parameter);
}

/** The complete days of a span; undefined if it has none. */
export function findComplete({ from, to }: Days, today: string): Days | undefined {
  if (from === today) return undefined;
  return { from, to: to === today ? addDays(today, -1) : to };
}
