/** Things numbered by a text that tells them apart. */
export interface Numbered<T> {
  /** By number. */
  readonly list: readonly T[];
  has(key: string): boolean;
  number(key: string, create: () => T): number;
}

export function createNumbered<T>(): Numbered<T> {
  const numbers = new Map<string, number>();
  const list: T[] = [];
  return {
    list,
    has: (key) => numbers.has(key),
    number: (key, create) => {
      let number = numbers.get(key);
      if (number === undefined) {
        number = list.length;
        numbers.set(key, number);
        list.push(create());
      }
      return number;
    },
  };
}
