import { copyText } from "../copy-text.ts";

/** Counts texts, such as paths. */
export interface TextTally {
  add(text: string): void;
  /** The most frequent texts; equally frequent ones in alphabetical order. */
  top(limit: number): { text: string; count: number }[];
  readonly size: number;
}

/** Further texts are not counted: a report shows only a few of the most frequent. */
const MAX_TEXTS = 20_000;

export function createTextTally(): TextTally {
  const counts = new Map<string, number>();
  return {
    add: (text) => {
      const count = counts.get(text);
      if (count !== undefined) counts.set(text, count + 1);
      else if (counts.size < MAX_TEXTS) counts.set(copyText(text), 1);
    },
    top: (limit) =>
      [...counts]
        .map(([text, count]) => ({ text, count }))
        .sort((a, b) => b.count - a.count || (a.text < b.text ? -1 : 1))
        .slice(0, limit),
    get size() {
      return counts.size;
    },
  };
}

/** A map that creates missing values. */
export function createLookup<K, T>(create: () => T): { get(key: K): T; readonly all: ReadonlyMap<K, T> } {
  const all = new Map<K, T>();
  return {
    all,
    get: (key) => {
      let found = all.get(key);
      if (found === undefined) {
        found = create();
        all.set(key, found);
      }
      return found;
    },
  };
}
