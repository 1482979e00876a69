import { note } from "../operations/note.ts";
import type { AtMost } from "../operations/ranges.ts";
import { rateVisits, type WithVisits } from "../operations/visit-rates.ts";
import { formatDuration } from "../render/duration.ts";
import { roundRate } from "./windows.ts";

export const metrics = [
  "visitors",
  "pageviews",
  "events",
  "visits",
  "bounce_rate",
  "views_per_visit",
  "seconds_per_visit",
] as const;
export type Metric = (typeof metrics)[number];

/** The totals of some days, as far as the source knows them. */
export interface Totals extends WithVisits, AtMost {
  /** Null where those of the days do not add up. */
  visitors: number | null;
  pageviews: number;
  events?: number | undefined;
}

const UNITS: Readonly<
  Record<Exclude<Metric, "bounce_rate" | "seconds_per_visit">, readonly [one: string, other: string]>
> = {
  visitors: ["visitor", "visitors"],
  pageviews: ["page view", "page views"],
  events: ["event", "events"],
  visits: ["visit", "visits"],
  views_per_visit: ["page view a visit", "page views a visit"],
};

/** Whether a metric adds up over days; the others are averages of the visits. */
export const isCount = (metric: Metric): boolean =>
  metric === "visitors" || metric === "pageviews" || metric === "events" || metric === "visits";

/** A metric of some totals: null if there were no visits to divide by, undefined if the source does not know it. */
export function readMetric(metric: Metric, totals: Totals): number | null | undefined {
  switch (metric) {
    case "visitors":
    case "pageviews":
    case "events":
    case "visits":
      return totals[metric];
    case "bounce_rate":
    case "views_per_visit":
    case "seconds_per_visit":
      return rateVisits(totals)?.[metric];
  }
}

/** A value in words, such as `87 visitors`. */
export function describeValue(metric: Metric, value: number) {
  if (metric === "bounce_rate") return note`a bounce rate of ${value}%`;
  if (metric === "seconds_per_visit") return note`${formatDuration(value)} a visit`;
  const [one, other] = UNITS[metric];
  return note`${value} ${value === 1 ? one : other}`;
}

/** A value beside another one that has its unit. */
export const describeNumber = (metric: Metric, value: number) =>
  metric === "seconds_per_visit"
    ? note`${formatDuration(value)}`
    : metric === "bounce_rate"
      ? note`${roundRate(value)}%`
      : note`${roundRate(value)}`;
