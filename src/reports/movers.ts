import { AnalyticsError } from "../errors.ts";
import type { breakdown } from "../operations/index.ts";
import type { ResultOf } from "../operations/operation.ts";
import { type Change, measureChange } from "./windows.ts";

export type Breakdown = ResultOf<typeof breakdown>;

/** The range that a count lies in, both ends included; they are equal if the count is known. */
export interface Bounds {
  least: number;
  most: number;
}

/** One value of a dimension in two windows. A number that a limit or drift makes uncertain is null, never guessed. */
export interface Mover {
  value: string | null;
  label: string;
  current: number | null;
  previous: number | null;
  change: Change | null;
  /** The ranges, if a number is null. */
  bounds?: { current: Bounds; previous: Bounds };
}

/** The three breakdowns that give both windows by subtraction. */
export type Spans = {
  /** Over both windows and today. */
  whole: Breakdown;
  /** Over the later window and today. */
  recent: Breakdown;
  /** Today only. */
  today: Breakdown;
};

/**
 * All values of both windows: the known ones first, by size of change, then the uncertain ones. `drift` is how far
 * visits that arrived between the calls may have changed a difference. A negative difference without drift means that
 * the service contradicts itself: that is an error and is never clamped.
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
  // Rows are sorted by visitors, so a row that was cut off has at most as many as the last one here.
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
      `The service's breakdowns contradict each other: ${JSON.stringify(label)} has fewer visitors over more days.`,
      { hint: "Nothing was compared, because the numbers would be wrong. Tell whoever runs the service." },
    );
  }
  if (difference.most < 0) return { least: 0, most: difference.most + drift };
  return { least: Math.max(0, difference.least), most: difference.most };
}

const exact = ({ least, most }: Bounds) => (least === most ? most : null);
const compareText = (a: string, b: string) => Number(a > b) - Number(a < b);
