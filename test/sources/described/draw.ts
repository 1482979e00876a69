import { createRandom } from "../../../src/sources/demo/random.ts";

/** Random choices that depend on a seed alone. */
export interface Draw {
  chance(probability: number): boolean;
  pick<T>(list: readonly T[]): T;
  /** One of the keys, in proportion to their weights. */
  weigh<K extends string>(weights: Readonly<Record<K, number>>): K;
  /** Both ends included. */
  int(from: number, to: number): number;
  shuffle<T>(list: readonly T[]): T[];
}

export function createDraw(seed: string): Draw {
  const random = createRandom(seed);
  const int = (from: number, to: number) => from + Math.floor(random() * (to - from + 1));
  return {
    chance: (probability) => random() < probability,
    // Lists are never empty.
    pick: (list) => list[int(0, list.length - 1)] as (typeof list)[number],
    weigh: <K extends string>(weights: Readonly<Record<K, number>>) => {
      const entries = Object.entries<number>(weights);
      let left = random() * entries.reduce((sum, [, weight]) => sum + weight, 0);
      const found = entries.find(([, weight]) => {
        left -= weight;
        return left < 0;
      });
      return (found ?? entries[0])?.[0] as K;
    },
    int,
    shuffle: (list) => {
      const shuffled = [...list];
      for (let index = shuffled.length - 1; index > 0; index--) {
        const other = int(0, index);
        [shuffled[index], shuffled[other]] = [
          shuffled[other] as (typeof list)[number],
          shuffled[index] as (typeof list)[number],
        ];
      }
      return shuffled;
    },
  };
}
