/** The numbers that are nothing to report after some earlier ones, both ends included. */
export interface UsualRange {
  median: number;
  least: number;
  most: number;
}

/** How many deviations are usual. */
const DEVIATIONS = 3;
/** What makes a median absolute deviation a standard deviation, if numbers are spread normally. */
const TO_STANDARD_DEVIATION = 1.4826;
/** In parts of the median. Few numbers may be close to each other by chance, and a smaller change needs no mail. */
const ALWAYS_USUAL = 0.25;

/**
 * The usual range: the median of the earlier numbers, and three standard deviations on both sides, estimated from the median
 * absolute deviation, so that a single odd day changes nothing. At least a quarter of the median, and for counts what chance
 * explains.
 *
 * With a site whose Mondays differ by 10 % from week to week, an ordinary day is outside this range once in about 70 days,
 * with 20 % once in 16. The unscaled deviation would find every sixth ordinary day unusual.
 */
export function findUsualRange(earlier: readonly number[], isCount: boolean): UsualRange {
  const median = findMedian(earlier);
  const deviation = findMedian(earlier.map((value) => Math.abs(value - median)));
  const distance = Math.max(DEVIATIONS * TO_STANDARD_DEVIATION * deviation, ALWAYS_USUAL * median);
  const chance = isCount ? findChanceRange(median) : { least: median, most: median };
  return {
    median,
    least: Math.max(0, Math.min(median - distance, chance.least)),
    most: Math.max(median + distance, chance.most),
  };
}

/**
 * Whether chance explains that two counts differ: people come independently of each other, so the difference of two counts
 * varies by the square root of their sum.
 */
export const isByChance = (a: number, b: number): boolean => Math.abs(a - b) <= DEVIATIONS * Math.sqrt(a + b);

/** The numbers whose difference from a count chance explains: the solutions of (x - count)² = 9 (x + count). */
function findChanceRange(count: number): { least: number; most: number } {
  const square = DEVIATIONS ** 2;
  const root = Math.sqrt(square ** 2 + 8 * square * count);
  return { least: count + (square - root) / 2, most: count + (square + root) / 2 };
}

function findMedian(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const pair = sorted.slice(Math.ceil(middle) - 1, Math.floor(middle) + 1);
  return pair.reduce((sum, value) => sum + value, 0) / pair.length;
}
