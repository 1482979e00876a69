import { type AnalyticsError, createParameterError } from "../errors.ts";
import type { Call } from "../operations/call.ts";
import { addDays } from "../operations/days.ts";
import type { Dimension } from "../operations/dimensions.ts";
import { type Bounds, exact, furthest, nearest } from "./bounds.ts";
import { type ComparedDays, resolveCompared } from "./compared-days.ts";
import { readWindows } from "./compared-windows.ts";
import { findCoverage, markCovered, readDataStarts } from "./coverage.ts";
import { findLoadedToday, type QueryOptions, readDataForDefault } from "./default-days.ts";
import { describeReach, isRecent, UnreachedError } from "./list-days.ts";
import type { Mover, Order } from "./movers.ts";
import { measureTotals, rateWindow } from "./report-fields.ts";
import type { AskedDays } from "./site-period.ts";
import type { WindowCounts } from "./window-counts.ts";
import { createMeasure, isSmallSample, type Measure, roundRate } from "./windows.ts";

const MAIN_DIMENSIONS: Dimension[] = ["pages", "referrers", "channels", "countries"];
const MOVERS_OF_ONE = 10;
const MOVERS_OF_EACH = 4;
const NO_MOVERS = { shown: [], more: { count: 0 } };

const SHIFT = "so this compares";

/** Whether a note says that other days are compared than those that were asked for. */
export const isShiftedComparison = (note: string): boolean => note.includes(SHIFT);

interface CompareParams extends AskedDays {
  against?: string | undefined;
  dimension?: Dimension | undefined;
  /** How many changes each list has. */
  limit?: number | undefined;
  order?: Order | undefined;
}

/**
 * Reads both periods and finds what changed most.
 *
 * @param main Which lists are compared if the query names none.
 */
export async function comparePeriods(
  call: Call,
  given: CompareParams,
  options: QueryOptions,
  main: Dimension[] = MAIN_DIMENSIONS,
) {
  const { site, dimension, order } = given;
  const data = await readDataForDefault(call, site, options);
  const asked = dimension === undefined ? main : [dimension];
  let days: ComparedDays | undefined;
  const read = (params: CompareParams) => {
    const resolve = (today: string) => {
      days = resolveCompared(params, findLoadedToday(data, today));
      return days;
    };
    return readWindows(call, site, asked, resolve, options);
  };
  const fitted: string[] = [];
  const readFitted = (error: unknown) => {
    if (!(error instanceof UnreachedError) || given.against !== undefined) throw error;
    const last = addDays(error.earliest, error.reach - 1);
    const mayFit = options.takesNearDays && days && isRecent({ ...days.current, last });
    if (!options.usesDefaultDays && !mayFit) throw error;
    // Whole weeks, and today, which is in neither period.
    const count = 7 * Math.floor((error.reach - 1) / 14);
    if (count === 0) throw error;
    fitted.push(`This service reaches back only to ${error.earliest}, ${SHIFT} ${count} days.`);
    return read({ ...given, period: undefined, days: count });
  };
  const [answers, starts] = await Promise.all([
    read(given).catch(readFitted),
    readDataStarts(call, site, options),
  ]).catch((error: unknown) => {
    throw error instanceof UnreachedError && days ? explainReach(error, days, given) : error;
  });
  const { current, previous, series, groups, missing, ...head } = answers;
  const near = [...fitted, ...(answers.near ?? [])];
  const { limit = asked.length === 1 ? MOVERS_OF_ONE : MOVERS_OF_EACH } = given;
  const { coverage, alike } = findCoverage(series, { current, previous }, starts);
  const measure = createMeasure(current, previous, alike);
  return {
    ...head,
    current: rateWindow(markCovered(current, alike.covered.current)),
    previous: rateWindow(markCovered(previous, alike.covered.previous)),
    ...measureTotals(measure, current, previous),
    small_sample: isSmallSample(measure, current, previous),
    ...(near.length > 0 && { near }),
    ...(missing && { missing }),
    ...coverage,
    dimensions: groups.map(({ dimension, ...counts }) => {
      const { shown, more } = measure.isPossible ? findMovers(counts, measure, limit, order) : NO_MOVERS;
      const { errorBound, cut_off } = counts;
      return { dimension, drift: errorBound, cut_off, movers: shown, more };
    }),
  };
}

