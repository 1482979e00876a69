import { addDays } from "../../operations/days.ts";
import type { Overview } from "./shapes.ts";

export type Trend = Overview["trend"];
export type Measure = keyof typeof MEASURES;

export interface DayCount {
  name: string;
  count: number;
}

/** A day of the trend with one measure. */
export interface Day extends DayCount {
  /** Whether the day is incomplete. */
  open: boolean;
  /** The same day of the span before: the first day stands beside the first, and so on. */
  before: DayCount | undefined;
}

export const MEASURES = {
  visitors: { name: "Visitors", one: "visitor", many: "visitors", title: "Visitors per day" },
  pageviews: { name: "Page views", one: "page view", many: "page views", title: "Page views per day" },
  visits: { name: "Visits", one: "visit", many: "visits", title: "Visits per day" },
};

/** The measures that an answer has. */
export const findMeasures = (trend: Trend): Measure[] =>
  (["visitors", "pageviews", "visits"] as const).filter((measure) => trend[measure]);

export function readDays(trend: Trend, measure: Measure): Day[] {
  const { from, partial, previous } = trend;
  const counts = trend[measure] ?? [];
  return counts.map((count, index) => {
    const before = previous?.[measure]?.[index];
    return {
      name: addDays(from, index),
      count,
      open: partial && index === counts.length - 1,
      before:
        previous && before !== undefined ? { name: addDays(previous.from, index), count: before } : undefined,
    };
  });
}

/** The days of the span before that are drawn. */
export const listBefore = (days: Day[]): DayCount[] => days.flatMap(({ before }) => before ?? []);

export const readSpan = (days: DayCount[]) => ({ from: days[0]?.name ?? "", to: days.at(-1)?.name ?? "" });
