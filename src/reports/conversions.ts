import * as z from "zod";
import { createParameterError, quoteIfNeeded } from "../errors.ts";
import { nameColumns } from "../operations/dimensions.ts";
import { askedDaysParam, count, filterEcho, filterParams, siteParam, siteRef } from "../operations/fields.ts";
import { visitDimensions } from "../operations/filter.ts";
import { countUnits, type Note, note } from "../operations/note.ts";
import { answerPeriod, describePeriod, describeVisitors, periodHeadline } from "../operations/period.ts";
import { periodParam } from "../operations/period-words.ts";
import { showCount } from "../operations/ranges.ts";
import { limitParam, listExtent, omitEqualLabels } from "../operations/ranked-list.ts";
import type { View } from "../operations/view.ts";
import { warnings } from "../operations/warning.ts";
import type { Bounds } from "./bounds.ts";
import { defineReport } from "./query.ts";
import { SMALL_SAMPLE } from "./windows.ts";

const params = () =>
  z.strictObject({
    site: siteParam,
    goal: z
      .string()
      .min(1)
      .optional()
      .describe("What visitors reach, such as events=signup or pages=/thanks*."),
    steps: z
      .array(z.string().min(1))
      .max(10)
      .optional()
      .describe(
        "Instead of a goal: what visits did one after the other, such as pages=/cart and then pages=/thanks. Repeatable, in order.",
      ),
    by: z
      .enum(visitDimensions)
      .optional()
      .describe("Also for each value of a dimension of visits, such as channels."),
    limit: limitParam,
    days: askedDaysParam,
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
    goal: z.string().optional(),
    by: z.string().optional(),
    ...conversion(),
    /** Of steps, visits in place of visitors. */
    visitors: count.nullable().optional(),
    visits: count.nullable().optional(),
    visits_at_most: count.optional(),
    steps: z
      .array(
        z.object({
          step: z.string(),
          visits: count,
          visits_at_most: count.optional(),
          percentage: z.number().nullable(),
          percentage_of_previous: z.number().nullable(),
        }),
      )
      .optional(),
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
  summary: "How many visitors reached a goal, or took some steps",
  tool: {
    name: "get_conversions",
    title: "Conversions",
    description:
      "Web analytics: share of visitors who reached a goal, or of visits that took steps in order.",
  },
  shell: {
    examples: [
      "analytics-mcp conversions example.com --goal events=signup",
      "analytics-mcp conversions example.com --goal events=signup --by channels",
      "analytics-mcp conversions example.com --step pages=/plans --step pages=/signup",
    ],
    fields: "visitors,converted",
  },
  list: { key: "rows", keep: "first" },
  params,
  result: conversionsResult,
  compute: async (call, { goal, steps, ...params }, options) => {
    if (steps !== undefined) {
      assertAlone({ goal, by: params.by });
      const { countSteps } = await import("./steps-answer.ts");
      return countSteps(call, { ...params, steps }, options);
    }
    if (goal === undefined) throw createParameterError("goal", "is required", { code: "missing_parameter" });
    const { countConversions } = await import("./conversions-answer.ts");
    return countConversions(call, { ...params, goal }, options);
  },
  compact: ({ rows, ...result }) => ({
    ...result,
    ...(rows && { rows: omitEqualLabels(rows) }),
  }),
  views: viewConversions,
});

/** Refuses parameters that cannot be combined with steps. */
function assertAlone(given: Record<string, unknown>): void {
  const other = Object.entries(given).find(([, value]) => value !== undefined);
  if (other !== undefined) throw createParameterError(other[0], "cannot be combined with steps");
}

