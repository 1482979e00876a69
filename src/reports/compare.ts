import * as z from "zod";
import { quoteIfNeeded } from "../errors.ts";
import { addDays } from "../operations/days.ts";
import { dimensions } from "../operations/dimensions.ts";
import { filterEcho, filterParams, siteParam, siteRef, timestamp } from "../operations/fields.ts";
import { headFilter } from "../operations/filter.ts";
import { forModels, forShell } from "../operations/note.ts";
import { formatSpan, noteVisitors } from "../operations/period.ts";
import { periodParam } from "../operations/period-words.ts";
import { omitEqualLabels } from "../operations/ranked-list.ts";
import type { View } from "../operations/view.ts";
import { describeCoverage } from "./coverage.ts";
import { missingParts, noteMissing, warnMissing } from "./missing-parts.ts";
import { type Mover, moversResult, noteRest, type Order, orders, viewMovers } from "./movers.ts";
import { defineReport } from "./query.ts";
import {
  changeColumns,
  coverage,
  listTotals,
  noteCompared,
  totalsChange,
  totalsPerDay,
  window,
} from "./report-fields.ts";
import { isSmallChange, MAX_WINDOW_DAYS, SMALL_ROWS_NOTE, SMALL_SAMPLE_NOTE } from "./windows.ts";

/** How a comparison chooses its other days. */
export const AGAINST =
  "What to compare with: another period, or year_before (the same months, else the same weekdays). By default the days before, or the month, quarter, year or weekday before.";

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
      .describe(
        "Complete days in each window: 7 compares the last seven with the seven before, 2 to 6 with the same weekdays a week before.",
      ),
    period: periodParam(),
    against: periodParam().describe(AGAINST),
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
    ...filterParams(),
  });

export const comparisonResult = () =>
  z.object({
    site: siteRef,
    ...filterEcho(),
    timezone: z.string().optional(),
    as_of: timestamp,
    current: window(),
    previous: window(),
    change: z.object(totalsChange()),
    ...totalsPerDay,
    small_sample: z.boolean(),
    /** Where a service with an API of its own means something else than the contract. */
    near: z.array(z.string()).optional(),
    missing: missingParts(),
    ...coverage,
    dimensions: z.array(moversResult()),
  });

export type Comparison = z.output<ReturnType<typeof comparisonResult>>;

export const compare = defineReport({
  name: "compare",
  summary: "Compare two periods, and show what changed most",
  tool: {
    name: "compare_periods",
    title: "Compare periods",
    description: "Web analytics: compares two periods of complete days, and shows what changed most.",
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
    const { comparePeriods } = await import("./compare-answer.ts");
    return comparePeriods(call, params, options);
  },
  compact: (comparison) => ({
    ...comparison,
    dimensions: comparison.dimensions.map((group) => ({
      ...group,
      movers: omitEqualLabels(group.movers).map(omitNoPercent),
    })),
  }),
  views: viewComparison,
});

/** Where averages have the percentage, that of the sums is none. */
function omitNoPercent<T extends Pick<Mover, "change" | "per_day">>(mover: T) {
  const { change, per_day } = mover;
  return change && per_day ? { ...mover, change: { absolute: change.absolute } } : mover;
}

/** A comparison as tables: both periods, then what changed most in each dimension. */
function viewComparison(comparison: Comparison, { order }: { order?: Order | undefined } = {}): View[] {
  return [
    viewWindows(comparison, order),
    ...comparison.dimensions.map((group) =>
      viewMovers(group, isCompared(comparison), comparison.per_day !== undefined, order),
    ),
  ];
}

function viewWindows(comparison: Comparison, order: Order | undefined): View {
  const { site, filter, timezone, as_of, current, previous, change, dimensions, per_day } = comparison;
  const { sums, rates, averages, notes: noted } = listTotals(current, previous, comparison);
  const yesterday = addDays(as_of.slice(0, "2026-11-20".length), -1);
  const isUntilToday = current.to === yesterday || previous.to === yesterday;
  const shown = { sum: change.visitors, average: per_day?.visitors };
  const { notes, warnings } = describeCoverage(comparison, comparison, shown, filter);
  return {
    name: "totals",
    headline: `${quoteIfNeeded(site.domain)}${headFilter(filter)}, ${formatSpan(current)} compared with ${formatSpan(previous)}${timezone === undefined ? "" : ` (${timezone})`}`,
    columns: [{ key: "label", label: "measure", kind: "text" }, ...changeColumns],
    rows: [...sums, ...rates, ...averages],
    notes: [
      ...(comparison.small_sample ? [SMALL_SAMPLE_NOTE] : dimensions.some(hasSmall) ? [SMALL_ROWS_NOTE] : []),
      ...(isCompared(comparison) ? noteCompared(current, previous) : []),
      ...noteMissing(comparison.missing, "compared"),
      ...(current.visitors === undefined ? [] : noteVisitors(Math.max(current.days, previous.days))),
      ...(isUntilToday ? ["Today is not over, so it is in neither period."] : []),
      forModels(`As of ${as_of}.`),
      ...notes,
      ...noteRest(dimensions, order),
      ...(dimensions.length > 1 && !comparison.missing?.some(({ part }) => part === "events")
        ? [forShell("Events are left out: --dimension events compares them, if there are any.")]
        : []),
      ...noted,
    ],
    warnings: [...warnMissing(comparison.missing, "compared"), ...warnings, ...(comparison.near ?? [])],
  };
}

const hasSmall = ({ movers }: Comparison["dimensions"][number]) =>
  movers.some(
    ({ current, previous }) => current !== null && previous !== null && isSmallChange(current, previous),
  );

/** False if a period has no data, or if it is not known how many of its days have some. */
const isCompared = ({ change, per_day }: Comparison) =>
  change.visitors.absolute !== null || per_day !== undefined;
