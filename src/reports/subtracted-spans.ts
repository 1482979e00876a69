import { AnalyticsError, quote } from "../errors.ts";
import type { Call, CallOptions } from "../operations/call.ts";
import { addDays, countDays, type Days } from "../operations/days.ts";
import { MAX_DAYS } from "../operations/fields.ts";
import { breakdown, stats, timeseries } from "../operations/index.ts";
import type { AnswerOf, ParamsOf } from "../operations/operation.ts";
import { formatSpan, type Period } from "../operations/period.ts";
import { compareRows } from "../operations/row-order.ts";
import { sumPoints } from "../operations/timeseries.ts";
import {
  isBeforeData,
  listDates,
  NO_EVENTS,
  PERIOD_VISITORS,
  PROVISIONAL,
  rangeWarning,
  UNKNOWN_EVENTS,
  type Warning,
  warnOfSubtraction,
} from "../operations/warning.ts";
import { addsUp, missVisitors, NoSumsError, takeVisitors } from "./added-days.ts";
import { type Bounds, exact, exactly, subtract } from "./bounds.ts";
import { type CountedRows, countRows, createNoDaysError, indexRows } from "./counted-list.ts";
import { countInPlace, nameList, UnreachedError } from "./list-days.ts";
import { ROW_LIMIT } from "./windows.ts";

type Stats = AnswerOf<typeof stats>;
type Series = AnswerOf<typeof timeseries>;
type Breakdown = CountedRows;
type Row = Breakdown["rows"][number];

/** Complete days of a service that answers only for days until the last one. */
export interface PastSpan extends Days {
  site: string;
  /** The last day of its answers: usually today. */
  last: string;
  /** The days from `from` to the last one. */
  long: number;
  /** The days after `to`. */
  short: number;
}

type Measure = "events" | "pageviews";

interface RowRange {
  value: string | null;
  label: string;
  visitors: Bounds;
  /** Absent where a list does not say how many its rows have. */
  hits: Bounds | undefined;
}

/** The upper ends of a row that is known only as a range; its counts are the lower ends. */
type AtMost = Partial<Record<"visitors_at_most" | `${Measure}_at_most`, number>>;

const ATTEMPTS = 3;

/** How many days a service answers for, if it answers only for days that end today. */
export const readReach = async (call: Call, options: CallOptions): Promise<number> =>
  (await call.fitDays?.(timeseries, MAX_DAYS, options)) ?? MAX_DAYS;

/** Throws UnreachedError for days that a service does not reach. @param to As in that error. */
export function assertWithinReach(from: string, last: string, reach: number, to?: string): void {
  const earliest = addDays(last, 1 - reach);
  if (from < earliest) throw new UnreachedError(earliest, reach, to);
}

/** The most days that a service allows, as its refusal says it; undefined if an error is no such refusal. */
export function readMaximum(error: unknown): number | undefined {
  const refused = error instanceof AnalyticsError ? error.parameters : [];
  return refused.find(({ parameter }) => parameter === "days")?.maximum;
}

/** Cuts the span out of a series until today. Exact, because every day has its own point. */
export async function subtractSeries(call: Call, span: PastSpan, options: CallOptions): Promise<Series> {
  const series = await call(timeseries, { site: span.site, days: span.long }, options);
  assertCovers(series.period, span);
  return cutSeries(series, span);
}

/** Some days of a series that has all of them, with the warnings about them. */
export function cutSeries(series: Series, { from, to }: Days): Series {
  const { warnings: _, period, points, ...rest } = series;
  return {
    ...rest,
    period: cutPeriod(period, { from, to }),
    points: points.filter(({ date }) => date >= from && date <= to),
    ...joinWarnings(within({ from, to }, series), []),
  };
}

/** The warnings of an answer until today that are about days of the span, as far as they say which days they are about. */
export function within(
  { from, to }: Days,
  { warnings = [] }: { warnings?: Warning[] | undefined },
): Warning[] {
  return warnings.filter((warning) => {
    const { code, values = {} } = warning;
    const { data_until, data_since } = values;
    const { first, last } = readDays(warning);
    if (code === PERIOD_VISITORS) return from !== to;
    // What ended after the span does not matter to it.
    if (code === "stale") return typeof data_until !== "string" || data_until <= to;
    if (isBeforeData(warning)) return typeof data_since !== "string" || data_since > from;
    const isKnown = typeof first === "string" && typeof last === "string";
    return !isKnown || (first <= to && last >= from);
  });
}

/** The first and last day that a warning is about. A service may say only in words which days can still grow. */
function readDays({ code, detail, values = {} }: Warning): { first?: unknown; last?: unknown } {
  const { day, from, to } = values;
  if (day !== undefined) return { first: day, last: day };
  if (from !== undefined || code !== PROVISIONAL) return { first: from, last: to };
  const named = listDates(detail);
  return { first: named[0], last: named.at(-1) };
}

/**
 * Visitors, page views and visits from the series. Events are subtracted; if some arrived meanwhile, they are a range. Visitors
 * that do not add up are null.
 */
