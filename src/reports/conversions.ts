import * as z from "zod";
import { quoteIfNeeded } from "../errors.ts";
import { nameColumns } from "../operations/dimensions.ts";
import { count, daysParam, filterEcho, filterParams, siteParam, siteRef } from "../operations/fields.ts";
import { visitDimensions } from "../operations/filter.ts";
import { type Note, note } from "../operations/note.ts";
import { answerPeriod, describeVisitors, periodHeadline } from "../operations/period.ts";
import { periodParam } from "../operations/period-words.ts";
import { limitParam, listExtent, omitEqualLabels } from "../operations/ranked-list.ts";
import type { View } from "../operations/view.ts";
import { warnings } from "../operations/warning.ts";
import type { Bounds } from "./bounds.ts";
import { defineReport } from "./query.ts";
import { SMALL_SAMPLE } from "./windows.ts";

const params = () =>
  z.strictObject({
    site: siteParam,
    goal: z.string().min(1).describe("What visitors reach, such as events=signup or pages=/thanks*."),
    by: z
      .enum(visitDimensions)
      .optional()
      .describe("Also for each value of a dimension of visits, such as channels."),
    limit: limitParam,
    days: daysParam,
    period: periodParam(),
    ...filterParams(),
  });

const range = () => z.object({ least: z.number(), most: z.number() });

const conversion = () => ({
  visitors: count.nullable(),
  converted: count.nullable(),
  conversion_rate: z.number().nullable(),
  bounds: z.object({ visitors: range(), converted: range(), conversion_rate: range() }).optional(),
});

/** The result of `conversions`; without `by`, it has no rows. */
export const conversionsResult = () =>
  z.object({
    site: siteRef,
    period: answerPeriod,
    ...filterEcho(),
    goal: z.string(),
    by: z.string().optional(),
    ...conversion(),
    small_sample: z.boolean(),
    rows: z
      .array(
        z.object({
          value: z.string().nullable(),
          label: z.string(),
          other: z.literal(true).optional(),
          ...conversion(),
        }),
      )
      .optional(),
    limit: listExtent.limit.optional(),
    total_rows: listExtent.total_rows.optional(),
    truncated: listExtent.truncated.optional(),
    warnings,
  });

export type Conversions = z.output<ReturnType<typeof conversionsResult>>;

export const conversions = defineReport({
  name: "conversions",
  summary: "How many visitors reached a goal, such as an event or a page",
  tool: {
    name: "get_conversions",
    title: "Conversions",
    description: "Web analytics: the share of visitors who reached a goal (event or page).",
  },
  shell: {
    examples: [
      "analytics-mcp conversions example.com --goal events=signup",
      "analytics-mcp conversions example.com --goal events=signup --by channels",
    ],
    fields: "visitors,converted",
  },
  list: { key: "rows", keep: "first" },
  params,
  result: conversionsResult,
  compute: async (call, params, options) => {
    const { countConversions } = await import("./conversions-answer.ts");
    return countConversions(call, params, options);
  },
  compact: ({ rows, ...result }) => ({
    ...result,
    ...(rows && { rows: omitEqualLabels(rows) }),
  }),
  views: viewConversions,
});

/** Conversions as a table: one row for all visitors, or one for each value of a dimension. */
function viewConversions(conversions: Conversions): View[] {
  const { site, period, filter, goal, by, rows, limit = 0, total_rows: total = 0 } = conversions;
  const { notes, warnings } = describeVisitors(period, conversions.warnings);
  return [
    {
      headline: `Goal ${quoteIfNeeded(goal)}${by ? ` by ${by}` : ""} of ${periodHeadline(site.domain, period, filter)}`,
      columns: [
        ...(by ? nameColumns(by) : []),
        { key: "visitors", label: "visitors", kind: "count" },
        { key: "converted", label: "converted", kind: "count" },
        { key: "conversion_rate", label: "rate", kind: "percent" },
      ],
      rows: rows
        ? rows.map((row) => ({ value: row.value, label: row.label, ...showMeasured(row) }))
        : [showMeasured(conversions)],
      ...(rows && { bars: "converted", extent: { total, limit } }),
      notes: [...(rows ? [describeTotals(conversions)] : []), ...describeSamples(conversions), ...notes],
      warnings,
    },
  ];
}

type Measured = Pick<Conversions, "visitors" | "converted" | "conversion_rate" | "bounds">;

function showMeasured({ visitors, converted, conversion_rate: rate, bounds }: Measured) {
  return {
    visitors: visitors ?? formatBounds(bounds?.visitors),
    converted: converted ?? formatBounds(bounds?.converted),
    conversion_rate: rate ?? formatBounds(bounds?.conversion_rate, "%"),
  };
}

const formatBounds = (bounds: Bounds | undefined, unit = "") =>
  bounds ? `${bounds.least}–${bounds.most}${unit}` : null;

/** The totals, which the rows do not add up to. */
function describeTotals(conversions: Conversions): Note {
  const { visitors, converted, conversion_rate: rate } = showMeasured(conversions);
  const share = rate === null ? "" : typeof rate === "number" ? note` (${rate}%)` : ` (${rate})`;
  return note`Rows may not add up, since a visitor can count in several. In all: ${visitors ?? ""} visitors, of whom ${converted ?? ""} converted${share}.`;
}

function describeSamples({ visitors, small_sample, rows = [] }: Conversions): Note[] {
  if (visitors === 0) return ["There were no visitors, so there is no rate."];
  if (small_sample) return [`Small sample (under ${SMALL_SAMPLE} visitors): the rate may be due to chance.`];
  const hasSmall = rows.some((row) => (row.visitors ?? row.bounds?.visitors.least ?? 0) < SMALL_SAMPLE);
  return hasSmall
    ? [`Rows under ${SMALL_SAMPLE} visitors are small samples: their rates may be due to chance.`]
    : [];
}
