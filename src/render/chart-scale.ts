/** A value more than this many times the others would squeeze them into the lowest third of the picture. */
const FAR_ABOVE = 3;
/** If a larger share of the values is high, they are not outliers but a weekly pattern or growth. */
const MAX_OUTLIERS = 1 / 6;
const MIN_VALUES = 5;

/** Marks a value above the scale. */
export const OFF_SCALE = "↑";

/**
 * The top of a picture's scale: the highest value, or, if a few values are far above the others, the highest of the others.
 * One spike must not flatten a month. Far above is measured from the median, because a few outliers hardly move it.
 */
export function findTop(values: readonly (number | null)[]): number {
  const sorted = values
    .filter((value) => value !== null)
    .filter((value) => value > 0)
    .sort((a, b) => a - b);
  const most = sorted.at(-1) ?? 0;
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0;
  const ordinary = sorted.filter((value) => value <= FAR_ABOVE * median);
  const top = ordinary.at(-1) ?? most;
  const isFew = sorted.length - ordinary.length <= Math.max(1, sorted.length * MAX_OUTLIERS);
  return sorted.length >= MIN_VALUES && isFew && most > FAR_ABOVE * top ? top : most;
}
