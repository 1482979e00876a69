import * as z from "zod";
import type { Call } from "../operations/call.ts";
import { type Dimension, dimensions } from "../operations/dimensions.ts";
import { siteParam } from "../operations/fields.ts";
import { periodParam } from "../operations/period-words.ts";
import { type Comparison, comparisonResult } from "./compare-result.ts";
import { viewComparison } from "./compare-views.ts";
import { resolveCompared, YEAR_BEFORE } from "./compared-days.ts";
import { findCoverage, markCovered, readDataStarts } from "./coverage.ts";
import { findLoadedToday, type QueryOptions, readDataForDefault } from "./default-days.ts";
import { findMovers, type Movers, orders } from "./movers.ts";
import { defineReport } from "./report-definition.ts";
import { compactNames, measureTotals, rateWindow } from "./report-fields.ts";
import { createMeasure, isSmallSample, MAX_WINDOW_DAYS } from "./windows.ts";

const MAIN_DIMENSIONS: Dimension[] = ["pages", "referrers", "channels", "countries"];
const MOVERS_OF_ONE = 10;
const MOVERS_OF_EACH = 4;
/** Of each list: four of them must fit into the answer of a tool. */
const MAX_MOVERS = 20;
const NO_MOVERS: Movers = { shown: [], more: { count: 0 } };

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
  params,
  result: comparisonResult,
  compute: comparePeriods,
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

async function comparePeriods(
  call: Call,
  given: z.output<ReturnType<typeof params>>,
  options: QueryOptions,
): Promise<Comparison> {
  const { site, dimension, order } = given;
  // Loaded on demand: most queries compare nothing.
  const { readWindows } = await import("./compared-windows.ts");
  const data = await readDataForDefault(call, site, options);
  const asked = dimension === undefined ? MAIN_DIMENSIONS : [dimension];
  const [answers, starts] = await Promise.all([
    readWindows(call, site, asked, (today) => resolveCompared(given, findLoadedToday(data, today)), options),
    readDataStarts(call, options),
  ]);
  const { current, previous, series, groups, ...head } = answers;
  const { limit = asked.length === 1 ? MOVERS_OF_ONE : MOVERS_OF_EACH } = given;
  const { coverage, alike } = findCoverage(series, { current, previous }, starts);
  const measure = createMeasure(current, previous, alike);
  return {
    ...head,
    current: rateWindow(markCovered(current, alike.covered.current)),
    previous: rateWindow(markCovered(previous, alike.covered.previous)),
    ...measureTotals(measure, current, previous),
    small_sample: isSmallSample(current, previous),
    ...coverage,
    dimensions: groups.map(({ dimension, ...counts }) => {
      const { shown, more } = measure.isPossible ? findMovers(counts, measure, limit, order) : NO_MOVERS;
      const { errorBound, cut_off } = counts;
      return { dimension, drift: errorBound, cut_off, movers: shown, more };
    }),
  };
}
