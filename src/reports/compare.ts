import type { Call } from "../operations/call.ts";
import type { Dimension } from "../operations/dimensions.ts";
import type { Comparison } from "./compare-result.ts";
import { resolveCompared } from "./compared-days.ts";
import { readWindows } from "./compared-windows.ts";
import { findCoverage, markCovered, readDataStarts } from "./coverage.ts";
import { findLoadedToday, type QueryOptions, readDataForDefault } from "./default-days.ts";
import { findMovers, type Movers, type orders } from "./movers.ts";
import type { OverviewParams } from "./overview.ts";
import { measureTotals, rateWindow } from "./report-fields.ts";
import { createMeasure, isSmallSample } from "./windows.ts";

const MAIN_DIMENSIONS: Dimension[] = ["pages", "referrers", "channels", "countries"];
const MOVERS_OF_ONE = 10;
const MOVERS_OF_EACH = 4;
const NO_MOVERS: Movers = { shown: [], more: { count: 0 } };

interface CompareParams extends OverviewParams {
  against?: string | undefined;
  dimension?: Dimension | undefined;
  /** How many changes each list has. */
  limit?: number | undefined;
  order?: (typeof orders)[number] | undefined;
}

/** Reads both periods and finds what changed most. */
export async function comparePeriods(
  call: Call,
  given: CompareParams,
  options: QueryOptions,
): Promise<Comparison> {
  const { site, dimension, order } = given;
  const data = await readDataForDefault(call, site, options);
  const asked = dimension === undefined ? MAIN_DIMENSIONS : [dimension];
  const [answers, starts] = await Promise.all([
    readWindows(call, site, asked, (today) => resolveCompared(given, findLoadedToday(data, today)), options),
    readDataStarts(call, options),
  ]);
  const { current, previous, series, groups, near, missing, ...head } = answers;
  const { limit = asked.length === 1 ? MOVERS_OF_ONE : MOVERS_OF_EACH } = given;
  const { coverage, alike } = findCoverage(series, { current, previous }, starts);
  const measure = createMeasure(current, previous, alike);
  return {
    ...head,
    current: rateWindow(markCovered(current, alike.covered.current)),
    previous: rateWindow(markCovered(previous, alike.covered.previous)),
    ...measureTotals(measure, current, previous),
    small_sample: isSmallSample(current, previous),
    ...(near && { near }),
    ...(missing && { missing }),
    ...coverage,
    dimensions: groups.map(({ dimension, ...counts }) => {
      const { shown, more } = measure.isPossible ? findMovers(counts, measure, limit, order) : NO_MOVERS;
      const { errorBound, cut_off } = counts;
      return { dimension, drift: errorBound, cut_off, movers: shown, more };
    }),
  };
}
