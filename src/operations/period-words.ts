import * as z from "zod";
import { type AnalyticsError, createParameterError } from "../errors.ts";
import { addDays, type Days } from "./days.ts";

export const periodWords: readonly string[] = [
  "today",
  "yesterday",
  "this_week",
  "last_week",
  "last_weekend",
  "this_month",
  "last_month",
  "this_quarter",
  "last_quarter",
  "this_year",
  "last_year",
];

export const MONTHS = [
  ...["january", "february", "march", "april", "may", "june"],
  ...["july", "august", "september", "october", "november", "december"],
];
const WEEKDAYS = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];

/** All days with data. Whoever resolves it must know when they begin. */
const ALL = "all";

export const PERIOD_FORMS = `${periodWords.join(", ")}, ${ALL}, last_7_days (complete days, any number), october, october_2026 or oct, oct_3, monday or mon, since_monday or since_2026-11-01, 2026-11-15, 2026-W47, 2026-11, 2026-Q3, 2026, 2026-11-01/2026-11-15 or 2026-11-01/today`;

export const periodParam = () =>
  z
    .string()
    .min(1)
    .max(40)
    .optional()
    .describe(
      "Instead of days: today, yesterday, this_week, last_month, last_7_days (complete days), october, monday, all, 2026-11-15, 2026-11, 2026-Q3, 2026-11-01/2026-11-15.",
    );

/** No site has older data, and counting back from here stays within four-digit years. */
const FIRST_DAY = "1900-01-01";

/** Periods that cannot have begun. */
const FUTURE = /^(?:tomorrow|next_(?:day|week|weekend|month|quarter|year))$/;

const LAST_DAYS = /^last_([1-9]\d{0,3})_days$/;

/** What people in business call the period that has not ended: `ytd`. */
const TO_DATE = ["year", "quarter", "month", "week"];

/** `last-week`, `Last Week` and `lastweek` as `last_week`, `past 7 days` and `7d` as `last_7_days`, and `mtd` as `this_month`. */
export const normalizeWord = (text: string): string =>
  text
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, "_")
    .replace(/^(?:the_)?(?:(?:last|past)_?)?([1-9]\d{0,3})_?(?:d|days?)$/, "last_$1_days")
    .replace(/^(this|last)(?=[a-z])/, "$1_")
    .replace(/^all_?time$/, ALL)
    .replace(
      /^([yqmw])(?:td|(?:ear|uarter|onth|eek)_to_date)$/,
      (_, unit) => `this_${TO_DATE.find((name) => name.startsWith(unit))}`,
    );

/**
 * Resolves a period in words or ISO 8601 to days. Periods that have not ended stop today. A day, month, quarter or weekday
 * without a year is the last one that has begun, and a weekend is over. `last-week`, `Last Week` and `7d` are other spellings of `last_week` and
 * `last_7_days`. Throws AnalyticsError `invalid_parameter` for anything else, and for days in the future or before 1900.
 *
 * @param today The date at the site.
 * @param as The parameter to name in an error, and the forms that it takes; the first day with data, for `all`.
 */
export function resolvePeriod(
  period: string,
  today: string,
  as: { parameter?: string; forms?: string; since?: string | undefined } = {},
): Days {
  const { parameter = "period", forms = PERIOD_FORMS, since = today } = as;
  const createError = (detail: string) => createPeriodError(detail, parameter);
  const future = `must not be in the future: today at the site is ${today}`;
  const word = normalizeWord(period);
  if (FUTURE.test(word)) throw createError(future);
  const days = word === ALL ? { from: since, to: today } : resolveAny(word, period, today);
  if (days === undefined)
    throw createError(
      describeNoDay(period) ??
        describeHours(word) ??
        describeSeveral(word, period, today) ??
        `must be ${forms}`,
    );
  if (days.from > days.to) throw createError(`ends on ${days.to}, before it begins on ${days.from}`);
  if (days.to > today) throw createError(future);
  if (days.from < FIRST_DAY) throw createError(`must not begin before ${FIRST_DAY}`);
  return days;
}

