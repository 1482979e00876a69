import { addDays } from "../../operations/days.ts";
import { groupFromEnd, MAX_DAYS, WEEK } from "../../render/trend-axis.ts";
import { isHour } from "./format.ts";
import type { Overview } from "./shapes.ts";

export type Trend = Overview["trend"];
export type Measure = keyof typeof MEASURES;

export interface DayCount {
  /** The day, the hour, or the first day of a week. */
  name: string;
  /** The last day of a week. */
  to?: string;
  /** Zero if it is missing; of a week, the mean of its days with data. */
  count: number;
  /** Set if there is no data of it. */
  missing?: boolean;
  /** Set if there is data of some days of a week only. */
  part?: boolean;
}

/** A day of the trend with one measure; an hour or a week, if the trend is one of hours, or long. */
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

/** What a point is: a day, an hour, or a week. */
export const unitOf = ([first]: Day[]) =>
  isHour(first?.name) ? "hour" : first?.to === undefined ? "day" : "week";

export const titleOf = (days: Day[], measure: Measure) =>
  `${MEASURES[measure].name} per ${unitOf(days) === "hour" ? "hour" : "day"}${unitOf(days) === "week" ? ", week by week" : ""}`;

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

/**
 * The points that are drawn: the days, or the means of weeks if there are many. Weeks are counted from the last complete day, so only
 * the first one can have fewer days; an incomplete day stays alone.
 */
export function readPoints(trend: Trend, measure: Measure): Day[] {
  const days = readDays(trend, measure);
  if (days.length <= MAX_DAYS || unitOf(days) === "hour") return days;
  const complete = days.filter(({ open }) => !open);
  const weeks = groupFromEnd(complete, WEEK).map((week) => {
    const before = week.flatMap((day) => day.before ?? []);
    return {
      ...meanOf(week),
      open: false,
      before: before.length === week.length ? meanOf(before) : undefined,
    };
  });
  return [...weeks, ...days.filter(({ open }) => open)];
}

function meanOf(days: DayCount[]): DayCount {
  const known = days.filter(({ missing }) => !missing);
  const sum = known.reduce((total, { count }) => total + count, 0);
  return {
    ...{ name: days[0]?.name ?? "", to: days.at(-1)?.name ?? "" },
    count: Math.round(sum / Math.max(1, known.length)),
    missing: known.length === 0,
    part: known.length < 7,
  };
}

/** The days of the span before that are drawn. */
export const listBefore = (days: Day[]): DayCount[] => days.flatMap(({ before }) => before ?? []);

export const readSpan = (days: DayCount[]) => {
  const last = days.at(-1);
  return { from: days[0]?.name ?? "", to: last?.to ?? last?.name ?? "" };
};
