/** Each call returns the next number of a sequence, in [0, 1). */
export type Random = () => number;

/** Draws one of several values, with probabilities in proportion to their weights. */
export type Choice<T> = (random: Random) => T;

/**
 * Creates a sequence of random numbers that only depends on the seed: SplitMix32, started at the FNV-1a hash of the seed.
 * Good enough for made-up data, never for secrets.
 */
export function createRandom(seed: string): Random {
  let state = 0x811c9dc5;
  for (let index = 0; index < seed.length; index++) {
    state = Math.imul(state ^ seed.charCodeAt(index), 0x01000193);
  }
  // Similar seeds have similar hashes, so their sequences could overlap: one would start a few steps into the other.
  state = scramble(state);
  return () => {
    state = (state + 0x9e3779b9) | 0;
    return scramble(state) / 2 ** 32;
  };
}

/** Maps a 32-bit integer to another one, from 0 to 2^32 - 1. */
function scramble(integer: number): number {
  let mixed = Math.imul(integer ^ (integer >>> 16), 0x21f0aaad);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
  return (mixed ^ (mixed >>> 15)) >>> 0;
}

/** Draws a number in [from, to). */
export function drawBetween(random: Random, { from, to }: { from: number; to: number }): number {
  return from + random() * (to - from);
}

/** Creates a weighted choice. Weights need not add up to 1. */
export function createChoice<T>(options: readonly (readonly [value: T, weight: number])[]): Choice<T> {
  let total = 0;
  const values = options.map(([value]) => value);
  /** Running sums of the weights: a value is drawn by the numbers from the previous bound up to its own. */
  const bounds = options.map(([, weight]) => {
    total += weight;
    return total;
  });
  return (random) => {
    const target = random() * total;
    let low = 0;
    let high = bounds.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (target < (bounds[middle] ?? total)) high = middle;
      else low = middle + 1;
    }
    // In range, unless there is nothing to choose from.
    return values[low] as T;
  };
}