/** Which of its days does not exist, such as 30 February. */
function describeNoDay(text: string): string | undefined {
  const dates = [...text.slice(0, 60).matchAll(/\b(\d{4})-(\d\d)-(\d\d)\b/g)];
  for (const [date, year = "", month = "", day] of dates) {
    const name = MONTHS[Number(month) - 1];
    const length = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
    if (name === undefined) return `has a day that does not exist: ${date}`;
    if (Number(day) > length || day === "00")
      return `has a day that does not exist: ${date} (${name[0]?.toUpperCase()}${name.slice(1)} ${year} has ${length} days)`;
  }
  return undefined;
}

const HOURS = /^(?:(?:the_)?(?:last|past)_)?\d{0,4}_?(?:h|hours?|minutes?)$/;

const describeHours = (word: string): string | undefined =>
  HOURS.test(word)
    ? "must be whole days, such as today, yesterday or last_2_days; timeseries by hour has their hours"
    : undefined;

/** What to write in place of what is read in two ways: `past 2 weeks`, `11/06/2026`. */
function describeSeveral(word: string, period: string, today: string): string | undefined {
  const dates = readNumbers(period);
  if (dates.length > 1) return `can be read as ${dates.join(" or as ")}: write the one that you mean`;
  const [, number = "1", unit] =
    /^(?:the_)?(?:(?:last|past|prev|previous)_?)?(?:([1-9]\d?)_?)?(week|month)s?$/.exec(word) ?? [];
  if (unit === undefined) return undefined;
  const count = Number(number);
  const end = addDays(startOf(unit, today), -1);
  const months = 12 * Number(end.slice(0, 4)) + Number(end.slice(5, 7)) - count;
  const from =
    unit === "week"
      ? addDays(end, 1 - 7 * count)
      : `${Math.floor(months / 12)}-${String((months % 12) + 1).padStart(2, "0")}-01`;
  return `must be last_${count * (unit === "week" ? 7 : 30)}_days, or ${from}/${end} for whole ${unit}s`;
}

/** Whether a text is a period, whatever the date. */
export function isPeriod(text: string): boolean {
  try {
    // Any date that is late enough for every period to be in the past.
    resolvePeriod(text, "9000-01-01");
    return true;
  } catch {
    return false;
  }
}

/** Refuses `days` with `period`. Takes the input before parsing, which fills in the default of `days`. */
export function assertNotDaysAndPeriod(isGiven: (name: string) => boolean): void {
  if (isGiven("days") && isGiven("period")) throw createPeriodError("cannot be combined with days");
}

/** Whether a period is all days with data. */
export const isAll = (period: string) => normalizeWord(period) === ALL;

const resolveAny = (word: string, period: string, today: string): Days | undefined =>
  resolveWord(word, today) ??
  resolveSince(word, period, today) ??
  resolveMonthDay(word, today) ??
  resolveIsoWeek(word, today) ??
  resolveWeekday(word, today) ??
  resolveMonth(word, today) ??
  resolveQuarter(word, today) ??
  resolveLastDays(word, today) ??
  resolveDates(period, today);

function resolveWord(word: string, today: string): Days | undefined {
  const [, which, unit = ""] = /^(this|last)_(week|month|quarter|year)$/.exec(word) ?? [];
  if (word === "today") return { from: today, to: today };
  if (word === "yesterday") return { from: addDays(today, -1), to: addDays(today, -1) };
  if (word === "last_weekend") {
    const monday = startOf("week", today);
    return { from: addDays(monday, -2), to: addDays(monday, -1) };
  }
  if (which === undefined) return undefined;
  const start = startOf(unit, today);
  if (which === "this") return { from: start, to: today };
  const end = addDays(start, -1);
  return { from: startOf(unit, end), to: end };
}