export async function subtractStats(call: Call, span: PastSpan, options: CallOptions): Promise<Stats> {
  const [canAdd, series, around] = await Promise.all([
    addsUp(call, span, options),
    subtractSeries(call, span, options),
    readAround(call, stats, { site: span.site }, span, options, ({ events }) => events).catch(skipDays),
  ]);
  const events = around && subtractEvents(around.before.events, around.whole.events, around.after.events);
  const isEarly = series.warnings?.some(isBeforeData);
  if (!isEarly && series.points.every(({ missing }) => missing)) throw createMissingDaysError(span);
  const { visitors, pageviews, ...visits } = sumPoints(series.points);
  const warnings = within(span, around?.whole ?? series);
  return {
    site: series.site,
    period: series.period,
    ...keepFilter(series),
    visitors: canAdd ? visitors : null,
    pageviews,
    ...(events && { events: events.least }),
    ...visits,
    ...joinWarnings(
      canAdd ? warnings : missVisitors(warnings),
      events === undefined
        ? await explainNoEvents(call, span, around, options)
        : exact(events) === null
          ? [warnOfSubtraction({ events: events.least, events_at_most: events.most })]
          : [],
    ),
  };
}

/** Why there are no events: a service may have none of any days, or only of other numbers of days. */
async function explainNoEvents(
  call: Call,
  { site, long }: PastSpan,
  around: Record<string, Stats> | undefined,
  options: CallOptions,
): Promise<Warning[]> {
  // Answers without events say so themselves.
  if (around) return Object.values(around).some(({ events }) => events !== undefined) ? [UNKNOWN_EVENTS] : [];
  const days = await call.fitDays?.(stats, long, options);
  const totals = days && (await call(stats, { site, days }, options).catch(skipDays));
  return [totals && totals.events === undefined ? NO_EVENTS : UNKNOWN_EVENTS];
}

/** A service that does not answer for these days at all has no events of them; its series has the rest. */
function skipDays(error: unknown): undefined {
  const isAboutDays =
    error instanceof AnalyticsError && error.parameters.some(({ parameter }) => parameter === "days");
  if (!isAboutDays) throw error;
}

/** The error for days of which there is no number: their sum would be a zero that nobody counted. */
const createMissingDaysError = ({ from, to }: Days) =>
  new AnalyticsError("bad_answer", `The service has no numbers of ${formatSpan({ from, to })}.`, {
    hint: "They are missing, which does not mean that nobody came. Ask for days that it has.",
  });

/** The events of a span; undefined from a service without events. */
function subtractEvents(before?: number, whole?: number, after?: number): Bounds | undefined {
  if (before === undefined || whole === undefined || after === undefined) return undefined;
  const events = subtract(exactly(whole), { least: before, most: after });
  if (events.most < 0) throw createContradictionError("events");
  return atLeastZero(events);
}

/**
 * The rows of days that end before today: those of the longer span minus those of the days after. The days after are read
 * before and after the longer span, so what arrived meanwhile makes a row a range, never a guess. So does a list that the
 * service cut off.
 *
 * Rows have no visits: their rates would be quotients of ranges.
 */
export async function subtractBreakdown(
  call: Call,
  span: PastSpan,
  { dimension, limit }: Pick<ParamsOf<typeof breakdown>, "dimension" | "limit">,
  options: CallOptions,
  summary = subtractStats(call, span, options),
): Promise<Breakdown> {
  const params = { site: span.site, dimension, limit: ROW_LIMIT };
  const findNearest = async () => {
    const count = countInPlace(span);
    return (await call.fitDays?.(breakdown, count, options)) ?? count;
  };
  const [totals, around] = await Promise.all([
    summary.then(async (given) => {
      if (given.visitors === null) throw new NoSumsError(await findNearest());
      return takeVisitors(given);
    }),
    readAround(call, breakdown, params, span, options, ({ rows }) => JSON.stringify(rows)).catch(
      nameList(dimension, span, "period"),
    ),
  ]);
  const [before, whole, after] = [countRows(around.before), countRows(around.whole), countRows(around.after)];
  const measure = dimension === "events" ? "events" : "pageviews";
  const [first, last] = [indexRows(before, measure), indexRows(after, measure)];
  const hasHits = [before, whole, after].every((list) => hasMeasure(list, measure));
  const { visitors, pageviews, events, visits, bounces, visit_seconds } = totals;
  const ranges = whole.rows.flatMap((row): RowRange[] => {
    // Visits of the days after may have been folded, or not.
    if (row.other) return [];
    const [early, late] = [first(row.value), last(row.value)];
    const less = (count: number, name: "visitors" | "hits") =>
      subtract(exactly(count), { least: early[name].least, most: late[name].most });
    const visitors = less(row.visitors, "visitors");
    const hits = hasHits ? less(row[measure] ?? 0, "hits") : undefined;
    if (visitors.most < 0 || (hits && hits.most < 0)) throw createContradictionError(quote(row.label));
    const { value, label } = row;
    return visitors.most === 0
      ? []
      : [{ value, label, visitors: atLeastZero(visitors), hits: hits && atLeastZero(hits) }];
  });
  const known = ranges.filter(({ visitors }) => visitors.least > 0).sort(compareRanges);
  const hidden = ranges.length - known.length;
  const isRange = known.some(
    ({ visitors, hits }) => exact(visitors) === null || (hits && exact(hits) === null),
  );
  return {
    site: totals.site,
    period: totals.period,
    ...keepFilter(totals),
    dimension: whole.dimension,
    rows: known.slice(0, limit).map((range) => buildRow(range, measure, visitors)),
    limit,
    total_rows: known.length,
    truncated: known.length > limit,
    totals: {
      visitors,
      pageviews,
      ...(measure === "events" && { events }),
      ...(visits !== undefined && { visits, bounces, visit_seconds }),
    },
    ...joinWarnings(totals.warnings, [
      ...(isRange ? [rangeWarning] : []),
      ...(whole.truncated ? [warnOfSubtraction({ row_limit: ROW_LIMIT })] : []),
      ...(hidden > 0 ? [warnOfSubtraction({ more_rows: hidden })] : []),
    ]),
  };
}

