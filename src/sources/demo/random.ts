/** Each call returns the next number of a sequence, in [0, 1). */
export type Random = () => number;

/** Draws one of several values, each as often as its weight says. */
export type Choice<T> = (random: Random) => T;

/**
 * A sequence that is the same whenever and wherever it starts from the same seed: SplitMix32, started at a hash
 * (FNV-1a) of the seed. Good enough for made-up data, never for secrets.
 */
export function createRandom(seed: string): Random {
  let state = 0x811c9dc5;
  for (let index = 0; index < seed.length; index++) {
    state = Math.imul(state ^ seed.charCodeAt(index), 0x01000193);
  }
  // Similar seeds have similar hashes, and a sequence that starts a few steps into another repeats its numbers.
  state = scramble(state);
  return () => {
    state = (state + 0x9e3779b9) | 0;
    return scramble(state) / 2 ** 32;
  };
}

/** Turns a 32-bit integer into another one, from 0 to 2^32 - 1. */
function scramble(integer: number): number {
  let mixed = Math.imul(integer ^ (integer >>> 16), 0x21f0aaad);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
  return (mixed ^ (mixed >>> 15)) >>> 0;
}

/** A number from `from` up to, but not including, `to`. */
export function drawBetween(random: Random, { from, to }: { from: number; to: number }): number {
  return from + random() * (to - from);
}

export function createChoice<T>(options: readonly (readonly [value: T, weight: number])[]): Choice<T> {
  let total = 0;
  const values = options.map(([value]) => value);
  /** Each value owns the numbers below its bound that belong to no value before it. */
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
