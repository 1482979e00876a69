/** A map that creates missing values. */
export function createLookup<K, T>(
  create: (key: K) => T,
): { get(key: K): T; readonly all: ReadonlyMap<K, T> } {
  const all = new Map<K, T>();
  return {
    all,
    get: (key) => {
      let found = all.get(key);
      if (found === undefined) {
        found = create(key);
        all.set(key, found);
      }
      return found;
    },
  };
}
