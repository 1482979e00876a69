import type { Call, CallOptions } from "../operations/call.ts";
import { addDays, countDays, dateOfHour, nameHour } from "../operations/days.ts";
import { DEFAULT_HOUR_DAYS, MAX_HOUR_DAYS } from "../operations/fields.ts";
import { readFilter } from "../operations/filter.ts";
import { readFilterInput } from "../operations/filter-input.ts";
import { hours } from "../operations/hours.ts";
import { timeseries } from "../operations/index.ts";
import { countUnits, note } from "../operations/note.ts";
import type { AnswerOf, ParamsOf } from "../operations/operation.ts";
import {
  describePeriod,
  formatSpan,
  nameWeekday,
  noteVisitors,
  type Period,
  periodHeadline,
} from "../operations/period.ts";
import { startOf } from "../operations/period-words.ts";
import { pointColumns, showPoint } from "../operations/series-fields.ts";
import { beginWithData } from "../operations/series-start.ts";
import { sumPoints } from "../operations/timeseries.ts";
import type { Column, View } from "../operations/view.ts";
import { noteRates, type WithVisits, withoutVisits } from "../operations/visit-rates.ts";
import { addsUp, missVisitors } from "./added-days.ts";
import { createCompleteTest, type SeriesPoint } from "./complete-days.ts";
import type { QueryOptions } from "./default-days.ts";
import { showAnswer } from "./operation-query.ts";
import { type Extremes, findExtremes, nameFirst } from "./profile.ts";
import type { Answer } from "./query.ts";
import { askDays, askSpan, createTooLongError } from "./site-period.ts";

interface SeriesParams extends Record<string, unknown> {
  interval?: "hour" | "day" | "week" | "month" | undefined;
  with?: "visits" | undefined;
}

/** Answers for the points of a series by any interval. */
export async function askSeries(
  call: Call,
  { interval = "day", with: added, ...params }: SeriesParams,
  options: QueryOptions,
): Promise<Pick<Answer, "result" | "views">> {
  if (interval === "hour") {
    const series = await askHours(call, params, options);
    const { points, ...rest } = series;
    const hourly = points.map((point) => ({ ...point, date: dateOfHour(point.time) }));
    // Today's finished hours are complete, too.
    const period = { ...rest.period, complete_through: rest.period.to };
    const extremes = findExtremesOf({ ...rest, period, points: hourly });
    const name = ({ time }: { time: string }) => `${nameWeekday(dateOfHour(time))} ${nameHour(time)}`;
    const answer = showAnswer(hours, series, params, added);
    return addExtremes(answer, extremes, "hour", name, ({ time }) => ({ time }));
  }
  const series = await askDays(call, timeseries, params, options);
  const extremes = findExtremesOf(series);
  const name = ({ date }: { date: string }) => `${nameWeekday(date)}, ${date}`;
  const add = (answer: Pick<Answer, "result" | "views">) =>
    addExtremes(answer, extremes, "day", name, ({ date }) => ({ date, weekday: nameWeekday(date) }));
  if (interval === "day") return add(nameDays(showAnswer(timeseries, series, params, added)));
  const { from, to } = series.period;
  const canAdd = await addsUp(call, { site: series.site.id, from, to, last: to }, options);
  const points = addUp(series, interval, canAdd);
  const given = canAdd ? series : { ...series, warnings: missVisitors(series.warnings) };
  const shown = added === "visits" ? points : points.map(withoutVisits);
  return add({ result: { ...given, interval, points }, views: [viewIntervals(given, interval, shown)] });
}

/** The points of complete days with data that have the most and the fewest visitors. */
function findExtremesOf<P extends SeriesPoint & { date: string; visitors: number }>(
  series: Parameters<typeof createCompleteTest>[0] & { points: readonly P[] },
) {
  const isComplete = createCompleteTest(series);
  return findExtremes(series.points.filter((point) => isComplete(point.date, point)));
}

/** Adds them to an answer, also in words. */
function addExtremes<P extends { visitors: number }>(
  { result, views: [view, ...views] }: Pick<Answer, "result" | "views">,
  extremes: Extremes<P> | undefined,
  unit: string,
  name: (point: P) => string,
  place: (point: P) => object,
): Pick<Answer, "result" | "views"> {
  if (extremes === undefined || view === undefined) return { result, views: view ? [view, ...views] : views };
  const { highest, lowest, ties } = extremes;
  const show = (point: P) => ({ ...place(point), visitors: point.visitors });
  const said = note`Highest complete ${unit}: ${nameFirst(name(highest), ties.highest)} (${countUnits(highest.visitors, "visitor")}). Lowest: ${nameFirst(name(lowest), ties.lowest)} (${lowest.visitors}).`;
  return {
    result: { ...result, highest: show(highest), lowest: show(lowest) },
    views: [{ ...view, notes: [said, ...view.notes] }, ...views],
  };
}

/** In a longer series, a weekday beside each day would cost more of a model's answer than it helps. */
const MAX_NAMED_DAYS = 92;

/** Adds the weekday to each day of a series. */
function nameDays({ result, views }: Pick<Answer, "result" | "views">): Pick<Answer, "result" | "views"> {
  const { points } = result as unknown as Series;
  if (points.length > MAX_NAMED_DAYS) return { result, views };
  return {
    result: {
      ...result,
      points: points.map(({ date, ...point }) => ({ date, weekday: nameWeekday(date), ...point })),
    },
    views: views.map((view) => ({
      ...view,
      columns: view.columns.map((column) => (column.key === "date" ? { ...column, kind: "day" } : column)),
    })),
  };
}

/**
 * Reads the hours of a single day, to draw them in place of one bar. They are an extra: undefined for other answers, where the
 * source has no hours, and if they cannot be read.
 */
