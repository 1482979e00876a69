/** A growing list of whole numbers below 2^32. */
export interface Column {
  /** Longer than the list: only the first `length` numbers count. */
  values: Uint32Array;
  length: number;
}

export const createColumn = (size = 64): Column => ({ values: new Uint32Array(size), length: 0 });

export function append(column: Column, value: number): void {
  if (column.length === column.values.length) {
    const grown = new Uint32Array(2 * column.length);
    grown.set(column.values);
    column.values = grown;
  }
  column.values[column.length++] = value;
}

export function increase({ values }: Column, at: number, by: number): void {
  values[at] = (values[at] ?? 0) + by;
}

/** The numbers of a column; a view, not a copy. */
export const readColumn = ({ values, length }: Column): Uint32Array => values.subarray(0, length);

export function columnOf(values: Uint32Array): Column {
  return values.length === 0 ? createColumn() : { values, length: values.length };
}

/** A number for each pair of whole numbers. */
export interface PairNumbers {
  /** The pair's number; -1 if it has none. */
  find(a: number, b: number): number;
  readonly size: number;
  /** The pair must not have a number yet. */
  set(a: number, b: number, number: number): void;
  forEach(take: (number: number, a: number, b: number) => void): void;
}

/** A pair, and its number from 1 up; 0 marks a free slot. They lie together, since each access to distant memory takes time. */
const SLOT = 3;

/** An open-addressing hash table: a Map with text as keys would take five times the memory. */
export function createPairNumbers(): PairNumbers {
  let slots = new Uint32Array(128 * SLOT);
  let mask = 127;
  let size = 0;
  /** Where a pair is, or belongs. */
  const findSlot = (a: number, b: number) => {
    for (let slot = hashPair(a, b) & mask; ; slot = (slot + 1) & mask) {
      const at = slot * SLOT;
      if (slots[at + 2] === 0 || (slots[at] === a && slots[at + 1] === b)) return at;
    }
  };
  const put = (a: number, b: number, numberFromOne: number) => {
    const at = findSlot(a, b);
    slots[at] = a;
    slots[at + 1] = b;
    slots[at + 2] = numberFromOne;
  };
  const forEachSlot = (all: Uint32Array, take: (a: number, b: number, numberFromOne: number) => void) => {
    for (let at = 0; at < all.length; at += SLOT) {
      const number = all[at + 2] ?? 0;
      if (number > 0) take(all[at] ?? 0, all[at + 1] ?? 0, number);
    }
  };
  return {
    find: (a, b) => (slots[findSlot(a, b) + 2] ?? 0) - 1,
    get size() {
      return size;
    },
    set: (a, b, number) => {
      if (++size > 0.6 * (mask + 1)) {
        const before = slots;
        mask = 2 * mask + 1;
        slots = new Uint32Array((mask + 1) * SLOT);
        forEachSlot(before, put);
      }
      put(a, b, number + 1);
    },
    forEach: (take) => forEachSlot(slots, (a, b, number) => take(number - 1, a, b)),
  };
}

/** Mixes both numbers' bits (the finalizer of MurmurHash3). */
function hashPair(a: number, b: number): number {
  let hash = Math.imul(a, 0x9e3779b1) ^ Math.imul(b + 1, 0x85ebca6b);
  hash ^= hash >>> 16;
  hash = Math.imul(hash, 0x7feb352d);
  hash ^= hash >>> 15;
  hash = Math.imul(hash, 0x846ca68b);
  return (hash ^ (hash >>> 16)) >>> 0;
}
