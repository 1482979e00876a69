import * as z from "zod";
import { AnalyticsError } from "../errors.ts";
import type { Call, CallOptions } from "../operations/call.ts";
import { type Dimension, dimensions, isWrittenByVisitors } from "../operations/dimensions.ts";
import { count, date, siteParam, siteRef, timestamp } from "../operations/fields.ts";
import { breakdown, stats, timeseries } from "../operations/index.ts";
import type { ResultOf } from "../operations/operation.ts";
import { formatSpan } from "../operations/period.ts";
import { once } from "../operations/schemas.ts";
import type { View } from "../operations/view.ts";
import { type Breakdown, findMovers, type Spans } from "./movers.ts";
import { defineReport, readTogether, shortLabel } from "./report-definition.ts";
import {
  isEarlierWhole,
  isSmallSample,
  MAX_WINDOW_DAYS,
  measureChange,
  noteEarlier,
  SMALL_SAMPLE_NOTE,
  seriesDaysFor,
  splitWindows,
  sumWindow,
} from "./windows.ts";

const MAIN_DIMENSIONS: Dimension[] = ["pages", "referrers", "channels", "countries"];
const MOVERS_OF_ONE = 10;
const MOVERS_OF_EACH = 4;
/** As many rows as the contract gives, so that little is cut off and nothing need be guessed. */
const ROW_LIMIT = 1000;

export const window = once(() => z.object({ from: date, to: date, visitors: count, pageviews: count }));
export const change = once(() => z.object({ absolute: z.int(), percent: z.number().nullable() }));
const bounds = () => z.object({ least: count, most: count });

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
      .describe("What to look for movers in; without it pages, referrers, channels and countries."),
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
    comparable: z.boolean(),
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
            bounds: z.object({ current: bounds(), previous: bounds() }).optional(),
          }),
        ),
      }),
    ),
  });

export type Comparison = z.output<ReturnType<typeof result>>;

export const compare = defineReport({
  name: "compare",
  summary: "The last N complete days against the N before them, and what moved",
  tool: {
    name: "compare_periods",
    title: "Compare periods",
    description:
      "The last N complete days against the N before, and which pages, referrers, channels, countries (or values of one dimension) moved most, in visitors. Today is in neither window. Answers what changed and why.",
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
      movers: group.movers.map(({ value: _, ...mover }) => mover),
    })),
  }),
  views: (comparison) => [viewWindows(comparison), ...comparison.dimensions.map(viewMovers)],
});

interface Answers {
  series: ResultOf<typeof timeseries>;
  groups: { dimension: Dimension; spans: Spans; drift: number }[];
  /** False where midnight at the site passed between the calls: the answers are about different days. */
  sameDay: boolean;
}

async function comparePeriods(
  call: Call,
  { site, days, dimension }: z.output<ReturnType<typeof params>>,
  options: CallOptions,
): Promise<Comparison> {
  const asked = dimension === undefined ? MAIN_DIMENSIONS : [dimension];
  const { series, groups, sameDay } = await readTogether(
    options,
    (fresh) => readAnswers(call, site, days, asked, fresh),
    (answers) => !answers.sameDay || answers.groups.some(({ drift }) => drift > 0),
  );
  if (!sameDay) throw refuseDays();
  const { current, previous } = splitWindows(series.points, days);
  const isWhole = isEarlierWhole(series);
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
    comparable: isWhole,
    dimensions: groups.map(({ dimension, spans, drift }) => ({
      dimension,
      drift,
      cut_off: spans.whole.truncated || spans.recent.truncated || spans.today.truncated,
      movers: findMovers(spans, drift, isWhole)
        .filter((mover) => mover.change?.absolute !== 0)
        .slice(0, asked.length === 1 ? MOVERS_OF_ONE : MOVERS_OF_EACH)
        .map((mover) => ({ ...mover, label: shortLabel(mover.label) })),
    })),
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
    const [whole, recent, today] = await Promise.all(
      lengths.map((length) => call(breakdown, { site, dimension, limit: ROW_LIMIT, days: length }, options)),
    );
    return { dimension, spans: { whole, recent, today } as Spans };
  };
  const [series, totals, ...groups] = await Promise.all([
    call(timeseries, { site, days: lengths[0] }, options),
    // A series has no events, so what breakdowns of events must add up to is asked for by itself.
    asked.includes("events")
      ? Promise.all(lengths.map((length) => call(stats, { site, days: length }, options)))
      : [],
    ...asked.map(readGroup),
  ]);
  const answers = [
    series,
    ...totals,
    ...groups.flatMap((group) => Object.values(group.spans) as Breakdown[]),
  ];
  return {
    series,
    groups: groups.map((group) => ({ ...group, drift: measureDrift(group.spans, series, totals) })),
    sameDay: new Set(answers.map(({ period }) => period.to)).size === 1,
  };
}

