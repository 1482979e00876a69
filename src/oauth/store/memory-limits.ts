import { isLive } from "./store.ts";

/** How many entries each write checks for expiry: more than a write can add, so expired ones do not pile up. */
const SWEPT_PER_WRITE = 20;

/** Keys in the order in which they were added, with the sizes of what they stand for. */
export function createQueue() {
  const sizes = new Map<string, number>();
  let bytes = 0;
  const remove = (key: string) => {
    bytes -= sizes.get(key) ?? 0;
    sizes.delete(key);
  };
  const add = (key: string, size: number) => {
    remove(key);
    sizes.set(key, size);
    bytes += size;
  };
  return { sizes, bytes: () => bytes, add, remove };
}

/** Checks a map's entries in turn, a few at each call, and removes expired ones. */
export function createSweeper<T>(
  map: Map<string, T>,
  endOf: (value: T) => number | undefined,
  remove: (key: string) => void,
): (now: number) => void {
  let round = map.entries();
  return (now) => {
    for (let left = SWEPT_PER_WRITE; left > 0; left--) {
      const next = round.next();
      if (next.done) {
        round = map.entries();
        return;
      }
      const [key, value] = next.value;
      if (!isLive(endOf(value), now)) remove(key);
    }
  };
}
