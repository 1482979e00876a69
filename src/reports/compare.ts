import * as z from "zod";
import { AnalyticsError } from "../errors.ts";
import type { Call, CallOptions } from "../operations/call.ts";
import { type Dimension, dimensions } from "../operations/dimensions.ts";
import { count, siteParam, siteRef, timestamp } from "../operations/fields.ts";
import { breakdown, stats, timeseries } from "../operations/index.ts";
import type { ResultOf } from "../operations/operation.ts";
import { formatSpan } from "../operations/period.ts";
import type { View } from "../operations/view.ts";
import type { Bounds } from "./bounds.ts";
import { readConsistently } from "./consistent-read.ts";
import { findDataStart, noteStart, readDataStarts } from "./data-start.ts";
import { findMovers, type Spans } from "./movers.ts";
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

const MAIN_DIMENSIONS: Dimension[] = ["pages", "referrers", "channels", "countries"];
const MOVERS_OF_ONE = 10;
const MOVERS_OF_EACH = 4;
/** The contract's maximum, so that as few rows as possible are cut off. */
const ROW_LIMIT = 1000;

const bounds = () => z.object({ least: count, most: count });
const changeBounds = () => z.object({ least: z.int(), most: z.int() });

const params = () =>
  z.strictObject({
    site: siteParam,
    days: z
      .int()
      .min(1)
      .max(MAX_WINDOW_DAYS)
      .default(7)
      .describe("Complete days in each window: 7 compares the last seven with the seven before."),
    dimension: z
      .enum(dimensions)
      .optional()
      .describe("Which values to compare; by default pages, referrers, channels and countries."),
  });

const result = () =>
  z.object({
    site: siteRef,
    timezone: z.string(),
    as_of: timestamp,
    current: window(),
    previous: window(),
    change: z.object({ visitors: change(), pageviews: change() }),
    small_sample: z.boolean(),
    ...dataStart,
    dimensions: z.array(
      z.object({
        dimension: z.string(),
        drift: count,
        cut_off: z.boolean(),
        movers: z.array(
          z.object({
            value: z.string().nullable(),
            label: z.string(),
            current: count.nullable(),
            previous: count.nullable(),
            change: change().nullable(),
            bounds: z.object({ current: bounds(), previous: bounds(), change: changeBounds() }).optional(),
          }),
        ),
        more: z.object({ count, most: count }),
      }),
    ),
  });

export type Comparison = z.output<ReturnType<typeof result>>;

export const compare = defineReport({
  name: "compare",
  summary: "Compare the last N complete days with the N before them, and show what changed most",
  tool: {
    name: "compare_periods",
    title: "Compare periods",
    description:
      "Web analytics: compares the last N complete days with the N before, and shows which pages, referrers, channels and countries (or values of one dimension) changed most, by visitors. Today is in neither. Use it for what changed and why.",
  },
  shell: {
    examples: [
      "analytics-mcp compare --site example.com --days 28",
      "analytics-mcp compare --site example.com --dimension referrers",
    ],
    fields: "label,change",
  },
  params,
  result,
  compute: comparePeriods,
  compact: (comparison) => ({
    ...comparison,
    dimensions: comparison.dimensions.map((group) => ({
      ...group,
      movers: compactNames(group.movers),
    })),
  }),
  views: (comparison) => [viewWindows(comparison), ...comparison.dimensions.map(viewMovers)],
});

interface Answers {
  series: ResultOf<typeof timeseries>;
  groups: { dimension: Dimension; spans: Spans; drift: number }[];
  /** False if midnight at the site passed between the calls, so that the answers cover different days. */
  sameDay: boolean;
}

async function comparePeriods(
  call: Call,
  { site, days, dimension }: z.output<ReturnType<typeof params>>,
  options: CallOptions,
): Promise<Comparison> {
  const asked = dimension === undefined ? MAIN_DIMENSIONS : [dimension];
  const [{ series, groups, sameDay }, starts] = await Promise.all([
    readConsistently(
      options,
      (fresh) => readAnswers(call, site, days, asked, fresh),
      (answers) => !answers.sameDay || answers.groups.some(({ drift }) => drift > 0),
    ),
    readDataStarts(call, options),
  ]);
  if (!sameDay) throw refuseDifferentDays();
  const { current, previous } = splitWindows(series.points, days);
  const start = findDataStart(series, previous, starts);
  const isWhole = start.comparable;
  return {
    site: series.site,
    timezone: series.period.timezone,
    as_of: series.period.as_of,
    current,
    previous,
    change: {
      visitors: measureChange(current.visitors, previous.visitors, isWhole),
      pageviews: measureChange(current.pageviews, previous.pageviews, isWhole),
    },
    small_sample: isSmallSample(current, previous),
    ...start,
    dimensions: groups.map(({ dimension, spans, drift }) => {
      const limit = asked.length === 1 ? MOVERS_OF_ONE : MOVERS_OF_EACH;
      const { shown, more } = findMovers(spans, drift, isWhole, limit);
      return {
        dimension,
        drift,
        cut_off: spans.whole.truncated || spans.recent.truncated || spans.today.truncated,
        movers: shown,
        more,
      };
    }),
  };
}

