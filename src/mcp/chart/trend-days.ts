import { addDays } from "../../operations/days.ts";
import { isHour } from "./format.ts";
import type { Overview } from "./shapes.ts";

export type Trend = Overview["trend"];
export type Measure = keyof typeof MEASURES;

export interface DayCount {
  name: string;
  /** Zero if it is missing. */
  count: number;
  /** Set if there is no data of it. */
  missing?: boolean;
}

/** A day of the trend with one measure; an hour, if the trend is one of hours. */
export interface Day extends DayCount {
  /** Whether the day is incomplete. */
  open: boolean;
  /** The same day of the span before: the first day stands beside the first, and so on. */
  before: DayCount | undefined;
}

export const MEASURES = {
  visitors: { name: "Visitors", one: "visitor", many: "visitors" },
  pageviews: { name: "Page views", one: "page view", many: "page views" },
  visits: { name: "Visits", one: "visit", many: "visits" },
};

/** What a point is: a day, or an hour. */
export const unitOf = ([first]: Day[]) => (isHour(first?.name) ? "hour" : "day");

export const titleOf = (days: Day[], measure: Measure) => `${MEASURES[measure].name} per ${unitOf(days)}`;

/** Whether there is anything to draw: a single day without hours has no trend, and the tiles show its numbers. */
export const hasTrend = ({ visitors, hours }: Trend) => visitors.length > 1 || hours?.times !== undefined;

/** The measures that an answer has. */
export const findMeasures = (trend: Trend): Measure[] =>
  (["visitors", "pageviews", "visits"] as const).filter((measure) => trend[measure]);

export function readDays(trend: Trend, measure: Measure): Day[] {
  const { from, partial, previous, hours } = trend;
  const times = hours?.times;
  const counts = (times ? hours : trend)[measure] ?? [];
  return counts.map((count, index) => {
    const before = times ? undefined : previous?.[measure]?.[index];
    return {
      name: times?.[index] ?? addDays(from, index),
      count: count ?? 0,
      missing: count === null,
      open: partial && index === counts.length - 1 && count !== null,
      before:
        previous && typeof before === "number"
          ? { name: addDays(previous.from, index), count: before }
          : undefined,
    };
  });
}

/** The days of the span before that are drawn. */
export const listBefore = (days: Day[]): DayCount[] => days.flatMap(({ before }) => before ?? []);

export const readSpan = (days: DayCount[]) => ({ from: days[0]?.name ?? "", to: days.at(-1)?.name ?? "" });
