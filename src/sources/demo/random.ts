/**
 * Numbers in a row, the same ones for the same seed: splitmix32, whose n-th number is made of the seed and of n alone.
 * So a place in the row is one integer, and no number is drawn before it is asked for.
 */
const STEP = 0x9e3779b9;
const RANKS = 2 ** 32;

/** The start of a row: a hash of the seed's characters. */
export function startRow(seed: string): number {
  let place = STEP | 0;
  for (let index = 0; index < seed.length; index++) {
    place = Math.imul(place ^ seed.charCodeAt(index), 0x01000193);
  }
  // Mixed, or seeds that are alike would begin at places that are alike far apart, and share numbers.
  return rankAt(place, 0);
}

/** The place so many numbers further on. */
export const skip = (place: number, count: number): number => (place + Math.imul(count, STEP)) | 0;

/** The number so far behind a place, as a rank from -2^31 to 2^31 - 1: an integer, which costs V8 no memory. */
export function rankAt(place: number, count: number): number {
  const state = (place + Math.imul(count, STEP)) | 0;
  let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
  return mixed ^ (mixed >>> 15) ^ -0x80000000;
}

/** The same number, in [0, 1). */
export const drawAt = (place: number, count: number): number => (rankAt(place, count) + RANKS / 2) / RANKS;

/** A number's rank is below this one with that chance. */
export const rankOf = (chance: number): number => Math.round(chance * RANKS) - RANKS / 2;

/** A chooser among values, each as likely as its weight. */
export function createChoice<T>(values: readonly T[], weights: readonly number[]): (random: number) => T {
  let total = 0;
  const bounds = Float64Array.from(weights, (weight) => {
    total += weight;
    return total;
  });
  return (random) => {
    const target = random * total;
    // The first bound above the target; the last value where rounding leaves none.
    let [low, high] = [0, bounds.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (target < (bounds[middle] as number)) high = middle;
      else low = middle + 1;
    }
    return values[low] as T;
  };
}
