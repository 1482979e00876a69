import { formatDuration } from "../../render/duration.ts";

/**
 * Formats numbers and days for a locale. Days are calendar days of the site and are formatted as given, without any
 * conversion of timezones.
 */
export type Format = ReturnType<typeof createFormat>;

export interface Span {
  from: string;
  to: string;
}

const decimals = (count: number): Intl.NumberFormatOptions => ({
  minimumFractionDigits: count,
  maximumFractionDigits: count,
});
const DAY: Intl.DateTimeFormatOptions = { day: "numeric", month: "short" };
const CLOCK: Intl.DateTimeFormatOptions = { hour: "numeric", minute: "2-digit" };

/** @param locale As the host gives it; if Intl does not know it, the browser's locale is used. */
export function createFormat(locale: string | undefined) {
  const tag = readLocale(locale);
  const number = (options: Intl.NumberFormatOptions) => new Intl.NumberFormat(tag, options);
  const date = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(tag, { ...options, timeZone: "UTC" });
  const formats = {
    count: number({}),
    ratio: number(decimals(2)),
    tick: number({ notation: "compact" }),
    signed: number({ signDisplay: "exceptZero" }),
    percent: number({ style: "percent", ...decimals(1) }),
    signedPercent: number({ style: "percent", signDisplay: "exceptZero", ...decimals(1) }),
    month: date({ month: "short" }),
    monthWithYear: date({ month: "short", year: "numeric" }),
    day: date(DAY),
    weekday: date({ weekday: "short", ...DAY }),
    moment: date({ weekday: "short", ...DAY, ...CLOCK }),
    rangeWithYear: date({ ...DAY, year: "numeric" }),
    clock: date(CLOCK),
  };
  return {
    count: (value: number) => formats.count.format(value),
    /** Ticks are round numbers, so the short form loses nothing. All have the same. */
    ticks: (values: number[]) =>
      values.map((Math.max(...values) < 100_000 ? formats.count : formats.tick).format),
    ratio: (value: number) => formats.ratio.format(value),
    duration: formatDuration,
    signed: (value: number) => withMinus(formats.signed.format(value)),
    percent: (value: number) => formats.percent.format(value / 100),
    signedPercent: (value: number) => withMinus(formats.signedPercent.format(value / 100)),
    /** The name of a day's month; of January, with the year. */
    month: (name: string) =>
      (name.slice(5, 7) === "01" ? formats.monthWithYear : formats.month).format(parseDay(name)),
    /** A day, or the time of day of an hour. */
    day: (name: string) => (isHour(name) ? formats.clock : formats.day).format(parseDay(name)),
    weekday: (name: string) => (isHour(name) ? formats.moment : formats.weekday).format(parseDay(name)),
    range: ({ from, to }: Span) => formats.day.formatRange(parseDay(from), parseDay(to)),
    rangeWithYear: ({ from, to }: Span) => formats.rangeWithYear.formatRange(parseDay(from), parseDay(to)),
    /** The time of day at the site, as it is written in the timestamp. */
    clock: (timestamp: string) => formats.clock.format(parseDay(timestamp)),
  };
}

/** Uses the real minus sign: it is as wide as the plus, and screen readers say "minus". */
const withMinus = (text: string) => text.replace("-", "−");

/** Whether a name is that of an hour, its first instant, and not of a day. */
export const isHour = (name: string | undefined) => name?.includes("T") === true;

const parseDay = (name: string) => Date.parse(isHour(name) ? `${name.slice(0, 19)}Z` : `${name}T00:00:00Z`);

function readLocale(locale: string | undefined): string | undefined {
  try {
    return Intl.getCanonicalLocales(locale?.replaceAll("_", "-"))[0];
  } catch {
    return undefined;
  }
}
