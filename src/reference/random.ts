/** Numbers in [0, 1), the same ones for the same seed. */
export interface Random {
  next(): number;
  /** Leaves the next number undrawn: `drawAt` makes it of this, where it is asked for. */
  skip(): number;
}

const STEP = 0x9e3779b9;

/** splitmix32 over a hash of the seed's characters: each number is made of how many came before it alone. */
export function createRandom(seed: string): Random {
  let state = STEP;
  for (let index = 0; index < seed.length; index++) {
    state = Math.imul(state ^ seed.charCodeAt(index), 0x01000193);
  }
  const skip = () => {
    state = (state + STEP) | 0;
    return state;
  };
  return { next: () => drawAt(skip()), skip };
}

/** The number that was skipped. */
export function drawAt(state: number): number {
  let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
  return ((mixed ^ (mixed >>> 15)) >>> 0) / 4_294_967_296;
}

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