/**
 * By how many visits the totals of the breakdowns differ from the series over the same days. Page views count
 * too: a known visitor's view of one more page is a new visitor of that page's row.
 */
function measureDrift(
  spans: Spans,
  { points }: ResultOf<typeof timeseries>,
  summaries: ResultOf<typeof stats>[],
): number {
  const drifts = Object.values(spans).map(({ period, totals }: Breakdown) => {
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

function refuseDays(): AnalyticsError {
  return new AnalyticsError("bad_answer", "The service's answers are not about the same days.", {
    hint: "Nothing was compared. Ask again; if it stays so, tell whoever runs the service.",
  });
}

function viewWindows(comparison: Comparison): View {
  const { site, timezone, as_of, current, previous, change, small_sample, comparable } = comparison;
  const show = (name: "visitors" | "pageviews") => ({
    measure: name,
    current: current[name],
    previous: previous[name],
    change: change[name].absolute,
    percent: change[name].percent,
  });
  return {
    name: "windows",
    headline: `${site.domain}, ${formatSpan(current)} against ${formatSpan(previous)} (${timezone})`,
    columns: [{ key: "measure", label: "measure", kind: "text" }, ...changeColumns],
    rows: [show("visitors"), show("pageviews")],
    notes: [
      `Complete days only, as of ${as_of}: today is in neither window.`,
      ...(small_sample ? [SMALL_SAMPLE_NOTE] : []),
      ...noteEarlier(previous, comparable),
    ],
  };
}

export const changeColumns: View["columns"] = [
  { key: "current", label: "current", kind: "count" },
  { key: "previous", label: "previous", kind: "count" },
  { key: "change", label: "change", kind: "change" },
  { key: "percent", label: "percent", kind: "percent_change" },
];

function viewMovers({ dimension, drift, cut_off, movers }: Comparison["dimensions"][number]): View {
  return {
    name: dimension,
    headline: `${dimension} that moved most, in visitors`,
    beside: true,
    columns: [
      {
        key: "label",
        label: dimension,
        kind: "text",
        ...(isWrittenByVisitors(dimension) && { untrusted: true }),
      },
      ...changeColumns,
    ],
    rows: movers.map(({ label, change, bounds, ...counts }) => ({
      label,
      current: counts.current ?? (bounds ? formatBounds(bounds.current) : null),
      previous: counts.previous ?? (bounds ? formatBounds(bounds.previous) : null),
      change: change?.absolute ?? null,
      percent: change?.percent ?? null,
    })),
    notes: [
      ...(movers.length === 0 ? [`No ${dimension} moved.`] : []),
      ...(drift > 0
        ? [`Visits arrived while ${dimension} were read: each count may be off by ${drift}.`]
        : []),
      ...(cut_off
        ? [`The service cut ${dimension} off at ${ROW_LIMIT} rows: what that leaves open is a range.`]
        : []),
    ],
  };
}

const formatBounds = ({ least, most }: { least: number; most: number }) => `${least}–${most}`;
