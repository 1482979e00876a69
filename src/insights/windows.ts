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
export const SMALL_SAMPLE = 100;
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

export function measureChange(current: number, previous: number): Change {
  const absolute = current - previous;
  return { absolute, percent: previous === 0 ? null : Math.round((1000 * absolute) / previous) / 10 };
}

export function isSmallSample(current: Window, previous: Window): boolean {
  return Math.min(current.visitors, previous.visitors) < SMALL_SAMPLE;
}
