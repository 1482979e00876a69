import type { Comparison } from "../../reports/compare.ts";
import type { ReportedOverview as Overview } from "../../reports/overview.ts";

/**
 * Structured content is checked once, before anything is drawn. Only complete answers of these two tools are drawn, because
 * a chart of a partial answer would be wrong.
 */
export type { Comparison, Overview };

type Shape = ((value: unknown) => boolean) | readonly [Shape] | { readonly [key: string]: Shape };

const isText = (value: unknown) => typeof value === "string";
const isFlag = (value: unknown) => typeof value === "boolean";
const isNumber = (value: unknown) => Number.isFinite(value);
const isCount = (value: unknown) => Number.isSafeInteger(value) && Number(value) >= 0;
const isDate =
  (form: RegExp, time = "") =>
  (value: unknown) =>
    typeof value === "string" && form.test(value) && !Number.isNaN(Date.parse(value + time));
const isDay = isDate(/^\d{4}-\d\d-\d\d$/, "T00:00:00Z");
const isInstant = isDate(/^\d{4}-\d\d-\d\dT/);
const isClock = (value: unknown) => typeof value === "string" && /^[012]\d:[0-5]\d$/.test(value);
const orNull = (shape: Shape) => (value: unknown) => value === null || fits(value, shape);
const orNone = (shape: Shape) => (value: unknown) => value === undefined || fits(value, shape);

const counts: [Shape] = [orNull(isCount)];
const series = { visitors: counts, pageviews: orNone(counts), visits: orNone(counts) };
const rate = orNone(orNull(isNumber));
const rates = { visits: orNone(isCount), bounce_rate: rate, views_per_visit: rate, seconds_per_visit: rate };
const countOrNull = orNone(orNull(isCount));
const counted = { visitors: countOrNull, pageviews: orNull(isCount) };
const days = { from: isDay, to: isDay };
const span = { ...days, ...counted, ...rates, visits: countOrNull };
const change = { absolute: orNull(isNumber), percent: orNull(isNumber) };
const perDay = { current: isNumber, previous: isNumber, change: isNumber, percent: orNull(isNumber) };
const totalsChange = {
  visitors: change,
  pageviews: change,
  visits: orNone(change),
  bounce_rate: orNone({ points: orNull(isNumber) }),
  views_per_visit: orNone(change),
  seconds_per_visit: orNone(change),
};
const totalsPerDay = orNone({ visitors: perDay, pageviews: perDay, visits: orNone(perDay) });
/** A label that is equal to its value is left out. */
const name = { label: orNone(isText), value: orNone(orNull(isText)) };
const bounds = { least: isCount, most: isCount };
const ends = { least: isNumber, most: isNumber };
/** Whose numbers they are. */
const subject = { site: { domain: isText }, filter: orNone([isText]) };

const overview: Shape = {
  ...subject,
  period: {
    ...days,
    days: isCount,
    timezone: orNone(isText),
    partial: orNone(isFlag),
    as_of: isInstant,
  },
  visitors: orNull(isCount),
  pageviews: orNull(isCount),
  events: countOrNull,
  ...rates,
  visits: countOrNull,
  active_now: orNone(isCount),
  comparison: orNull({
    previous: span,
    ...totalsChange,
    per_day: totalsPerDay,
    small_sample: isFlag,
  }),
  today: orNone({
    visitors: isCount,
    hours: orNone({ until: isClock, pageviews_until_then: isCount, yesterday_until_then: isCount }),
  }),
  trend: {
    ...series,
    from: isDay,
    partial: isFlag,
    // A model's answer has no times.
    hours: orNone({
      ...series,
      times: orNone([isInstant]),
    }),
    previous: orNone({ ...series, from: isDay, pageviews: counts }),
  },
  top: [
    {
      dimension: isText,
      no_period: orNone(isText),
      period: orNone(days),
      rows: [
        {
          ...name,
          visitors: orNone(isCount),
          pageviews: orNone(isCount),
          count: orNone(isCount),
          visitors_at_most: orNone(isCount),
          percentage: orNone(isNumber),
        },
      ],
    },
  ],
};

const comparison: Shape = {
  ...subject,
  timezone: orNone(isText),
  as_of: isInstant,
  current: span,
  previous: span,
  small_sample: isFlag,
  change: totalsChange,
  per_day: totalsPerDay,
  dimensions: [
    {
      dimension: isText,
      drift: isCount,
      cut_off: isFlag,
      movers: [
        {
          ...name,
          current: orNull(isCount),
          previous: orNull(isCount),
          change: orNull({ ...change, percent: orNone(change.percent) }),
          per_day: orNone(perDay),
          bounds: orNone({
            current: bounds,
            previous: bounds,
            change: orNone(ends),
            per_day: orNone({ current: ends, previous: ends, change: ends }),
          }),
        },
      ],
      more: { count: isCount, most: orNone(isCount), most_per_day: orNone(isNumber) },
    },
  ],
};

function fits(value: unknown, shape: Shape): boolean {
  if (typeof shape === "function") return shape(value);
  if (isList(shape)) return Array.isArray(value) && value.every((item) => fits(item, shape[0]));
  return isObject(value) && Object.entries(shape).every(([key, member]) => fits(value[key], member));
}

/** `Array.isArray` does not narrow a read-only list. */
const isList = (shape: Shape): shape is readonly [Shape] => Array.isArray(shape);

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isOverview(value: unknown): value is Overview {
  return fits(value, overview);
}

export function isComparison(value: unknown): value is Comparison {
  return fits(value, comparison);
}

/** The name of a row. */
export const nameRow = ({ label, value }: { label?: string; value: string | null }): string =>
  label ?? value ?? "";

/**
 * The notes for people, and how many of them must be seen; those for a model, if the host does not pass on the chart's own data.
 *
 * @param content Structured content, with that data.
 */
export function readNotes(content: unknown): [notes: string[], shown: number] {
  const { notes: own, notes_shown: shown, receipt } = isObject(content) ? content : {};
  const all = own ?? (isObject(receipt) ? receipt.notes : undefined);
  const notes = Array.isArray(all) ? all.filter(isText) : [];
  return [notes, own !== undefined && isCount(shown) ? Number(shown) : notes.length];
}
