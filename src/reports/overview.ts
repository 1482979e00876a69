import * as z from "zod";
import type { Call, CallOptions } from "../operations/call.ts";
import type { Dimension } from "../operations/dimensions.ts";
import { count, date, siteParam, siteRef } from "../operations/fields.ts";
import { breakdown, realtime, stats, timeseries } from "../operations/index.ts";
import type { ResultOf } from "../operations/operation.ts";
import { formatSpan, period, periodHeadline, periodNotes, warnings } from "../operations/period.ts";
import type { View } from "../operations/view.ts";
import { readConsistently } from "./consistent-read.ts";
import { findDataStart, noteStart, readDataStarts } from "./data-start.ts";
import { defineReport } from "./report-definition.ts";
import { change, changeColumns, compactNames, dataStart, nameColumns, window } from "./report-fields.ts";
import {
  isSmallSample,
  MAX_WINDOW_DAYS,
  measureChange,
  SMALL_SAMPLE_NOTE,
  seriesDaysFor,
  splitWindows,
  sumWindow,
} from "./windows.ts";

const TOP_DIMENSIONS: Dimension[] = ["pages", "referrers", "countries"];
const TOP_ROWS = 5;

const params = () =>
  z.strictObject({
    site: siteParam,
    days: z
      .int()
      .min(1)
      .max(MAX_WINDOW_DAYS)
      .default(30)
      .describe(
        "Calendar days in the site's timezone, including today; the comparison uses the same number of complete days.",
      ),
  });

const result = () =>
  z.object({
    site: siteRef,
    period,
    visitors: count,
    pageviews: count,
    events: count,
    active_now: count,
    comparison: z.object({
      current: window(),
      previous: window(),
      visitors: change(),
      pageviews: change(),
      small_sample: z.boolean(),
      ...dataStart,
    }),
    trend: z.object({ from: date, visitors: z.array(count) }),
    top: z.array(
      z.object({
        dimension: z.string(),
        rows: z.array(
          z.object({
            value: z.string().nullable(),
            label: z.string(),
            visitors: count,
            percentage: z.number(),
          }),
        ),
      }),
    ),
    drifted: z.boolean(),
    warnings,
  });

export type Overview = z.output<ReturnType<typeof result>>;

export const overview = defineReport({
  name: "overview",
  summary: "A site at a glance: totals, trend, comparison, top pages, referrers and countries, active now",
  tool: {
    name: "get_overview",
    title: "Site at a glance",
    description:
      "Web analytics of a site at a glance: totals, daily trend, change against the days before, top pages, referrers and countries, active now. Start here for general questions.",
  },
  shell: {
    examples: [
      "analytics-mcp overview --site example.com",
      "analytics-mcp overview --site example.com --days 7",
    ],
    fields: "visitors,active_now",
  },
  params,
  result,
  compute: readOverview,
  compact: (overview) => ({
    ...overview,
    top: overview.top.map((list) => ({ ...list, rows: compactNames(list.rows) })),
  }),
  views: viewOverview,
});

interface Answers {
  summary: ResultOf<typeof stats>;
  series: ResultOf<typeof timeseries>;
  now: ResultOf<typeof realtime>;
  tops: ResultOf<typeof breakdown>[];
}

