import type { Dimension } from "../../../operations/dimensions.ts";
import type { DaySummary } from "../counting/day-counts.ts";

/** What is kept of a day, in a file that has several: days that were recorded by one version of this program share their dimensions. */
export interface ShortSummary extends Omit<DaySummary, "dimensions"> {
  /** Which of the file's lists it is. */
  dimensions: number;
}

/** The lists of dimensions that the days of a file have. */
export type DimensionLists = readonly (readonly Dimension[])[];

/** Creates a function that shortens the summaries of a file, and the lists that it has found. */
export function createShortener() {
  const lists: (readonly Dimension[])[] = [];
  const numbers = new Map<string, number>();
  const number = (list: readonly Dimension[]): number => {
    const key = list.join();
    const known = numbers.get(key) ?? lists.push(list) - 1;
    numbers.set(key, known);
    return known;
  };
  return {
    lists: lists as DimensionLists,
    shorten: <Day extends DaySummary>({ dimensions, ...day }: Day) => ({
      ...day,
      dimensions: number(dimensions),
    }),
  };
}

/** The other way round. */
export const lengthen = <Day extends ShortSummary>({ dimensions, ...day }: Day, lists: DimensionLists) => ({
  ...day,
  dimensions: lists[dimensions] ?? [],
});
