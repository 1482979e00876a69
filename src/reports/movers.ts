import { AnalyticsError } from "../errors.ts";
import type { breakdown } from "../operations/index.ts";
import type { ResultOf } from "../operations/operation.ts";
import { type Change, measureChange } from "./windows.ts";

export type Breakdown = ResultOf<typeof breakdown>;

/** A count that is known only to lie between two numbers, both included; equal where it is known. */
export interface Bounds {
  least: number;
  most: number;
}

/** One value of a dimension in two windows. What a limit or a drift left uncertain is null, never guessed. */
export interface Mover {
  value: string | null;
  label: string;
  current: number | null;
  previous: number | null;
  change: Change | null;
  /** Where a number is null: what it lies between. */
  bounds?: { current: Bounds; previous: Bounds };
}

/** The three breakdowns from which both windows follow by subtraction. */
export interface Spans {
  /** Over both windows and today. */
  whole: Breakdown;
  /** Over the later window and today. */
  recent: Breakdown;
  /** Today alone. */
  today: Breakdown;
}

/**
 * Every value of both windows: what is known first, by how much it moved, then what is uncertain. `drift` is by
 * how much visits that arrived between the calls may have changed a difference; without drift, a negative
 * difference means that the service contradicts itself, which is an error and never clamped.
 */
export function findMovers(spans: Spans, drift: number, isWhole: boolean): Mover[] {
  const [whole, recent, today] = [indexRows(spans.whole), indexRows(spans.recent), indexRows(spans.today)];
  const labels = new Map([...today.labels, ...recent.labels, ...whole.labels]);
  const movers = [...labels].map(([value, label]): Mover => {
    const bounds = {
      current: subtract(recent.find(value), today.find(value), drift, label),
      previous: subtract(whole.find(value), recent.find(value), drift, label),
    };
    const [current, previous] = [exact(bounds.current), exact(bounds.previous)];
    if (current === null || previous === null)
      return { value, label, current, previous, change: null, bounds };
    return { value, label, current, previous, change: measureChange(current, previous, isWhole) };
  });
  return movers.sort(
    (a, b) =>
      Number(a.change === null) - Number(b.change === null) ||
      Math.abs(b.change?.absolute ?? 0) - Math.abs(a.change?.absolute ?? 0) ||
      (b.bounds?.current.most ?? 0) - (a.bounds?.current.most ?? 0) ||
      compareText(a.label, b.label),
  );
}

function indexRows({ rows, truncated }: Breakdown) {
  const byValue = new Map(rows.map((row) => [row.value, row.visitors]));
  // Rows are in order of visitors: what was cut off has no more than the last one shown.
  const most = truncated ? (rows.at(-1)?.visitors ?? Number.MAX_SAFE_INTEGER) : 0;
  return {
    labels: rows.map((row) => [row.value, row.label] as const),
    find: (value: string | null): Bounds => {
      const visitors = byValue.get(value);
      return visitors === undefined ? { least: 0, most } : { least: visitors, most: visitors };
    },
  };
}

function subtract(longer: Bounds, shorter: Bounds, drift: number, label: string): Bounds {
  const difference = { least: longer.least - shorter.most, most: longer.most - shorter.least };
  if (difference.most < -drift) {
    throw new AnalyticsError(
      "bad_answer",
      `The service counts fewer visitors for ${JSON.stringify(label)} over more days: its breakdowns contradict each other.`,
      { hint: "Nothing was compared, since the numbers would be wrong. Tell whoever runs the service." },
    );
  }
  if (difference.most < 0) return { least: 0, most: difference.most + drift };
  return { least: Math.max(0, difference.least), most: difference.most };
}

const exact = ({ least, most }: Bounds) => (least === most ? most : null);
const compareText = (a: string, b: string) => Number(a > b) - Number(a < b);