/** Steps as a table: one row for all visits, and one for each step. */
function viewSteps({ site, period, filter, steps = [], ...rest }: Conversions): View {
  const { notes, warnings } = describePeriod(period, rest.warnings);
  const small = [`Small sample (under ${SMALL_SAMPLE} visits): the rates may be due to chance.`];
  return {
    headline: `Steps of ${periodHeadline({ site, period, filter, ...rest })}`,
    columns: [
      { key: "step", label: "step", kind: "text" },
      { key: "visits", label: "visits", kind: "count" },
      { key: "percentage", label: "of all", kind: "percent" },
      { key: "percentage_of_previous", label: "of previous", kind: "percent" },
    ],
    rows: [
      { step: "(all visits)", visits: showCount(rest, "visits") },
      ...steps.map((step) => ({
        step: step.step,
        visits: showCount(step, "visits"),
        percentage: step.percentage,
        percentage_of_previous: step.percentage_of_previous,
      })),
    ],
    bars: "visits",
    notes: [
      "Each step comes after the one before, in the same visit; anything may happen between them.",
      ...(rest.small_sample && rest.visits !== 0 ? small : []),
      ...notes,
    ],
    warnings,
  };
}

/** Conversions as a table: one row for all visitors, or one for each value of a dimension. */
function viewConversions(conversions: Conversions): View[] {
  if (conversions.steps !== undefined) return [viewSteps(conversions)];
  const { period, goal = "", by, rows, limit = 0, total_rows: total = 0 } = conversions;
  const { notes, warnings } = describeVisitors(period, conversions.warnings);
  return [
    {
      headline: `Goal ${quoteIfNeeded(goal)}${by ? ` by ${by}` : ""} of ${periodHeadline(conversions)}`,
      columns: [
        ...(by ? nameColumns(by) : []),
        { key: "visitors", label: "visitors", kind: "count" },
        { key: "converted", label: "converted", kind: "count" },
        { key: "conversion_rate", label: "rate", kind: "percent" },
      ],
      rows: rows
        ? rows.map((row) => ({ value: row.value, label: row.label, ...showMeasured(row) }))
        : [showMeasured(conversions)],
      ...(rows && { bars: "conversion_rate", extent: { total, limit } }),
      notes: [...(rows ? [describeTotals(conversions)] : []), ...describeSamples(conversions), ...notes],
      warnings,
    },
  ];
}

type Measured = Pick<Conversions, "visitors" | "converted" | "conversion_rate" | "bounds">;

function showMeasured({ visitors, converted, conversion_rate: rate, bounds }: Measured) {
  // From none to all: nothing is known.
  const isOpen = bounds?.converted.least === 0 && bounds.converted.most >= bounds.visitors.most;
  const known = isOpen ? undefined : bounds;
  return {
    visitors: visitors ?? formatBounds(bounds?.visitors),
    converted: converted ?? formatBounds(known?.converted),
    conversion_rate: rate ?? formatBounds(known?.conversion_rate, "%"),
  };
}

const formatBounds = (bounds: Bounds | undefined, unit = "") =>
  bounds ? `${bounds.least}–${bounds.most}${unit}` : null;

/** The totals, which the rows do not add up to. */
function describeTotals(conversions: Conversions): Note {
  const { visitors, converted, conversion_rate: rate } = showMeasured(conversions);
  const share = rate === null ? "" : typeof rate === "number" ? note` (${rate}%)` : ` (${rate})`;
  return note`Rows may not add up, since a visitor can count in several. In all: ${typeof visitors === "number" ? countUnits(visitors, "visitor") : `${visitors ?? ""} visitors`}, of whom ${converted ?? ""} converted${share}.`;
}

function describeSamples({ visitors, small_sample, rows = [] }: Conversions): Note[] {
  if (visitors === 0) return ["There were no visitors, so there is no rate."];
  if (small_sample) return [`Small sample (under ${SMALL_SAMPLE} visitors): the rate may be due to chance.`];
  const hasSmall = rows.some((row) => (row.visitors ?? row.bounds?.visitors.least ?? 0) < SMALL_SAMPLE);
  return hasSmall
    ? [`Rows under ${SMALL_SAMPLE} visitors are small samples: their rates may be due to chance.`]
    : [];
}