/** Which of the two periods a service does not reach, as an error about what was given. */
function explainReach(
  { earliest, reach }: UnreachedError,
  { current, previous }: ComparedDays,
  { period, against }: CompareParams,
): AnalyticsError {
  const limit = `this service reaches back only to ${earliest}`;
  if (period === undefined && against === undefined) {
    // Today is in neither period.
    const maximum = Math.floor((reach - 1) / 2);
    return createParameterError(
      "days",
      `must be at most ${maximum}: ${limit}, and as many days before are compared`,
      {
        range: { minimum: 1, maximum },
      },
    );
  }
  const week = { period: undefined, against: undefined, days: 7 };
  const next = reach > 2 * week.days ? [{ why: "The last 7 days with the 7 before", params: week }] : [];
  if (current.from < earliest) return createParameterError("period", describeReach(earliest), { next });
  return against === undefined
    ? createParameterError(
        "period",
        `cannot be compared: the days before begin on ${previous.from}, and ${limit}`,
        { next },
      )
    : createParameterError("against", `begins on ${previous.from}, and ${limit}`, { next });
}

/** Which changes come first: those with the higher number. */
const groupOf = (order: Order, { least }: Bounds) =>
  order === "change" ? 0 : order === "gains" ? Number(least > 0) : Number(least <= 0);

/**
 * The values that certainly changed: largest change first; or all losses, or all gains, first, again with the largest on top.
 * An uncertain change is ranked by the smallest value that it can have.
 */
export function findMovers(
  { values, unlisted, errorBound }: WindowCounts,
  measure: Measure,
  limit: number,
  order: Order = "change",
) {
  const movers = values.map(({ value, label, ...bounds }) => {
    const [current, previous] = [exact(bounds.current), exact(bounds.previous)];
    const range = measure.range(bounds.current, bounds.previous);
    const mover: Mover =
      current !== null && previous !== null
        ? { value, label, current, previous, ...measureCounts(measure, current, previous) }
        : { value, label, current, previous, change: null, bounds: measureBounds(measure, bounds, range) };
    return { mover, range };
  });
  const ranked = movers
    .filter(({ range }) => nearest(range) > 0)
    .sort(
      (a, b) =>
        groupOf(order, b.range) - groupOf(order, a.range) ||
        nearest(b.range) - nearest(a.range) ||
        furthest(b.range) - furthest(a.range) ||
        Number(a.mover.label > b.mover.label) - Number(a.mover.label < b.mover.label),
    );
  const shown = new Set(ranked.slice(0, limit));
  const others = movers.filter((mover) => furthest(mover.range) > 0 && !shown.has(mover));
  const hidden = measure.range({ least: 0, most: unlisted.most }, { least: 0, most: unlisted.most });
  const most = Math.max(
    ...others.map(({ range }) => furthest(range)),
    unlisted.count > 0 ? furthest(hidden) : 0,
    0,
  );
  const count = others.length + unlisted.count;
  const drift = measure.range({ least: 0, most: 2 * errorBound }, { least: 0, most: 0 });
  const bound = count > 0 ? most + furthest(drift) : 0;
  return {
    shown: [...shown].map(({ mover }) => mover),
    more: { count, ...(measure.isPerDay ? { most_per_day: roundRate(bound) } : { most: bound }) },
  };
}

function measureCounts(measure: Measure, current: number, previous: number) {
  const averages = measure.perDay(current, previous);
  return { change: measure.change(current, previous), ...(averages && { per_day: averages }) };
}

/** The ranges of an uncertain change, `range` being that of the change itself. */
function measureBounds(
  { isPerDay, rate }: Measure,
  { current, previous }: { current: Bounds; previous: Bounds },
  range: Bounds,
): NonNullable<Mover["bounds"]> {
  if (!isPerDay) return { current, previous, change: range };
  return {
    current,
    previous,
    per_day: {
      current: rate(current, "current"),
      previous: rate(previous, "previous"),
      change: { least: roundRate(range.least), most: roundRate(range.most) },
    },
  };
}
