import * as z from "zod";
import { dimensions } from "../operations/dimensions.ts";
import { siteParam } from "../operations/fields.ts";
import { periodParam } from "../operations/period-words.ts";
import { type Comparison, comparisonResult } from "./compare-result.ts";
import { viewComparison } from "./compare-views.ts";
import { YEAR_BEFORE } from "./compared-days.ts";
import { orders } from "./movers.ts";
import { defineReport } from "./report-definition.ts";
import { compactNames } from "./report-fields.ts";
import { MAX_WINDOW_DAYS } from "./windows.ts";

/** Of each list: four of them must fit into the answer of a tool. */
const MAX_MOVERS = 20;

const compareParams = () =>
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
      `What to compare the period with: another period, or ${YEAR_BEFORE}. By default the days before; for this_week, a month, a quarter or a weekday the one before.`,
    ),
    dimension: z.enum(dimensions).optional().describe("Only this dimension."),
    limit: z
      .int()
      .min(1)
      .max(MAX_MOVERS)
      .optional()
      .describe(
        "Maximum number of changes in each list; by default 10 of one dimension, 4 of each of several.",
      ),
    order: z
      .enum(orders)
      .optional()
      .describe("What comes first: the largest changes (by default), losses or gains."),
  });

export const compare = defineReport({
  name: "compare",
  summary:
    "Compare two periods, by default the last 7 complete days with the 7 before, and show what changed most",
  tool: {
    name: "compare_periods",
    title: "Compare periods",
    description:
      "Web analytics: compares two periods of complete days, by default the last 7 with the 7 before, and shows what changed most.",
  },
  shell: {
    examples: [
      "analytics-mcp compare example.com --days 28",
      "analytics-mcp compare example.com --dimension referrers",
    ],
    fields: "label,change",
  },
  params: compareParams,
  result: comparisonResult,
  compute: async (call, params, options) => {
    const { comparePeriods } = await import("./compare.ts");
    return comparePeriods(call, params, options);
  },
  compact: (comparison) => ({
    ...comparison,
    dimensions: comparison.dimensions.map((group) => ({
      ...group,
      movers: compactNames(group.movers).map(omitNoPercent),
    })),
  }),
  views: viewComparison,
});

/** Where averages have the percentage, that of the sums is none. */
function omitNoPercent<
  T extends Pick<Comparison["dimensions"][number]["movers"][number], "change" | "per_day">,
>(mover: T) {
  const { change, per_day } = mover;
  return change && per_day ? { ...mover, change: { absolute: change.absolute } } : mover;
}