/**
 * Reads the days after a span before and after the longer span. Numbers of today only grow, so what the longer span has of
 * the days after lies between the two. Reads again if they differ, for numbers that are exact.
 */
async function readAround<O extends typeof stats | typeof breakdown>(
  call: Call,
  operation: O,
  params: Omit<ParamsOf<O>, "days">,
  { from, to, long, short }: PastSpan,
  options: CallOptions,
  read: (result: AnswerOf<O>) => unknown,
): Promise<Record<"before" | "whole" | "after", AnswerOf<O>>> {
  const { dimension } = params as { dimension?: string };
  const ask = async (days: number) => {
    const result = await call(operation, { ...params, days } as ParamsOf<O>, { ...options, fresh: true });
    // Only its answer may have told that its lists are of days of their own.
    if (result.period === undefined) throw createNoDaysError("period", dimension);
    // After midnight at the site, the same number of days means other days.
    if (result.period.from !== (days === long ? from : addDays(to, 1)))
      throw createContradictionError("the period");
    return result;
  };
  let before = await ask(short);
  for (let attempt = 1; ; attempt++) {
    const whole = await ask(long);
    const after = await ask(short);
    if (read(before) === read(after) || attempt === ATTEMPTS) return { before, whole, after };
    before = after;
  }
}

/** Whether a list says how many of a measure each of its rows has, and those that were cut off at most. */
const hasMeasure = ({ rows, truncated, totals }: Breakdown, measure: Measure) =>
  (!truncated || totals?.[measure] !== undefined) && rows.every((row) => row[measure] !== undefined);

function buildRow({ value, label, visitors, hits }: RowRange, measure: Measure, total: number): Row & AtMost {
  return {
    value,
    label,
    visitors: visitors.least,
    ...(hits && { [measure]: hits.least }),
    percentage: total === 0 ? 0 : Math.round((1000 * visitors.least) / total) / 10,
    ...(exact(visitors) === null && { visitors_at_most: visitors.most }),
    ...(hits && exact(hits) === null && { [`${measure}_at_most`]: hits.most }),
  };
}

const compareRanges = (a: RowRange, b: RowRange) => compareRows(leastOf(a), leastOf(b));
const leastOf = ({ value, visitors, hits }: RowRange) => ({
  value,
  visitors: visitors.least,
  hits: hits?.least ?? 0,
});

/** What is counted: all parts of a subtraction are asked for it, and each says so. */
const keepFilter = ({ filter }: { filter?: string[] | undefined }) => (filter ? { filter } : {});

const atLeastZero = ({ least, most }: Bounds): Bounds => ({ least: Math.max(0, least), most });

/** Some days of a period. */
export function cutPeriod<P extends Period>(period: P, { from, to }: Days): P {
  const days = { from, to, days: countDays(from, to) };
  const { partial, complete_through: _, ...rest } = period;
  // Whether the last day of the period is over may not be known; the days before it are.
  if (to === period.to && partial !== true) return { ...period, ...days };
  const isPartial = to === period.to;
  return { ...rest, ...days, partial: isPartial, complete_through: isPartial ? addDays(to, -1) : to } as P;
}

/** Throws AnalyticsError `bad_answer` if a period does not begin with the span, or the span does not end when it should. */
export function assertCovers(period: Series["period"], { from, to, long, short }: PastSpan): void {
  if (period.from === from && addDays(from, long - short - 1) === to) return;
  throw createContradictionError("the period");
}

export function joinWarnings(
  known: readonly Warning[] = [],
  own: readonly Warning[],
): { warnings?: Warning[] } {
  const warnings = [...known, ...own];
  return warnings.length > 0 ? { warnings } : {};
}

function createContradictionError(what: string): AnalyticsError {
  return new AnalyticsError("bad_answer", `The service's answers contradict each other: ${what}.`, {
    hint: "Nothing was shown, because the numbers could be wrong. Try again; if it keeps happening, contact the service's operator.",
  });
}
