import * as z from "zod";
import { addDays } from "./days.ts";
import { daysParam, filterParams, MAX_HOUR_DAYS, siteParam, spanParams } from "./fields.ts";
import { defineOperation } from "./operation.ts";
import { describeVisitors, type Period, periodHeadline, verifyAsked } from "./period.ts";
import { type AtMost, sumAtMost } from "./ranges.ts";
import { dayPoint, hourPoint, pointColumns, seriesAnswer, seriesResult, showPoint } from "./series-fields.ts";
import { beginWithData } from "./series-start.ts";
import { hasRates, hasVisits, noteRates, type VisitCount, type WithVisits } from "./visit-rates.ts";
import type { Warning } from "./warning.ts";

/** The totals of some days. Visitors add up, because they are counted day by day. */
export function sumPoints(
  points: readonly ({ visitors: number; pageviews: number } & WithVisits & AtMost)[],
) {
  const sum = (name: "visitors" | "pageviews" | VisitCount) =>
    points.reduce((total, point) => total + (point[name] ?? 0), 0);
  return {
    visitors: sum("visitors"),
    pageviews: sum("pageviews"),
    ...(hasVisits(points) && { visits: sum("visits") }),
    ...(hasRates(points) && { bounces: sum("bounces"), visit_seconds: sum("visit_seconds") }),
    ...sumAtMost(points),
  };
}

function describeSeries({ period, points, warnings: warned }: Described) {
  const { notes, warnings } = describeVisitors(period, warned);
  return { notes: [...notes, ...noteRates(points)], warnings };
}

interface Described {
  period: Period;
  points: readonly WithVisits[];
  warnings?: readonly Warning[] | undefined;
}

export const timeseries = defineOperation({
  name: "timeseries",
  path: "/timeseries",
  summary: "Visitors and page views of a site by day or by hour",
  description:
    "Exactly `days` points, oldest first, one for each day: days without traffic, or before the site had data, are zeros. The points add up to /stats of the same period. With `interval=hour`, one point for each hour: page views and visits add up to the day, visitors do not.",
  tool: {
    name: "get_timeseries",
    title: "Series",
    description:
      "Web analytics by day, hour, week, month, or weekday and hour of the day: visitors and page views.",
  },
  shell: {
    examples: [
      "analytics-mcp timeseries example.com --days 90",
      "analytics-mcp timeseries example.com --period yesterday --by hour",
      "analytics-mcp timeseries example.com --period this-year --by month",
      "analytics-mcp timeseries example.com --by week_hour",
      "analytics-mcp timeseries example.com --csv > visitors.csv",
    ],
    fields: "date,visitors",
  },
  conform: {
    section: "series",
    ask: (site) => ({ site, days: 30 }),
    members: "site, period, interval and points of date, visitors and pageviews",
    fix: "counts are integers of 0 or more",
    totals: ({ points }) => sumPoints(points),
  },
  params: () => z.strictObject({ site: siteParam, days: daysParam }),
  optionalParams: () => ({
    ...spanParams(),
    ...filterParams(),
    interval: z
      .enum(["day", "hour"])
      .optional()
      .describe(`Length of a point: day (default), or hour for at most ${MAX_HOUR_DAYS} days.`),
  }),
  result: () => seriesResult(dayPoint()),
  answer: () => seriesAnswer(dayPoint()),
  fullResult: () => seriesResult(z.union([dayPoint(), hourPoint()])),
  list: { key: "points", keep: "last", hasVisits: true },
  maxAge: 60,
  verify: (result, params) => {
    if (result.points.length !== params.days) {
      return `it has ${result.points.length} points for ${params.days} days`;
    }
    const misplaced = result.points.find(({ date }, index) => date !== addDays(result.period.from, index));
    if (misplaced) return `its point ${misplaced.date} is out of order, repeated or outside the period`;
    return verifyAsked(result, params);
  },
  view: (result) => ({
    headline: periodHeadline(result),
    columns: [{ key: "date", label: "date", kind: "date" }, ...pointColumns(result.points)],
    rows: result.points.map((point) => ({ date: point.date, ...showPoint(point) })),
    series: beginWithData(
      {
        label: "visitors a day",
        from: result.period.from,
        values: result.points.map(({ visitors, missing }) => (missing ? null : visitors)),
        partial: result.period.partial === true,
      },
      result.warnings,
    ),
    ...describeSeries(result),
  }),
});
