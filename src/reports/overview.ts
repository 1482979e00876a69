import type { Call, CallOptions, DataDays } from "../operations/call.ts";
import type { Days } from "../operations/days.ts";
import type { Dimension } from "../operations/dimensions.ts";
import { breakdown, type DaysOperation, stats, timeseries } from "../operations/index.ts";
import { isAll, precedingDays } from "../operations/period-words.ts";
import { hasVisits, rateVisits, type WithVisits } from "../operations/visit-rates.ts";
import { NEAR, type Warning } from "../operations/warning.ts";
import { findComplete } from "./compared-days.ts";
import { compareTotals } from "./compared-totals.ts";
import { readDataStarts } from "./coverage.ts";
import { fitDefaultDays, type QueryOptions, readDataForDefault } from "./default-days.ts";
import { readOverviewHours } from "./overview-hours.ts";
import type { Overview } from "./overview-result.ts";
import { answerToday, askSpan, preparePeriod } from "./site-period.ts";
import { skipUnrecorded } from "./unrecorded.ts";

const TOP_ROWS = 10;

export interface OverviewParams {
  site: string;
  days: number;
  period?: string | undefined;
}

/**
 * Reads all parts for the same days: the complete days of the period, or today so far if it has none.
 *
 * @param dimensions The top lists, in order.
 */
export async function readOverview(
  call: Call,
  { site, days, period = `last_${days}_days` }: OverviewParams,
  options: QueryOptions,
  dimensions: readonly Dimension[],
): Promise<Overview> {
  const fresh = { ...options, fresh: true };
  const data = await readDataForDefault(call, site, options);
  const resolve = await preparePeriod(call, breakdown, site, period, options);
  const [answer, sinceDays] = await Promise.all([
    answerToday(call, site, fresh, (today, readActive) =>
      readParts(call, site, period, { today, readActive, dimensions, data, resolve }, fresh),
    ),
    readDataStarts(call, options),
  ]);
  const { series, previous, ...rest } = answer;
  if (previous === undefined) return { ...rest, comparison: null };
  const comparison = compareTotals(series, previous, sinceDays);
  return {
    ...rest,
    // Missing data does not mean that there were no visitors, so an incomplete span gets no line.
    ...(comparison.comparable && { trend: { ...rest.trend, previous: listCounts(previous.points) } }),
    comparison,
  };
}

/** Whether a warning is about missing data of today, whose numbers are shown beside the others. */
const isAboutEnd = ({ code }: Warning) => code === "stale";

function joinWarnings(...lists: readonly Warning[][]): Warning[] | undefined {
  const byText = new Map(lists.flat().map((warning) => [warning.detail, warning]));
  return byText.size === 0 ? undefined : [...byText.values()];
}

/** What only the rows of a list differ in, from a service with an API of its own. */
const isAboutRows = ({ code }: Warning) => code === NEAR;

interface Reading {
  today: string;
  /** Returns the visitors at this moment. */
  readActive: () => Promise<number>;
  dimensions: readonly Dimension[];
  /** From when to when there is data, if the query names no days. */
  data: DataDays | undefined;
  resolve: Awaited<ReturnType<typeof preparePeriod>>;
}

async function readParts(
  call: Call,
  site: string,
  period: string,
  { today, readActive, dimensions, data, resolve }: Reading,
  options: CallOptions,
) {
  const resolved = resolve(today);
  const fitted = fitDefaultDays(resolved.days, data, today);
  const { days: asked, warnings } = fitted;
  const complete = findComplete(asked, today);
  const shown = complete ?? asked;
  const ask = <O extends DaysOperation>(operation: O, days: Days) =>
    askSpan(call, operation, {}, { site, today, ...days }, options);
  const summary = ask(stats, shown);
  const [totals, active, series, previous, day, byHour, ...tops] = await Promise.all([
    summary,
    readActive(),
    ask(timeseries, shown),
    // Before the first day with data there is nothing to compare with.
    complete && !fitted.isShortened && !isAll(period)
      ? ask(timeseries, precedingDays(period, complete))
      : undefined,
    call(stats, { site, days: 1 }, options),
    readOverviewHours(call, { site, today, ...shown }, options),
    ...dimensions.map((dimension) =>
      askSpan(
        call,
        breakdown,
        { dimension, limit: TOP_ROWS },
        { site, today, ...shown },
        options,
        summary,
      ).catch(skipUnrecorded),
    ),
  ]);
  const includesToday = asked.to === today;
  // Today is not complete, but a trend that ends today shows it.
  const points = complete && includesToday ? [...series.points, { ...day, date: today }] : series.points;
  return {
    site: totals.site,
    period: totals.period,
    visitors: totals.visitors,
    pageviews: totals.pageviews,
    events: totals.events,
    ...rateVisits(totals),
    today: {
      date: day.period.to,
      visitors: day.visitors,
      pageviews: day.pageviews,
      ...(byHour.today && { hours: byHour.today }),
    },
    active_now: active,
    trend: {
      ...listCounts(points),
      from: shown.from,
      partial: includesToday,
      // A period of today and complete days has more points than one.
      ...(points.length === 1 && byHour.trend && { hours: byHour.trend }),
    },
    top: tops.flatMap((list) =>
      list === undefined ? [] : [{ dimension: list.dimension, rows: list.rows.map(pickRow) }],
    ),
    warnings: joinWarnings(
      resolved.warnings,
      warnings,
      totals.warnings ?? [],
      (day.warnings ?? []).filter(isAboutEnd),
      tops.flatMap((list) => list?.warnings ?? []).filter(isAboutRows),
    ),
    series,
    previous,
  };
}

function listCounts(points: readonly ({ date: string; visitors: number; pageviews: number } & WithVisits)[]) {
  return {
    from: points[0]?.date ?? "",
    visitors: points.map(({ visitors }) => visitors),
    pageviews: points.map(({ pageviews }) => pageviews),
    ...(hasVisits(points) && { visits: points.map(({ visits = 0 }) => visits) }),
  };
}

type Row = Overview["top"][number]["rows"][number];

/** A row without its page views. */
function pickRow(row: Row): Row {
  const { value, label, visitors, visitors_at_most, percentage } = row;
  return {
    value,
    label,
    visitors,
    ...(visitors_at_most !== undefined && { visitors_at_most }),
    percentage,
  };
}