/** From the first day of a period until today: `since_monday`, `since 2026-11-01`. */
function resolveSince(word: string, period: string, today: string): Days | undefined {
  const [, rest] = /^since_(.+)$/.exec(word) ?? [];
  if (rest === undefined || rest.startsWith("since")) return undefined;
  const days = resolveAny(rest, period.trim().slice("since ".length).trim(), today);
  return days && { from: days.from, to: today };
}

/** A day by its month and number, in either order: `oct_3`, `3 October 2026`. */
function resolveMonthDay(word: string, today: string): Days | undefined {
  const [, before, name = "", after, year] =
    /^(?:(\d{1,2})_)?([a-z]+)(?:_(\d{1,2}))?(?:,?_(\d{4}))?$/.exec(word) ?? [];
  const [month, day] = [findName(MONTHS, name), before ?? after];
  if (month === undefined || day === undefined || (before && after)) return undefined;
  const dayIn = (year: number | string) =>
    `${year}-${String(month + 1).padStart(2, "0")}-${day.padStart(2, "0")}`;
  const thisYear = Number(today.slice(0, 4));
  const date = dayIn(year ?? (dayIn(thisYear) <= today ? thisYear : thisYear - 1));
  return isDate(date) ? { from: date, to: date } : undefined;
}

/** A week of ISO 8601, section 5.2.3: week 1 is the one with 4 January. */
export function resolveIsoWeek(word: string, today: string): Days | undefined {
  const [, year, week] = /^(\d{4})_?w(\d\d)$/.exec(word) ?? [];
  if (year === undefined || week === undefined) return undefined;
  const first = startOf("week", `${year}-01-04`);
  const from = addDays(first, 7 * (Number(week) - 1));
  // Its Thursday is in the year that it is counted in.
  if (week === "00" || !addDays(from, 3).startsWith(year)) return undefined;
  const to = addDays(from, 6);
  return { from, to: from <= today && today < to ? today : to };
}

/** The first day of the week (a Monday), month, quarter or year of a day. */
export function startOf(unit: string, day: string): string {
  const month = Number(day.slice(5, 7));
  if (unit === "week") return addDays(day, -((weekdayOf(day) + 6) % 7));
  if (unit === "year") return `${day.slice(0, 4)}-01-01`;
  const first = unit === "quarter" ? month - ((month - 1) % 3) : month;
  return `${day.slice(0, 4)}-${String(first).padStart(2, "0")}-01`;
}

/** The place in a list of the name that a word is, or begins with three letters or more. */
function findName(names: readonly string[], word: string): number | undefined {
  const index = word.length < 3 ? -1 : names.findIndex((name) => name.startsWith(word));
  return index === -1 ? undefined : index;
}

/** The last such day of the week, which may be today; with `last`, before today. */
export function resolveWeekday(word: string, today: string): Days | undefined {
  const [, last, name = ""] = /^(last_)?([a-z]+)$/.exec(word) ?? [];
  const weekday = findName(WEEKDAYS, name);
  if (weekday === undefined) return undefined;
  const ago = (weekdayOf(today) - weekday + 7) % 7;
  const day = addDays(today, -(last !== undefined && ago === 0 ? 7 : ago));
  return { from: day, to: day };
}

const weekdayOf = (day: string) => new Date(`${day}T00:00:00Z`).getUTCDay();

export function resolveMonth(word: string, today: string): Days | undefined {
  const [, name = "", year] = /^([a-z]+)(?:_(\d{4}))?$/.exec(word) ?? [];
  const month = findName(MONTHS, name);
  return month === undefined ? undefined : stopToday(startMonth(month, year, today), "month", today);
}

export function resolveQuarter(word: string, today: string): Days | undefined {
  const [, before, quarter, after] = /^(?:(\d{4})_?)?q([1-4])(?:_?(\d{4}))?$/.exec(word) ?? [];
  if (quarter === undefined || (before && after)) return undefined;
  return stopToday(startMonth(3 * (Number(quarter) - 1), before ?? after, today), "quarter", today);
}

