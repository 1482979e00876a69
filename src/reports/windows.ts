import type { timeseries } from "../operations/index.ts";
import type { AnswerOf } from "../operations/operation.ts";
import { sumPoints } from "../operations/timeseries.ts";
import type { WithVisits } from "../operations/visit-rates.ts";
import { type Bounds, subtract } from "./bounds.ts";

type Point = AnswerOf<typeof timeseries>["points"][number];

/** A span of complete days, with totals; with those of its visits, if all its days have them. */
export interface Window extends WithVisits {
  from: string;
  to: string;
  days: number;
  /** How many of its days have data; absent if all have, or if their number is not known. */
  days_with_data?: number | undefined;
  visitors: number;
  pageviews: number;
  /** Set if the visitors are those of each day, which do not add up to those of the window: only their average says something. */
  isByDay?: true;
}

export interface Change {
  /** Null if a window lacks data of some days: the difference of such sums says nothing. */
  absolute: number | null;
  /** One decimal; null if the earlier count is zero, or if the windows are not alike. */
  percent: number | null;
}

/** A count in two windows, divided by their days with data. Rounded by `roundRate`. */
export interface PerDay {
  current: number;
  previous: number;
  change: number;
  percent: number | null;
}

/** Measures changes of counts between two windows. */
export interface Measure {
  /** Whether there are only averages: the windows differ in length, or one lacks data of some days. */
  readonly isPerDay: boolean;
  /** False if nothing can be compared: it is not known how many days have data, or none has. */
  readonly isPossible: boolean;
  /** Whether there are percentages: both windows have data of whole days, counted alike. */
  readonly isComparable: boolean;
  change(current: number, previous: number): Change;
  /** Averages, if the windows are compared by them; else undefined. */
  perDay(current: number, previous: number): PerDay | undefined;
  /** The change as it is ranked: exact, of sums or of averages. */
  range(current: Bounds, previous: Bounds): Bounds;
  /** The averages that a range stands for. */
  rate(counts: Bounds, window: "current" | "previous"): Bounds;
}

/** With fewer visitors than this, a change or a rate may be due to chance. */
export const SMALL_SAMPLE = 100;
export const SMALL_SAMPLE_NOTE = `With under ${SMALL_SAMPLE} visitors in each period, a change may be due to chance.`;
/** Where it is true of rows alone. */
export const SMALL_ROWS_NOTE = `A row with under ${SMALL_SAMPLE} visitors in each period may have changed by chance.`;
/** How many rows are asked for: the contract's maximum, so that as few as possible are cut off. */
export const ROW_LIMIT = 1000;
/** The longest window: two of them and today fit into the 365 days of a series. */
export const MAX_WINDOW_DAYS = 182;

/** @param addUp Whether the visitors of days add up. */
export function sumWindow(points: readonly Point[], addUp = true): Window {
  return {
    ...(!addUp && { isByDay: true }),
    from: points[0]?.date ?? "",
    to: points.at(-1)?.date ?? "",
    days: points.length,
    ...sumPoints(points),
  };
}

/** Whole tenths. Rounds halves away from zero, so that a fall and a rise of the same size look alike. There is no -0. */
function roundTenths(tenths: number): number {
  const whole = Math.round(Math.abs(tenths));
  return (tenths < 0 && whole > 0 ? -whole : whole) / 10;
}

/** One decimal, and below 1 two digits, so that a small average or change is never shown as zero. */
export const roundRate = (rate: number) =>
  Math.abs(rate) < 1 ? Number(rate.toPrecision(2)) : roundTenths(10 * rate);

/** One decimal; null if there was nothing before. */
export const percentOf = (change: number, before: number) =>
  before === 0 ? null : roundTenths((1000 * change) / before);

/** What is known about the days of two windows (`coverage.ts`). */
export interface Alike {
  /** Whether percentages are right: missing data is not growth. */
  comparable: boolean;
  /** Whether days without data are missing, so that sums cannot be compared. */
  lacksDays: boolean;
  /** How many days of each window have data; undefined if that is not known. */
  covered: { current: number | undefined; previous: number | undefined };
}

/**
 * Measures changes between two windows: of their sums, if all days have data, and of averages per day with data, if the
 * windows differ in length or lack data of some days. Sums of windows that differ have no percentage.
 */
export function createMeasure(current: Window, previous: Window, alike: Alike): Measure {
  const { comparable, lacksDays, covered } = alike;
  const differs = lacksDays || current.days !== previous.days;
  const isPerDay = differs || current.isByDay === true;
  const isPossible = !lacksDays || (Boolean(covered.current) && Boolean(covered.previous));
  const days = { current: covered.current ?? current.days, previous: covered.previous ?? previous.days };
  /** The difference of two averages, by a single division. */
  const differ = (now: number, before: number) =>
    (now * days.previous - before * days.current) / (days.current * days.previous);
  return {
    isPerDay,
    isPossible,
    isComparable: comparable,
    change: (now, before) => ({
      absolute: lacksDays ? null : now - before,
      percent: comparable && !differs ? percentOf(now - before, before) : null,
    }),
    perDay: (now, before) => {
      if (!isPerDay || !isPossible) return undefined;
      return {
        current: roundRate(now / days.current),
        previous: roundRate(before / days.previous),
        change: roundRate(differ(now, before)),
        // Of whole numbers, so that no half is rounded the wrong way.
        percent: comparable
          ? percentOf(now * days.previous - before * days.current, before * days.current)
          : null,
      };
    },
    range: (now, before) =>
      isPerDay
        ? { least: differ(now.least, before.most), most: differ(now.most, before.least) }
        : subtract(now, before),
    rate: ({ least, most }, window) => ({
      least: roundRate(least / days[window]),
      most: roundRate(most / days[window]),
    }),
  };
}

/** Whether a change between two counts may be due to chance: chance makes no large count of a small one. */
export const isSmallChange = (current: number, previous: number): boolean =>
  Math.max(current, previous) < SMALL_SAMPLE;

/** The same of the visitors of two windows. Windows that cannot be compared have no change. */
export const isSmallSample = (measure: Measure, current: Window, previous: Window): boolean =>
  measure.isPossible && isSmallChange(current.visitors, previous.visitors);