async function readAnswers(
  call: Call,
  site: string,
  days: number,
  asked: Dimension[],
  options: CallOptions,
): Promise<Answers> {
  const lengths = [seriesDaysFor(days), days + 1, 1] as const;
  const readGroup = async (dimension: Dimension) => {
    const readSpan = (length: number) =>
      call(breakdown, { site, dimension, limit: ROW_LIMIT, days: length }, options);
    const [whole, recent, today] = await Promise.all([
      readSpan(lengths[0]),
      readSpan(lengths[1]),
      readSpan(lengths[2]),
    ]);
    return { dimension, spans: { whole, recent, today } };
  };
  const [series, totals, ...groups] = await Promise.all([
    call(timeseries, { site, days: lengths[0] }, options),
    // A series has no events, so the totals to check a breakdown of events against are read separately.
    asked.includes("events")
      ? Promise.all(lengths.map((length) => call(stats, { site, days: length }, options)))
      : [],
    ...asked.map(readGroup),
  ]);
  const answers = [series, ...totals, ...groups.flatMap((group) => Object.values(group.spans))];
  return {
    series,
    groups: groups.map((group) => ({ ...group, drift: measureDrift(group.spans, series, totals) })),
    sameDay: new Set(answers.map(({ period }) => period.to)).size === 1,
  };
}

/**
 * How far the totals of the breakdowns differ from the series over the same days, summed. Page views count too: when a
 * known visitor views another page, that page's row gains a visitor.
 */
function measureDrift(
  spans: Spans,
  { points }: ResultOf<typeof timeseries>,
  summaries: ResultOf<typeof stats>[],
): number {
  const drifts = Object.values(spans).map(({ period, totals }) => {
    const expected = sumWindow(points.slice(-period.days));
    const events = summaries.find((each) => each.period.days === period.days)?.events;
    return Math.max(
      Math.abs(totals.visitors - expected.visitors),
      Math.abs(totals.pageviews - expected.pageviews),
      totals.events === undefined || events === undefined ? 0 : Math.abs(totals.events - events),
    );
  });
  return drifts.reduce((sum, each) => sum + each, 0);
}

function refuseDifferentDays(): AnalyticsError {
  return new AnalyticsError("bad_answer", "The service's answers cover different days.", {
    hint: "Nothing was compared. Try again; if it keeps happening, tell whoever runs the service.",
  });
}

function viewWindows(comparison: Comparison): View {
  const { site, timezone, as_of, current, previous, change, small_sample } = comparison;
  const show = (name: "visitors" | "pageviews") => ({
    label: name,
    current: current[name],
    previous: previous[name],
    change: change[name].absolute,
    percent: change[name].percent,
  });
  return {
    name: "windows",
    headline: `${site.domain}, ${formatSpan(current)} compared with ${formatSpan(previous)} (${timezone})`,
    columns: [{ key: "label", label: "measure", kind: "text" }, ...changeColumns],
    rows: [show("visitors"), show("pageviews")],
    notes: [
      `Complete days only: today is in neither window. As of ${as_of}.`,
      ...(small_sample ? [SMALL_SAMPLE_NOTE] : []),
      ...noteStart(comparison, previous, current),
    ],
  };
}

function viewMovers(group: Comparison["dimensions"][number]): View {
  const { dimension, movers } = group;
  return {
    name: dimension,
    headline: `${dimension} that changed most, by visitors`,
    beside: true,
    columns: [...nameColumns(dimension), ...changeColumns],
    rows: movers.map(({ value, label, change, bounds, ...counts }) => ({
      value,
      label,
      current: counts.current ?? (bounds ? formatBounds(bounds.current) : null),
      previous: counts.previous ?? (bounds ? formatBounds(bounds.previous) : null),
      change: change?.absolute ?? (bounds ? formatChange(bounds.change) : null),
      percent: change?.percent ?? null,
    })),
    notes: noteMovers(group),
  };
}

function noteMovers({ dimension, drift, cut_off, movers, more }: Comparison["dimensions"][number]): string[] {
  const isCertain = !cut_off && drift === 0;
  return [
    ...(movers.length === 0
      ? [`No ${dimension} ${isCertain ? "changed" : "are known to have changed"}.`]
      : []),
    ...(more.count > 0
      ? [
          `${dimension}: ${more.count} more ${isCertain ? "changed" : "may have changed"}, by at most ${more.most} visitors each.`,
        ]
      : []),
    ...(drift > 0
      ? [
          `Visits arrived while ${dimension} were read: each count may be off by ${drift}, and each change by ${2 * drift}.`,
        ]
      : []),
    ...(cut_off
      ? [
          `The service returned only the first ${ROW_LIMIT} ${dimension}, so some counts are known only as a range.`,
        ]
      : []),
  ];
}

const formatBounds = ({ least, most }: Bounds) => `${least}–${most}`;

/** "217–250 more", "6–8 fewer". Only certain changes are shown, so both ends have one sign. */
const formatChange = ({ least, most }: Bounds) =>
  least > 0 ? `${least}–${most} more` : `${-most}–${-least} fewer`;
