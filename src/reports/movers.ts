import { type Bounds, exact, furthest, nearest } from "./bounds.ts";
import { type Change, type Measure, type PerDay, roundRate } from "./windows.ts";

/** One value of a dimension in two windows. A number that a limit or visits that arrived meanwhile make uncertain is null, never guessed. */
export interface Mover {
  value: string | null;
  label: string;
  current: number | null;
  previous: number | null;
  change: Change | null;
  /** The averages, if the windows are compared by them. */
  per_day?: PerDay;
  /** The ranges, if a number is null. */
  bounds?: {
    current: Bounds;
    previous: Bounds;
    change?: Bounds;
    per_day?: { current: Bounds; previous: Bounds; change: Bounds };
  };
}

/** What is known about a dimension's values in two windows. */
export interface WindowCounts {
  values: readonly { value: string | null; label: string; current: Bounds; previous: Bounds }[];
  /** Values that are in no list: how many there may be, and how many visitors each has at most. */
  unlisted: { count: number; most: number };
  /** How far visits that arrived between the calls may have changed a count. */
  errorBound: number;
  /** Whether the service cut a list. */
  cut_off: boolean;
}

/** The values that changed most, and what is known about all others. */
export interface Movers {
  shown: Mover[];
  /** How many others may have changed, and by how many visitors at most: in all, or per day. */
  more: { count: number; most?: number; most_per_day?: number };
}

/** What is shown first: the largest changes, losses or gains. */
export const orders = ["change", "losses", "gains"] as const;
export type Order = (typeof orders)[number];

/** Which changes come first: those with the higher number. */
const groupOf = (order: Order, { least }: Bounds) =>
  order === "change" ? 0 : order === "gains" ? Number(least > 0) : Number(least <= 0);

/**
 * The values that certainly changed: largest change first; or all losses, or all gains, first, again with the largest on top.
 * An uncertain change is ranked by the smallest value that it can have.
 */
export function findMovers(
  { values, unlisted, errorBound }: WindowCounts,
  measure: Measure,
  limit: number,
  order: Order = "change",
): Movers {
  const movers = values.map(({ value, label, ...bounds }) => {
    const [current, previous] = [exact(bounds.current), exact(bounds.previous)];
    const range = measure.range(bounds.current, bounds.previous);
    const mover: Mover =
      current !== null && previous !== null
        ? { value, label, current, previous, ...measureCounts(measure, current, previous) }
        : { value, label, current, previous, change: null, bounds: measureBounds(measure, bounds, range) };
    return { mover, range };
  });
  const ranked = movers
    .filter(({ range }) => nearest(range) > 0)
    .sort(
      (a, b) =>
        groupOf(order, b.range) - groupOf(order, a.range) ||
        nearest(b.range) - nearest(a.range) ||
        furthest(b.range) - furthest(a.range) ||
        Number(a.mover.label > b.mover.label) - Number(a.mover.label < b.mover.label),
    );
  const shown = new Set(ranked.slice(0, limit));
  const others = movers.filter((mover) => furthest(mover.range) > 0 && !shown.has(mover));
  const hidden = measure.range({ least: 0, most: unlisted.most }, { least: 0, most: unlisted.most });
  const most = Math.max(
    ...others.map(({ range }) => furthest(range)),
    unlisted.count > 0 ? furthest(hidden) : 0,
    0,
  );
  const count = others.length + unlisted.count;
  const drift = measure.range({ least: 0, most: 2 * errorBound }, { least: 0, most: 0 });
  const bound = count > 0 ? most + furthest(drift) : 0;
  return {
    shown: [...shown].map(({ mover }) => mover),
    more: { count, ...(measure.isPerDay ? { most_per_day: roundRate(bound) } : { most: bound }) },
  };
}

function measureCounts(measure: Measure, current: number, previous: number) {
  const averages = measure.perDay(current, previous);
  return { change: measure.change(current, previous), ...(averages && { per_day: averages }) };
}

/** The ranges of an uncertain change, `range` being that of the change itself. */
function measureBounds(
  { isPerDay, rate }: Measure,
  { current, previous }: { current: Bounds; previous: Bounds },
  range: Bounds,
): NonNullable<Mover["bounds"]> {
  if (!isPerDay) return { current, previous, change: range };
  return {
    current,
    previous,
    per_day: {
      current: rate(current, "current"),
      previous: rate(previous, "previous"),
      change: { least: roundRate(range.least), most: roundRate(range.most) },
    },
  };
}
