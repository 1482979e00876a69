import { AnalyticsError } from "../errors.ts";
import type { Call, CallOptions } from "../operations/call.ts";
import { addDays, countDays, type Days } from "../operations/days.ts";
import { timeseries } from "../operations/index.ts";
import type { AnswerOf } from "../operations/operation.ts";
import { formatSpan } from "../operations/period.ts";
import {
  createPeriodError,
  isAll,
  isDate,
  normalizeWord,
  PERIOD_FORMS,
  resolveIsoWeek,
  resolveMonth,
  resolvePeriod,
  resolveQuarter,
  resolveWeekday,
} from "../operations/period-words.ts";
import { NOT_COMPARED, type Warning } from "../operations/warning.ts";
import { askSpan, type SitePeriod } from "./site-period.ts";

/** The days of a comparison. All of them are complete. */
export interface ComparedDays {
  current: Days;
  previous: Days;
}

const COMPARED_FORMS = PERIOD_FORMS.replace(", all,", ",");

/** `against` as if it were not given: other programs have a name for the days before. */
export const isPreceding = (against: string | undefined): boolean =>
  against === undefined ||
  /^(?:the_)?(?:previous|preceding|prior)(?:_(?:period|days))?$/.test(normalizeWord(against));

/** `against`: the days of a year before. */
const YEAR_BEFORE = "year_before";

/**
 * Resolves the two periods to compare: `period`, or else the last `days` complete days, with `against`, or else the days
 * before. An incomplete today is left out. A period that is going on is compared with the same days of the one before, also if
 * that is named: `this_week` with `last_week`. Throws AnalyticsError `invalid_parameter` for a period without a complete day.
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
  const preceding = precedingDays(period, current);
  if (against === undefined || isPreceding(against)) return { current, previous: preceding };
  if (normalizeWord(against) === YEAR_BEFORE) return { current, previous: daysOfYearBefore(period, current) };
  const as = { parameter: "against", forms: `${YEAR_BEFORE}, ${COMPARED_FORMS}` };
  const previous = resolveComplete(against, today, as);
  if (previous.from === current.from && previous.to === current.to)
    throw createPeriodError(`${against} is the period itself, ${formatSpan(current)}`, "against");
  const isGoingOn = addDays(current.to, 1) === today && resolvePeriod(period, today).to === today;
  const isOneBefore = previous.from === preceding.from && previous.to > preceding.to;
  return { current, previous: isGoingOn && isOneBefore ? preceding : previous };
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

/**
 * The days to compare a period with. Of months, quarters and years: those before, or the same days of them. Up to seven days:
 * the same weekdays of the week before. Otherwise as many days before it, which a single day has too, unless it was named by
 * its weekday or as a part of a week. A number of days that happens to be that of a month is not a month.
 *
 * @param days What the period resolved to, without an incomplete today.
 */
export function precedingDays(period: string, days: Days): Days {
  const word = normalizeWord(period);
  const months = countMonths(word, days);
  if (months !== undefined) return goBackMonths(days, months, months);
  const count = countDays(days.from, days.to);
  return goBack(days, count > 7 || (count === 1 && !isOfWeek(word, days.to)) ? count : 7);
}

/** Weeks that make up most of a year. */
const YEAR_OF_WEEKS = 52 * 7;

/** The days of a year before: of months, quarters and years the same dates, otherwise the same weekdays. */
function daysOfYearBefore(period: string, days: Days): Days {
  const months = countMonths(normalizeWord(period), days);
  return months === undefined ? goBack(days, YEAR_OF_WEEKS) : goBackMonths(days, months, 12);
}

const goBack = ({ from, to }: Days, days: number): Days => ({
  from: addDays(from, -days),
  to: addDays(to, -days),
});

/** Whether a period is named by a weekday or is a week, perhaps of a single day so far. */
function isOfWeek(word: string, day: string): boolean {
  const start = word.replace(/^since_/, "");
  return word === "this_week" || Boolean(resolveWeekday(start, day) ?? resolveIsoWeek(start, day));
}

/** How many months a period is of: a month, a quarter or a year, perhaps in progress, or whole months by their dates. */
function countMonths(word: string, { from, to }: Days): number | undefined {
  if (word === "this_year" || word === "last_year" || word === from.slice(0, 4)) return 12;
  if (word === "this_quarter" || word === "last_quarter" || resolveQuarter(word, to)) return 3;
  if (word === "this_month" || word === "last_month" || resolveMonth(word, to)) return 1;
  if (word === normalizeWord(from.slice(0, 7))) return 1;
  const next = addDays(to, 1);
  const isWhole = from.endsWith("-01") && next.endsWith("-01") && /^\d{4}[_/]/.test(word);
  return isWhole ? monthOf(next) - monthOf(from) : undefined;
}

/** The days of a period of months, so many months before. Whole months are compared with whole ones, whatever their lengths. */
function goBackMonths({ from, to }: Days, months: number, back: number): Days {
  const start = addMonths(from, -back);
  const end = addDays(addMonths(from, months - back), -1);
  if (addDays(to, 1) === addMonths(from, months)) return { from: start, to: end };
  const same = back === 12 ? sameDate(to) : addDays(start, countDays(from, to) - 1);
  return { from: start, to: same < end ? same : end };
}

/** A year before. February 29 becomes February 28. */
function sameDate(day: string): string {
  const date = `${String(Number(day.slice(0, 4)) - 1).padStart(4, "0")}${day.slice(4)}`;
  return isDate(date) ? date : addDays(date, -1);
}

/** Months since the year 0. */
const monthOf = (day: string) => 12 * Number(day.slice(0, 4)) + Number(day.slice(5, 7)) - 1;

/** Adds months to the first day of one. */
function addMonths(first: string, months: number): string {
  const month = monthOf(first) + months;
  return `${String(Math.floor(month / 12)).padStart(4, "0")}-${String((month % 12) + 1).padStart(2, "0")}-01`;
}

/** Reads the days to compare with, if there are some. Those that the source does not reach are left out, and named. */
export async function readBefore(
  call: Call,
  at: Omit<SitePeriod, keyof Days>,
  days: Days | undefined,
  options: CallOptions,
): Promise<{ previous?: AnswerOf<typeof timeseries>; unreached: Warning[] }> {
  if (days === undefined) return { unreached: [] };
  try {
    return { previous: await askSpan(call, timeseries, {}, { ...at, ...days }, options), unreached: [] };
  } catch (error) {
    const isRefused =
      error instanceof AnalyticsError &&
      error.code === "invalid_parameter" &&
      error.parameters.some(({ parameter }) => parameter === "period");
    if (!isRefused) throw error;
    const detail = `Not compared with ${formatSpan(days)}: the source does not reach back so far.`;
    return { unreached: [{ code: NOT_COMPARED, detail, values: { from: days.from, to: days.to } }] };
  }
}
