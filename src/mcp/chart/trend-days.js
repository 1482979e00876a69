// @ts-check
/** @import { Overview } from "./shapes.js" */
import { addDays } from "./format.js";

/**
 * A day of the trend with one measure; `open` if it is incomplete. `before` is the same day of the span before: the first
 * day stands beside the first, and so on.
 * @typedef {{ name: string, count: number, open: boolean, before: { name: string, count: number } | undefined }} Day
 * @typedef {keyof typeof MEASURES} Measure
 */

export const MEASURES = {
  visitors: { name: "Visitors", one: "visitor", many: "visitors", title: "Visitors per day" },
  pageviews: { name: "Page views", one: "page view", many: "page views", title: "Page views per day" },
};

/** The measures that an answer has. @param {Overview["trend"]} trend @returns {Measure[]} */
export const findMeasures = (trend) => (trend.pageviews ? ["visitors", "pageviews"] : ["visitors"]);

/** @param {Overview["trend"]} trend @param {Measure} measure @returns {Day[]} */
export function readDays(trend, measure) {
  const { from, partial, previous } = trend;
  const counts = trend[measure] ?? [];
  return counts.map((count, index) => {
    const before = previous?.[measure][index];
    return {
      name: addDays(from, index),
      count,
      open: partial && index === counts.length - 1,
      before:
        previous && before !== undefined ? { name: addDays(previous.from, index), count: before } : undefined,
    };
  });
}

/** The days of the span before that are drawn. @param {Day[]} days */
export const listBefore = (days) => days.flatMap(({ before }) => before ?? []);
