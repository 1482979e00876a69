import type { timeseries } from "../operations/index.ts";
import type { ResultOf } from "../operations/operation.ts";
import { sumPoints } from "../operations/timeseries.ts";
import type { Bounds } from "./bounds.ts";

type Point = ResultOf<typeof timeseries>["points"][number];

/** A span of complete days, with totals. */
export interface Window {
  from: string;
  to: string;
  days: number;
  visitors: number;
  pageviews: number;
}

export interface Change {
  absolute: number;
  /** One decimal; null if the earlier count is zero or its window is incomplete. */
  percent: number | null;
}

/** Measures changes of counts, and of ranges. */
export interface Measure {
  change(current: number, previous: number): Change;
  range(current: Bounds, previous: Bounds): Bounds;
}

/** With fewer visitors than this in either window, a change may be due to chance. */
const SMALL_SAMPLE = 100;
export const SMALL_SAMPLE_NOTE = `Small sample (under ${SMALL_SAMPLE} visitors in a period): changes may be due to chance.`;
/** The longest window: two of them and today fit into the 365 days of a series. */
export const MAX_WINDOW_DAYS = 182;

export function sumWindow(points: readonly Point[]): Window {
  return {
    from: points[0]?.date ?? "",
    to: points.at(-1)?.date ?? "",
    days: points.length,
    ...sumPoints(points),
  };
}

/**
 * Gives no percentage if the earlier window is incomplete: missing data is not growth.
 *
 * @param isWhole Whether the site had data on all days of the earlier window.
 */
export function measureChange(current: number, previous: number, isWhole: boolean): Change {
  const absolute = current - previous;
  const hasPercent = isWhole && previous !== 0;
  return { absolute, percent: hasPercent ? roundTenths((1000 * absolute) / previous) : null };
}

/** Whole tenths. Rounds halves away from zero, so that a fall and a rise of the same size look alike. There is no -0. */
function roundTenths(tenths: number): number {
  const whole = Math.round(Math.abs(tenths));
  return (tenths < 0 && whole > 0 ? -whole : whole) / 10;
}

/**
 * Measures changes between two windows. If they have different numbers of days, changes are of averages per day, with one
 * decimal.
 */
export function createMeasure(current: Window, previous: Window, isWhole: boolean): Measure {
  const isEqual = current.days === previous.days;
  const perDay = (count: number, { days }: Window) => (isEqual ? count : count / days);
  const round = (value: number) => (isEqual ? value : roundTenths(10 * value));
  return {
    change: (a, b) => {
      const [now, before] = [perDay(a, current), perDay(b, previous)];
      const { percent } = measureChange(now, before, isWhole);
      return { absolute: round(now - before), percent };
    },
    range: (a, b) => ({
      least: round(perDay(a.least, current) - perDay(b.most, previous)),
      most: round(perDay(a.most, current) - perDay(b.least, previous)),
    }),
  };
}

export function isSmallSample(current: Window, previous: Window): boolean {
  return Math.min(current.visitors, previous.visitors) < SMALL_SAMPLE;
}
