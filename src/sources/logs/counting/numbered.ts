/** Things numbered by a text that tells them apart. */
export interface Numbered<T> {
  /** By number. */
  readonly list: readonly T[];
  /** The texts, by number. */
  readonly keys: readonly string[];
  number(key: string, create: () => T): number;
}

export function createNumbered<T>(known: readonly (readonly [key: string, thing: T])[] = []): Numbered<T> {
  const numbers = new Map(known.map(([key], index) => [key, index]));
  const keys = known.map(([key]) => key);
  const list = known.map(([, thing]) => thing);
  return {
    keys,
    list,
    number: (key, create) => {
      let number = numbers.get(key);
      if (number === undefined) {
        number = list.length;
        numbers.set(key, number);
        keys.push(key);
        list.push(create());
      }
      return number;
    },
  };
}
