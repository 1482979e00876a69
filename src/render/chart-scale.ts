/** A day this many times higher than every ordinary one would leave them less than a third of the height. */
const FAR = 3;
/** More high days than this share are ordinary: a weekly pattern, or growth. */
const MAX_OUTLIERS = 1 / 6;
const FEWEST_DAYS = 5;

/** Marks a value above the scale. */
export const OFF_SCALE = "↑";

/**
 * The highest value of a picture's scale: the highest of all, or, if a few days are far above the others, the highest of
 * the others. One spike must not flatten a month. The median is robust: it hardly moves with a few outliers.
 */
export function findTop(values: readonly number[]): number {
  const sorted = values.filter((value) => value > 0).sort((a, b) => a - b);
  const most = sorted.at(-1) ?? 0;
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0;
  const ordinary = sorted.filter((value) => value <= FAR * median);
  const top = ordinary.at(-1) ?? most;
  const isFew = sorted.length - ordinary.length <= Math.max(1, sorted.length * MAX_OUTLIERS);
  return sorted.length >= FEWEST_DAYS && isFew && most > FAR * top ? top : most;
}
