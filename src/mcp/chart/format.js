// @ts-check

/**
 * Formats numbers and days for a locale. Days are calendar days of the site and are formatted as given, without any
 * conversion of timezones.
 * @typedef {ReturnType<typeof createFormat>} Format
 */

const DAY_MS = 86_400_000;

/** @param {string | undefined} locale as the host gives it; if Intl does not know it, the browser's locale is used */
export function createFormat(locale) {
  const tag = readLocale(locale);
  const number = (/** @type {Intl.NumberFormatOptions} */ options) => new Intl.NumberFormat(tag, options);
  const date = (/** @type {Intl.DateTimeFormatOptions} */ options) =>
    new Intl.DateTimeFormat(tag, { ...options, timeZone: "UTC" });
  const decimal = /** @type {const} */ ({ minimumFractionDigits: 1, maximumFractionDigits: 1 });
  const formats = {
    count: number({}),
    tick: number({ notation: "compact" }),
    signed: number({ signDisplay: "exceptZero" }),
    percent: number({ style: "percent", ...decimal }),
    signedPercent: number({ style: "percent", signDisplay: "exceptZero", ...decimal }),
    day: date({ day: "numeric", month: "short" }),
    weekday: date({ weekday: "short", day: "numeric", month: "short" }),
    range: date({ day: "numeric", month: "short" }),
    rangeWithYear: date({ day: "numeric", month: "short", year: "numeric" }),
    clock: date({ hour: "numeric", minute: "2-digit" }),
  };
  return {
    count: (/** @type {number} */ value) => formats.count.format(value),
    /** Ticks are round numbers, so the short form loses nothing. */
    tick: (/** @type {number} */ value) => (value < 100_000 ? formats.count : formats.tick).format(value),
    signed: (/** @type {number} */ value) => withMinus(formats.signed.format(value)),
    percent: (/** @type {number} */ value) => formats.percent.format(value / 100),
    signedPercent: (/** @type {number} */ value) => withMinus(formats.signedPercent.format(value / 100)),
    day: (/** @type {string} */ day) => formats.day.format(parseDay(day)),
    weekday: (/** @type {string} */ day) => formats.weekday.format(parseDay(day)),
    range: (/** @type {Span} */ { from, to }) => formats.range.formatRange(parseDay(from), parseDay(to)),
    rangeWithYear: (/** @type {Span} */ { from, to }) =>
      formats.rangeWithYear.formatRange(parseDay(from), parseDay(to)),
    /** The time of day at the site, as it is written in the timestamp. */
    clock: (/** @type {string} */ timestamp) =>
      formats.clock.format(Date.parse(`${timestamp.slice(0, 19)}Z`)),
  };
}

/** @typedef {{ from: string, to: string }} Span */

/** Uses the real minus sign: it is as wide as the plus, and screen readers say "minus". @param {string} text */
const withMinus = (text) => text.replace("-", "−");

const parseDay = (/** @type {string} */ day) => Date.parse(`${day}T00:00:00Z`);

/** @param {string} day @param {number} days */
export function addDays(day, days) {
  return new Date(parseDay(day) + days * DAY_MS).toISOString().slice(0, 10);
}

/** @param {string | undefined} locale */
function readLocale(locale) {
  try {
    return Intl.getCanonicalLocales(locale?.replaceAll("_", "-"))[0];
  } catch {
    return undefined;
  }
}
