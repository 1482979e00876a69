import { addDays, countDays } from "../operations/days.ts";
import type { timeseries } from "../operations/index.ts";
import type { AnswerOf } from "../operations/operation.ts";
import {
  describePeriod,
  formatSpan,
  noteVisitors,
  type Period,
  periodHeadline,
} from "../operations/period.ts";
import { startOf } from "../operations/period-words.ts";
import { sumPoints } from "../operations/timeseries.ts";
import type { Column, View } from "../operations/view.ts";
import {
  hasVisits,
  showVisits,
  VISIT_NOTES,
  visitColumns,
  type WithVisits,
  withoutVisits,
} from "../operations/visit-rates.ts";

/** The days of a week or a month that a series covers, added up. */
interface IntervalPoint extends WithVisits {
  from: string;
  to: string;
  /** How many days with data it covers, from `from` to `to`. */
  days: number;
  visitors: number;
  pageviews: number;
  /** Set if days are missing, or if the last one is today. */
  partial?: true;
  /** Set if there is no data of any of its days. */
  missing?: true;
}

/**
 * Adds up the days of a `timeseries` answer by weeks, from Monday to Sunday, or by calendar months. The contract has only
 * days, so this works on every service. Visitors are the sum of daily unique visitors, as everywhere. A visit is of one day,
 * so visits add up, too.
 */
export function addUpByInterval(series: Series, interval: "week" | "month", showsVisits: boolean) {
  const points = gather(series, interval);
  const shown = showsVisits ? points : points.map(withoutVisits);
  return { result: { ...series, interval, points }, views: [viewIntervals(series, interval, shown)] };
}

type Series = AnswerOf<typeof timeseries>;

function gather({ points, period }: Series, interval: "week" | "month"): IntervalPoint[] {
  const groups = new Map<string, Series["points"]>();
  for (const point of points) {
    const start = startOf(interval, point.date);
    groups.set(start, [...(groups.get(start) ?? []), point]);
  }
  return [...groups.values()].map((group) => {
    const [from = "", to = ""] = [group[0]?.date, group.at(-1)?.date];
    const days = group.filter(({ missing }) => !missing).length;
    const isPartial = days < countWhole(interval, from) || (period.partial && to === period.to);
    return {
      from,
      to,
      days,
      ...sumPoints(group),
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
  const withVisits = hasVisits(points);
  return {
    headline: periodHeadline(site.domain, period, filter),
    columns: [
      ...(interval === "month" ? MONTH_COLUMNS : WEEK_COLUMNS),
      { key: "days", label: "days", kind: "count" },
      { key: "visitors", label: "visitors", kind: "count" },
      { key: "pageviews", label: "page views", kind: "count" },
      { key: "partial", label: "partial", kind: "text", machine: true },
      ...(withVisits ? visitColumns : []),
    ],
    rows: points.map(({ from, to, days, visitors, pageviews, partial, missing, ...visits }) => ({
      from,
      to,
      days,
      visitors: missing ? null : visitors,
      pageviews: missing ? null : pageviews,
      partial: partial ? "true" : null,
      ...showVisits({ pageviews, ...visits }),
    })),
    series: {
      label: `visitors a ${interval}`,
      from: period.from,
      values: points.map(({ visitors, missing }) => (missing ? null : visitors)),
      partial: points.at(-1)?.partial ?? false,
      interval: { name: interval, starts: points.map(({ from }) => from), to: period.to },
    },
    notes: [
      ...noteVisitors(period.days),
      ...(interval === "week" ? ["Weeks begin on Monday."] : []),
      ...described.notes,
      ...(withVisits ? VISIT_NOTES : []),
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
    .filter(({ partial }) => partial)
    .map(({ from, to, days }) => {
      const soFar = period.partial && to === period.to ? ", the last one so far" : "";
      return `${formatSpan({ from, to })} (${days} of ${countWhole(interval, from)} days${soFar})`;
    });
  return parts.length === 0 ? [] : [`Incomplete: ${parts.join(" and ")}.`];
}
