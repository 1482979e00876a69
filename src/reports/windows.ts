import type { timeseries } from "../operations/index.ts";
import type { ResultOf } from "../operations/operation.ts";

type Point = ResultOf<typeof timeseries>["points"][number];

/** A span of complete days and what they add up to. */
export interface Window {
  from: string;
  to: string;
  visitors: number;
  pageviews: number;
}

export interface Change {
  absolute: number;
  /** One decimal; null on a zero base, from which nothing can be a percentage. */
  percent: number | null;
}

/** Under this many visitors in either window, a change is not news. */
const SMALL_SAMPLE = 100;
export const SMALL_SAMPLE_NOTE = `Small sample: a window has fewer than ${SMALL_SAMPLE} visitors, so a change is not news.`;
/** The longest window: twice it and today fit the 365 days of a series. */
export const MAX_WINDOW_DAYS = 182;

/** How many days a series must cover to hold two windows of complete days, and today. */
export const seriesDaysFor = (days: number) => 2 * days + 1;

/**
 * The last `days` complete days and as many before them, from a series of `2 * days + 1` points whose last is
 * today: today is not over, so it is in neither.
 */
export function splitWindows(points: readonly Point[], days: number): { current: Window; previous: Window } {
  return {
    previous: sumWindow(points.slice(0, days)),
    current: sumWindow(points.slice(days, 2 * days)),
  };
}

export function sumWindow(points: readonly Point[]): Window {
  return {
    from: points[0]?.date ?? "",
    to: points.at(-1)?.date ?? "",
    visitors: points.reduce((sum, point) => sum + point.visitors, 0),
    pageviews: points.reduce((sum, point) => sum + point.pageviews, 0),
  };
}

/**
 * No percentage where the earlier window is not whole: that the site had no data then is no growth. `isWhole` is
 * what `isEarlierWhole` says of the series.
 */
export function measureChange(current: number, previous: number, isWhole: boolean): Change {
  const absolute = current - previous;
  const hasPercent = isWhole && previous !== 0;
  return { absolute, percent: hasPercent ? roundPercent(absolute, previous) : null };
}

/** A half goes away from zero, so that a fall reads as the rise of the same size; what rounds to nothing has no sign. */
function roundPercent(part: number, whole: number): number {
  const tenths = Math.round((1000 * Math.abs(part)) / whole);
  return (part < 0 && tenths > 0 ? -tenths : tenths) / 10;
}

/** Whether the site had data on all days of the earlier window, with which the series begins. */
export function isEarlierWhole({ warnings = [] }: ResultOf<typeof timeseries>): boolean {
  return !warnings.some(({ code }) => code === "before_data_since");
}

/** What a reader of a comparison has to know of its earlier window. */
export function noteEarlier({ from, visitors }: Window, isWhole: boolean): string[] {
  if (!isWhole)
    return [
      `The site had no data yet on ${from}: the earlier window is not whole, so a rise is no growth and has no percentage.`,
    ];
  return visitors === 0 ? ["The earlier window had no visitors: there is no percentage."] : [];
}

export function isSmallSample(current: Window, previous: Window): boolean {
  return Math.min(current.visitors, previous.visitors) < SMALL_SAMPLE;
}
