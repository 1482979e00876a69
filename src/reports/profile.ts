import { readMember } from "../member.ts";
import { type Note, note } from "../operations/note.ts";
import { nameWeekday } from "../operations/period.ts";
import { type AtMost, sumAtMost } from "../operations/ranges.ts";
import { sumPoints } from "../operations/timeseries.ts";
import { rateVisits, type VisitRates, type WithVisits } from "../operations/visit-rates.ts";

/*
 * When people come: the days or the hours of a series, folded into the days of a week, the hours of a day, or both. Pure: what is
 * folded are the points of complete days with data.
 */

export const PROFILE_INTERVALS = ["weekday", "hour_of_day", "week_hour"] as const;
/** The lengths of a point, and when people come. */
export const SERIES_INTERVALS = ["hour", "day", "week", "month", ...PROFILE_INTERVALS] as const;
export type ProfileInterval = (typeof PROFILE_INTERVALS)[number];

/** Names that models use for lengths of a point. */
const ADVERBS: Readonly<Record<string, string>> = {
  hourly: "hour",
  daily: "day",
  weekly: "week",
  monthly: "month",
};

/** An interval by any of its names, such as `days` or `daily`; undefined if it is none. */
export function findInterval(text: string) {
  const word = text.slice(0, 40).trim().toLowerCase();
  const name = readMember(ADVERBS, word) ?? word.replace(/s$/, "");
  return SERIES_INTERVALS.find((each) => each === name);
}

export const isProfile = (interval: string | undefined): interval is ProfileInterval =>
  PROFILE_INTERVALS.some((each) => each === interval);

/** A day of a series, or an hour of one. */
export interface DatedPoint extends WithVisits, AtMost {
  date: string;
  /** As the clocks show it, from 0; absent of a day. */
  hour?: number;
  visitors: number;
  pageviews: number;
}

/** A day of the week, an hour of the day, or an hour of a day of the week. Its counts are averages of its days. */
export interface Slot extends Partial<VisitRates>, AtMost {
  /** In English. */
  weekday?: string;
  hour?: number;
  /** How many days with data it has. */
  days: number;
  visitors: number;
  pageviews: number;
}

/**
 * Folds points into slots, from Monday and from midnight on; a slot without a day is left out. An hour that the clocks of a day
 * repeat is one hour of the slot.
 */
export function foldSeries(interval: ProfileInterval, points: readonly DatedPoint[]): Slot[] {
  const groups = new Map<number, DatedPoint[]>();
  for (const point of points) {
    const weekday = interval === "hour_of_day" ? 0 : placeInWeek(point.date);
    const key = 24 * weekday + (interval === "weekday" ? 0 : (point.hour ?? 0));
    groups.set(key, [...(groups.get(key) ?? []), point]);
  }
  return [...groups]
    .sort(([a], [b]) => a - b)
    .map(([key, group]) => {
      const days = new Set(group.map(({ date }) => date)).size;
      const { visitors, pageviews, ...ofVisits } = sumPoints(group);
      const rates = rateVisits({ pageviews, ...ofVisits });
      return {
        ...(interval !== "hour_of_day" && { weekday: nameWeekday(group[0]?.date ?? "") }),
        ...(interval !== "weekday" && { hour: key % 24 }),
        days,
        visitors: average(visitors, days),
        pageviews: average(pageviews, days),
        ...Object.fromEntries(
          Object.entries(sumAtMost(group)).map(([name, most = 0]) => [name, average(most, days)]),
        ),
        ...(rates && { ...rates, visits: average(rates.visits, days) }),
      };
    });
}

/** From 0, Monday. */
const placeInWeek = (date: string) => (new Date(`${date}T00:00:00Z`).getUTCDay() + 6) % 7;

/** Rounded half up to one decimal, and below 0.1 to two digits, so that what happened never shows as zero. */
function average(sum: number, days: number): number {
  const rounded = Math.round((10 * sum) / days) / 10;
  return rounded === 0 ? Number((sum / days).toPrecision(2)) : rounded;
}

/** The points with the most and the fewest visitors. */
export interface Extremes<P> {
  /** The earliest of them. */
  highest: P;
  lowest: P;
  /** How many others have as many. */
  ties: { highest: number; lowest: number };
}

/** Undefined if all points have the same visitors, or if some are ranges. */
export function findExtremes<P extends { visitors: number } & AtMost>(
  points: readonly P[],
): Extremes<P> | undefined {
  const [first, ...rest] = points;
  if (first === undefined || points.some((point) => point.visitors_at_most !== undefined)) return undefined;
  const highest = rest.reduce((most, point) => (point.visitors > most.visitors ? point : most), first);
  const lowest = rest.reduce((least, point) => (point.visitors < least.visitors ? point : least), first);
  if (highest.visitors === lowest.visitors) return undefined;
  const countOthers = ({ visitors }: P) => points.filter((point) => point.visitors === visitors).length - 1;
  return { highest, lowest, ties: { highest: countOthers(highest), lowest: countOthers(lowest) } };
}

/** The name of the first of some points that have the same number, and how many others there are. */
export const nameFirst = (name: string, others: number): Note =>
  others === 0 ? name : note`${name} and ${others} more`;
