import { AnalyticsError } from "../errors.ts";
import type { breakdown } from "../operations/index.ts";
import type { ResultOf } from "../operations/operation.ts";
import { type Bounds, exact, furthest, narrow, nearest, subtract } from "./bounds.ts";
import { type Change, measureChange } from "./windows.ts";

export type Breakdown = ResultOf<typeof breakdown>;

/** One value of a dimension in two windows. A number that a limit or drift makes uncertain is null, never guessed. */
export interface Mover {
  value: string | null;
  label: string;
  current: number | null;
  previous: number | null;
  change: Change | null;
  /** The ranges, if a number is null. */
  bounds?: { current: Bounds; previous: Bounds; change: Bounds };
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

/** The values that changed most, and what is known of all others. */
export interface Movers {
  shown: Mover[];
  /** How many others may have changed, and by how many visitors at most. */
  more: { count: number; most: number };
}

/**
 * The values that certainly changed, those that changed most first: an uncertain change counts by the least that it can
 * be. `drift` is how far visits that arrived between the calls may have changed a difference. A negative difference
 * without drift means that the service contradicts itself: that is an error and is never clamped.
 */
export function findMovers(spans: Spans, drift: number, isWhole: boolean, limit: number): Movers {
  const movers = compareValues(spans, drift, isWhole);
  const ranked = movers.filter((mover) => nearest(rangeOf(mover)) > 0).sort(compareMovers);
  const shown = ranked.slice(0, limit);
  const others = movers.filter((mover) => furthest(rangeOf(mover)) > 0 && !shown.includes(mover));
  const unlisted = countUnlisted(spans, movers.length, drift);
  const most = Math.max(
    ...others.map((mover) => furthest(rangeOf(mover))),
    // It has at most as many visitors as the last row of a list, in both windows together.
    unlisted > 0 ? Math.max(mostUnlisted(spans.whole), mostUnlisted(spans.recent)) : 0,
    0,
  );
  const count = others.length + unlisted;
  return { shown, more: { count, most: count > 0 ? most + 2 * drift : 0 } };
}

/** Every value that one of the lists has. */
function compareValues(spans: Spans, drift: number, isWhole: boolean): Mover[] {
  const [whole, recent, today] = [indexRows(spans.whole), indexRows(spans.recent), indexRows(spans.today)];
  const labels = new Map([...today.labels, ...recent.labels, ...whole.labels]);
  return [...labels].map(([value, label]): Mover => {
    const [longest, shortest] = [whole.find(value), today.find(value)];
    // More days cannot have fewer visitors.
    const middle = narrow(recent.find(value), { least: shortest.least, most: longest.most });
    const bounds = {
      current: countBetween(middle, shortest, drift, label),
      previous: countBetween(longest, middle, drift, label),
    };
    const [current, previous] = [exact(bounds.current), exact(bounds.previous)];
    if (current !== null && previous !== null)
      return { value, label, current, previous, change: measureChange(current, previous, isWhole) };
    const change = subtract(bounds.current, bounds.previous);
    return { value, label, current, previous, change: null, bounds: { ...bounds, change } };
  });
}

function indexRows(list: Breakdown) {
  const { rows } = list;
  const byValue = new Map(rows.map((row) => [row.value, row.visitors]));
  const most = mostUnlisted(list);
  return {
    labels: rows.map((row) => [row.value, row.label] as const),
    find: (value: string | null): Bounds => {
      const visitors = byValue.get(value);
      return visitors === undefined ? { least: 0, most } : { least: visitors, most: visitors };
    },
  };
}

/** Rows are sorted by visitors, so a row that was cut off has at most as many as the last one here. */
const mostUnlisted = ({ rows, truncated }: Breakdown) =>
  truncated ? (rows.at(-1)?.visitors ?? Number.MAX_SAFE_INTEGER) : 0;

/** How many values are in none of the lists. The longest span has all of them, but for those that came while it was read. */
const countUnlisted = ({ whole }: Spans, listed: number, drift: number) =>
  whole.truncated ? Math.max(0, whole.total_rows - listed + drift) : 0;

/** The visitors of the days that only the longer span has. */
function countBetween(longer: Bounds, shorter: Bounds, drift: number, label: string): Bounds {
  const difference = subtract(longer, shorter);
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

const rangeOf = ({ change, bounds }: Mover): Bounds =>
  bounds?.change ?? { least: change?.absolute ?? 0, most: change?.absolute ?? 0 };

/** By the least possible change, then by the greatest, then by label. */
function compareMovers(a: Mover, b: Mover): number {
  const [first, second] = [rangeOf(a), rangeOf(b)];
  return (
    nearest(second) - nearest(first) ||
    furthest(second) - furthest(first) ||
    Number(a.label > b.label) - Number(a.label < b.label)
  );
}