/** The first day of a month, counted from 0. Without a year, of the last such month that has begun. */
function startMonth(month: number, year: string | undefined, today: string): string {
  const startIn = (year: number | string) => `${year}-${String(month + 1).padStart(2, "0")}-01`;
  if (year !== undefined) return startIn(year);
  const thisYear = Number(today.slice(0, 4));
  return startIn(startIn(thisYear) <= today ? thisYear : thisYear - 1);
}

/** A month or quarter from its first day on; one in progress ends today. */
function stopToday(from: string, unit: "month" | "quarter", today: string): Days {
  const to = endOf(unit, from);
  return { from, to: from <= today && today < to ? today : to };
}

/** Complete days, so the last of them is yesterday. */
function resolveLastDays(word: string, today: string): Days | undefined {
  const [, count] = LAST_DAYS.exec(word) ?? [];
  return count === undefined ? undefined : { from: addDays(today, -Number(count)), to: addDays(today, -1) };
}

function resolveDates(text: string, today: string): Days | undefined {
  const numbers = readNumbers(text);
  const parts = numbers.length > 0 ? numbers : text.split(BETWEEN_DATES);
  const [first, last] = [parts[0] ?? "", parts.at(-1) ?? ""].map((part) =>
    resolveDate(readNumbers(part)[0] ?? part.trim(), today),
  );
  const isOther = parts.length > 2 || numbers.length > 1;
  if (first === undefined || last === undefined || isOther) return undefined;
  // A month or year in progress ends today.
  const isInProgress = last.from !== last.to && last.from <= today && today < last.to;
  return { from: first.from, to: isInProgress ? today : last.to };
}

const BETWEEN_DATES = /\/|\.{2,3}|\s(?:to|until|through|-|–)\s/i;

/** The days that `2026/11/20`, `11/20/2026` or `20.11.2026` can be: with dots the day comes first, with slashes perhaps the month. */
function readNumbers(text: string): string[] {
  const isDay = (day: string) => /^\d{4}-\d\d-\d\d$/.test(day) && isDate(day);
  const [, first = "", mark, second = "", year] =
    /^(\d{1,2})([./])(\d{1,2})\2(\d{4})$/.exec(text.trim()) ?? [];
  if (year === undefined) return [text.trim().replaceAll("/", "-")].filter(isDay);
  const orders =
    mark === "."
      ? [[second, first]]
      : [
          [first, second],
          [second, first],
        ];
  const dates = orders.map((each) => [year, ...each.map((part) => part.padStart(2, "0"))].join("-"));
  return [...new Set(dates)].filter(isDate);
}

/** A day, a month or a year of ISO 8601, or a day by its name. */
function resolveDate(text: string, today: string): Days | undefined {
  const word = normalizeWord(text);
  if (word === "today" || word === "yesterday") return resolveWord(word, today);
  const [, year, month, day] = /^(\d{4})(?:-(\d\d?)(?:-(\d\d?))?)?$/.exec(text) ?? [];
  if (year === undefined) return undefined;
  const from = [year, ...[month, day].map((part = "01") => part.padStart(2, "0"))].join("-");
  if (!isDate(from)) return undefined;
  if (day !== undefined) return { from, to: from };
  return { from, to: month === undefined ? `${year}-12-31` : endOf("month", from) };
}

export const isDate = (day: string) => {
  const time = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().slice(0, 10) === day;
};

/** The last day of the month or quarter that begins on a day. */
function endOf(unit: "month" | "quarter", first: string): string {
  // Every month and quarter has fewer days, and the next one has more than what is left.
  const next = startOf(unit, addDays(first, unit === "month" ? 31 : 93));
  return addDays(next, -1);
}

export const createPeriodError = (detail: string, parameter = "period"): AnalyticsError =>
  createParameterError(parameter, detail);
