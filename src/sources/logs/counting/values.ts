import { copyText } from "../copy-text.ts";

/** Numbers texts in the order of their first appearance; null is 0. */
export interface Values {
  number(value: string | null): number;
  /** The number of a value; undefined if it has none yet. */
  find(value: string): number | undefined;
  at(number: number): string | null;
  /** Including null. */
  readonly size: number;
}

/** @param known The values by number, from 1 up. */
export function createValues(known: Iterable<string> = []): Values {
  const list: string[] = [...known];
  const numbers = new Map(list.map((value, index) => [value, index + 1]));
  return {
    number: (value) => {
      if (value === null) return 0;
      let number = numbers.get(value);
      if (number === undefined) {
        const copy = copyText(value);
        list.push(copy);
        number = list.length;
        numbers.set(copy, number);
      }
      return number;
    },
    find: (value) => numbers.get(value),
    at: (number) => (number === 0 ? null : (list[number - 1] ?? null)),
    get size() {
      return list.length + 1;
    },
  };
}
