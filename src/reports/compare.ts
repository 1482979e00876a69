import * as z from "zod";
import type { Call, CallOptions } from "../operations/call.ts";
import { type Dimension, dimensions } from "../operations/dimensions.ts";
import { count, siteParam, siteRef, timestamp } from "../operations/fields.ts";
import { formatSpan } from "../operations/period.ts";
import { periodParam } from "../operations/period-words.ts";
import type { View } from "../operations/view.ts";
import type { Bounds } from "./bounds.ts";
import { resolveCompared, YEAR_BEFORE } from "./compared-days.ts";
import { readWindows } from "./compared-windows.ts";
import { findDataStart, noteStart, readDataStarts } from "./data-start.ts";
import { findMovers } from "./movers.ts";
import { defineReport } from "./report-definition.ts";
import { change, changeColumns, compactNames, dataStart, nameColumns, window } from "./report-fields.ts";
import { ROW_LIMIT } from "./subtracted-spans.ts";
import { createMeasure, isSmallSample, MAX_WINDOW_DAYS, SMALL_SAMPLE_NOTE, type Window } from "./windows.ts";

const MAIN_DIMENSIONS: Dimension[] = ["pages", "referrers", "channels", "countries"];
const MOVERS_OF_ONE = 10;
const MOVERS_OF_EACH = 4;

const bounds = () => z.object({ least: count, most: count });
const changeBounds = () => z.object({ least: z.number(), most: z.number() });

const params = () =>
  z.strictObject({
    site: siteParam,
    days: z
      .int()
      .min(1)
      .max(MAX_WINDOW_DAYS)
      .default(7)
      .describe("Complete days in each window: 7 compares the last seven with the seven before."),
    period: periodParam(),
    against: periodParam().describe(
      `What to compare the period with: another period, or ${YEAR_BEFORE}. By default the days before; for this_week and this_month the same days of the week or month before.`,
    ),
    dimension: z.enum(dimensions).optional().describe("Only this dimension."),
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
  summary:
    "Compare two periods, by default the last 7 complete days with the 7 before, and show what changed most",
  tool: {
    name: "compare_periods",
    title: "Compare periods",
    description:
      "Web analytics: compares two periods of complete days, by default the last 7 with the 7 before, and shows which pages, referrers, channels and countries changed most. Use it for what changed and why.",
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

async function comparePeriods(
  call: Call,
  given: z.output<ReturnType<typeof params>>,
  options: CallOptions,
): Promise<Comparison> {
  const { site, dimension } = given;
  const asked = dimension === undefined ? MAIN_DIMENSIONS : [dimension];
  const [answers, starts] = await Promise.all([
    readWindows(call, site, asked, (today) => resolveCompared(given, today), options),
    readDataStarts(call, options),
  ]);
  const { current, previous, earliest, groups, ...head } = answers;
  const start = findDataStart(earliest, [previous, current], starts);
  const measure = createMeasure(current, previous, start.comparable);
  return {
    ...head,
    ...{ current, previous },
    change: {
      visitors: measure.change(current.visitors, previous.visitors),
      pageviews: measure.change(current.pageviews, previous.pageviews),
    },
    small_sample: isSmallSample(current, previous),
    ...start,
    dimensions: groups.map(({ dimension, ...counts }) => {
      const limit = asked.length === 1 ? MOVERS_OF_ONE : MOVERS_OF_EACH;
      const { shown, more } = findMovers(counts, measure, limit);
      const { drift, cut_off } = counts;
      return { dimension, drift, cut_off, movers: shown, more };
    }),
  };
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
      ...noteLengths(current, previous),
      ...(small_sample ? [SMALL_SAMPLE_NOTE] : []),
      ...noteStart(comparison, previous, current),
    ],
  };
}

/** If the windows differ in length, their totals cannot be compared. */
function noteLengths(current: Window, previous: Window): string[] {
  if (current.days === previous.days) return [];
  const perDay = ({ days, visitors }: Window) => `${Math.round((10 * visitors) / days) / 10}`;
  return [
    `The periods have ${current.days} and ${previous.days} days, so changes are of averages per day: ${perDay(current)} visitors a day after ${perDay(previous)}.`,
  ];
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
