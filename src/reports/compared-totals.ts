import * as z from "zod";
import type { Days } from "../operations/days.ts";
import { count } from "../operations/fields.ts";
import type { timeseries } from "../operations/index.ts";
import type { AnswerOf } from "../operations/operation.ts";
import { type DataStarts, describeCoverage, findCoverage, markCovered } from "./coverage.ts";
import { coverage, measureTotals, rateWindow, totalsChange, totalsPerDay, window } from "./report-fields.ts";
import { createMeasure, isSmallSample, sumWindow } from "./windows.ts";

type Series = AnswerOf<typeof timeseries>;

/** The totals of days compared with those of the days before. */
export const comparedTotals = () =>
  z.object({
    previous: window(),
    /** How many of the compared days have data, if some have none. */
    days_with_data: count.optional(),
    ...totalsChange(),
    ...totalsPerDay,
    small_sample: z.boolean(),
    ...coverage,
  });

export type ComparedTotals = z.output<ReturnType<typeof comparedTotals>>;

/**
 * Compares the totals of two series of complete days.
 *
 * @param starts The first day with data of each site, by id.
 * @param addUp Whether the visitors of days add up.
 */
export function compareTotals(
  series: Series,
  before: Series,
  starts: DataStarts,
  addUp = true,
): ComparedTotals {
  const [current, previous] = [sumWindow(series.points, addUp), sumWindow(before.points, addUp)];
  const { coverage, alike } = findCoverage([before, series], { current, previous }, starts);
  const measure = createMeasure(current, previous, alike);
  const { change, ...averages } = measureTotals(measure, current, previous);
  const { days_with_data } = markCovered(current, alike.covered.current);
  return {
    previous: rateWindow(markCovered(previous, alike.covered.previous)),
    ...(days_with_data !== undefined && { days_with_data }),
    ...change,
    ...averages,
    small_sample: isSmallSample(measure, current, previous),
    ...coverage,
  };
}

/** Whether there are changes, of sums or of averages. */
export const isCompared = ({ per_day, visitors }: ComparedTotals): boolean =>
  per_day !== undefined || visitors.absolute !== null;

/** Why the days of a comparison have no percentages, or only averages. */
export function describeComparison(
  comparison: ComparedTotals,
  { from, to, days }: Days & { days: number },
  filter?: readonly string[],
) {
  const { previous, days_with_data, per_day, visitors } = comparison;
  const current = { from, to, days, days_with_data };
  const shown = { sum: visitors, average: per_day?.visitors };
  return describeCoverage(comparison, { previous, current }, shown, filter);
}