async function readOverview(
  call: Call,
  { site, days }: z.output<ReturnType<typeof params>>,
  options: CallOptions,
): Promise<Overview> {
  const read = async (fresh: CallOptions): Promise<Answers> => {
    const [summary, series, now, ...tops] = await Promise.all([
      call(stats, { site, days }, fresh),
      call(timeseries, { site, days: seriesDaysFor(days) }, fresh),
      call(realtime, { site }, fresh),
      ...TOP_DIMENSIONS.map((dimension) =>
        call(breakdown, { site, dimension, limit: TOP_ROWS, days }, fresh),
      ),
    ]);
    return { summary, series, now, tops };
  };
  const [answers, starts] = await Promise.all([
    readConsistently(options, read, (each) => hasDrifted(each, days)),
    readDataStarts(call, options),
  ]);
  const { summary, series, now, tops } = answers;
  const { current, previous } = splitWindows(series.points, days);
  const start = findDataStart(series, previous, starts);
  const isWhole = start.comparable;
  const shown = series.points.slice(-days);
  return {
    site: summary.site,
    period: summary.period,
    visitors: summary.visitors,
    pageviews: summary.pageviews,
    events: summary.events,
    active_now: now.visitors,
    comparison: {
      current,
      previous,
      visitors: measureChange(current.visitors, previous.visitors, isWhole),
      pageviews: measureChange(current.pageviews, previous.pageviews, isWhole),
      small_sample: isSmallSample(current, previous),
      ...start,
    },
    trend: { from: shown[0]?.date ?? summary.period.from, visitors: shown.map((point) => point.visitors) },
    top: tops.map(({ dimension, rows }) => ({
      dimension,
      rows: rows.map(({ value, label, visitors, percentage }) => ({ value, label, visitors, percentage })),
    })),
    drifted: hasDrifted(answers, days),
    warnings: summary.warnings,
  };
}

/** Whether visits arrived, or midnight passed, between the calls. */
function hasDrifted({ summary, series, tops }: Answers, days: number): boolean {
  const expected = sumWindow(series.points.slice(-days));
  return [summary, ...tops].some((each) => {
    const { visitors, pageviews } = "totals" in each ? each.totals : each;
    return (
      each.period.to !== series.period.to ||
      visitors !== expected.visitors ||
      pageviews !== expected.pageviews
    );
  });
}

function viewOverview(result: Overview): View[] {
  const { comparison, trend, period } = result;
  const { current, previous } = comparison;
  return [
    {
      name: "totals",
      headline: periodHeadline(result.site.domain, period),
      columns: [
        { key: "visitors", label: "visitors", kind: "count" },
        { key: "pageviews", label: "pageviews", kind: "count" },
        { key: "events", label: "events", kind: "count" },
        { key: "active_now", label: "active now", kind: "count" },
      ],
      rows: [
        {
          visitors: result.visitors,
          pageviews: result.pageviews,
          events: result.events,
          active_now: result.active_now,
        },
      ],
      notes: [
        ...periodNotes(period, result.warnings),
        ...(result.drifted
          ? ["Visits arrived while the numbers were read, so the tables may differ slightly."]
          : []),
        ...(result.top.some(({ rows }) => rows.length > 0)
          ? ["Rows may not add up: a visitor can count in several."]
          : []),
      ],
    },
    {
      name: "comparison",
      headline: `Complete days: ${formatSpan(current)} compared with ${formatSpan(previous)}`,
      columns: [{ key: "label", label: "measure", kind: "text" }, ...changeColumns],
      rows: (["visitors", "pageviews"] as const).map((measure) => ({
        label: measure,
        current: current[measure],
        previous: previous[measure],
        change: comparison[measure].absolute,
        percent: comparison[measure].percent,
      })),
      notes: [
        ...(comparison.small_sample ? [SMALL_SAMPLE_NOTE] : []),
        ...noteStart(comparison, previous, current),
      ],
    },
    {
      headline: `Visitors a day from ${trend.from}: ${trend.visitors.join(" ")}`,
      columns: [],
      rows: [],
      notes: [],
      series: {
        label: "visitors a day",
        from: trend.from,
        values: trend.visitors,
        partial: period.partial,
      },
    },
    ...result.top.map(
      ({ dimension, rows }): View => ({
        name: dimension,
        headline: "",
        columns: [
          ...nameColumns(dimension, `top ${dimension}`),
          { key: "visitors", label: "visitors", kind: "count" },
          { key: "percentage", label: "share", kind: "percent", detail: true },
        ],
        rows,
        notes: [],
        beside: true,
      }),
    ),
  ];
}
