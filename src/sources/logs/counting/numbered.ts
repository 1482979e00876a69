import { copyText } from "../copy-text.ts";

/** Things numbered by a text that tells them apart. */
export interface Numbered<T> {
  /** By number. */
  readonly list: readonly T[];
  has(key: string): boolean;
  /** The number of a key; undefined if it has none yet. */
  find(key: string): number | undefined;
  number(key: string, create: () => T): number;
  /** Adds a thing with the next number, even if its key has one already. */
  append(key: string, thing: T): void;
}

export function createNumbered<T>(): Numbered<T> {
  const numbers = new Map<string, number>();
  const list: T[] = [];
  return {
    list,
    has: (key) => numbers.has(key),
    find: (key) => numbers.get(key),
    number: (key, create) => {
      let number = numbers.get(key);
      if (number === undefined) {
        number = list.length;
        // The key may be put together from parts of lines.
        numbers.set(copyText(key), number);
        list.push(create());
      }
      return number;
    },
    append: (key, thing) => {
      if (!numbers.has(key)) numbers.set(key, list.length);
      list.push(thing);
    },
  };
}