export async function readDayHours(
  call: Call,
  { params, result }: { params: Record<string, unknown>; result: Record<string, unknown> },
  options: CallOptions,
): Promise<View["series"]> {
  const parsed = timeseries.answer.pick({ period: true }).safeParse(result);
  if (params.interval !== undefined || !parsed.success || parsed.data.period.days !== 1) return undefined;
  const { from, to, as_of } = parsed.data.period;
  const filter = readFilterInput(readFilter(params));
  const span = { site: String(params.site), today: as_of.slice(0, "2026-11-20".length), from, to };
  try {
    const all = { ...options, ...(filter && { filter }) };
    if (!(await call.offersHours?.(all))) return undefined;
    const series = await askSpan(call, hours, { interval: "hour" }, span, all);
    return hours.view(series, params as ParamsOf<typeof hours>).series;
  } catch {
    return undefined;
  }
}

export function askHours(call: Call, params: Record<string, unknown>, options: QueryOptions) {
  const days = options.usesDefaultDays ? DEFAULT_HOUR_DAYS : Number(params.days);
  if (params.period === undefined && days > MAX_HOUR_DAYS) {
    throw createTooLongError("days", `must be from 1 to ${MAX_HOUR_DAYS} by hour`);
  }
  return askDays(call, hours, { ...params, days, interval: "hour" }, options);
}

/** The days of a week or a month that a series covers, added up. */
interface IntervalPoint extends WithVisits {
  from: string;
  to: string;
  /** How many days with data it covers, from `from` to `to`. */
  days: number;
  /** Null where those of the days do not add up. */
  visitors: number | null;
  pageviews: number;
  /** Set if days are missing, or if the last one is today. */
  partial?: true;
  /** Set if there is no data of any of its days. */
  missing?: true;
}

type Series = AnswerOf<typeof timeseries>;

/**
 * Adds up the days of a `timeseries` answer by weeks, from Monday to Sunday, or by calendar months. The contract has only
 * days, so this works on every service. Visitors are the sum of daily unique visitors, as everywhere. A visit is of one day,
 * so visits add up, too.
 *
 * @param canAdd Whether visitors add up.
 */
function addUp({ points, period }: Series, interval: "week" | "month", canAdd: boolean): IntervalPoint[] {
  const groups = new Map<string, Series["points"]>();
  for (const point of points) {
    const start = startOf(interval, point.date);
    groups.set(start, [...(groups.get(start) ?? []), point]);
  }
  return [...groups.values()].map((group) => {
    const [from = "", to = ""] = [group[0]?.date, group.at(-1)?.date];
    const days = group.filter(({ missing }) => !missing).length;
    const sums = sumPoints(group);
    const isPartial = days < countWhole(interval, from) || (period.partial && to === period.to);
    return {
      from,
      to,
      days,
      ...sums,
      visitors: canAdd || from === to ? sums.visitors : null,
      ...(isPartial && { partial: true }),
      ...(days === 0 && { missing: true }),
    };
  });
}

/** How many days the whole week or month of a day has. */
function countWhole(interval: "week" | "month", day: string): number {
  const start = startOf(interval, day);
  // No month is longer than 31 days.
  return interval === "week" ? 7 : countDays(start, startOf("month", addDays(start, 31))) - 1;
}

const WEEK_COLUMNS: readonly Column[] = [
  { key: "from", label: "from", kind: "date" },
  { key: "to", label: "to", kind: "date", detail: true },
];
/** The month, its first day and how many days it covers say which day is the last. */
const MONTH_COLUMNS: readonly Column[] = [
  { key: "from", label: "month", kind: "month" },
  { key: "to", label: "to", kind: "date", machine: true },
];

function viewIntervals(
  { site, period, filter, warnings }: Series,
  interval: "week" | "month",
  points: readonly IntervalPoint[],
): View {
  const described = describePeriod(period, warnings);
  const measure = points.some(({ visitors }) => visitors === null) ? "pageviews" : "visitors";
  return {
    headline: periodHeadline({ site, period, filter, warnings }),
    columns: [
      ...(interval === "month" ? MONTH_COLUMNS : WEEK_COLUMNS),
      { key: "days", label: "days", kind: "count" },
      ...pointColumns(points),
    ],
    rows: points.map(({ from, to, days, ...counts }) => ({ from, to, days, ...showPoint(counts) })),
    series: beginWithData(
      {
        label: `${measure === "visitors" ? measure : "page views"} a ${interval}`,
        from: period.from,
        values: points.map(({ [measure]: value, missing }) => (missing ? null : value)),
        partial: points.at(-1)?.partial ?? false,
        partialStart: points.slice(0, -1).find(({ missing }) => !missing)?.partial ?? false,
        interval: { name: interval, starts: points.map(({ from }) => from), to: period.to },
      },
      warnings,
    ),
    notes: [
      ...(measure === "visitors" ? noteVisitors(period.days) : []),
      ...(interval === "week" ? ["Weeks begin on Monday."] : []),
      ...described.notes,
      ...noteRates(points),
    ],
    warnings: [...noteIncomplete(interval, points, period), ...described.warnings],
  };
}

function noteIncomplete(
  interval: "week" | "month",
  points: readonly IntervalPoint[],
  period: Period,
): string[] {
  const parts = points
    .filter(({ partial, missing }) => partial && !missing)
    .map(({ from, to, days }) => {
      const soFar = period.partial && to === period.to ? ", the last one so far" : "";
      return `${formatSpan({ from, to })} (${days} of ${countWhole(interval, from)} days${soFar})`;
    });
  return parts.length === 0 ? [] : [`Incomplete: ${parts.join(" and ")}.`];
}
