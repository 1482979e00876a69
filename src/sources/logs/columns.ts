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

/** The numbers of a column; a view, not a copy. */
export const readColumn = ({ values, length }: Column): Uint32Array => values.subarray(0, length);

export function columnOf(values: Uint32Array): Column {
  return values.length === 0 ? createColumn() : { values, length: values.length };
}

/** A number for each pair of whole numbers. */
export interface PairNumbers {
  /** The pair's number; -1 if it has none. */
  find(a: number, b: number): number;
  /** The pair must not have a number yet. */
  set(a: number, b: number, number: number): void;
}

const FREE = 0;

/** An open-addressing hash table: a Map with text as keys would take five times the memory. */
export function createPairNumbers(): PairNumbers {
  const first = createColumn();
  const second = createColumn();
  const numbers = createColumn();
  // Positions in the columns from 1 up.
  let slots = new Uint32Array(256);
  const findSlot = (a: number, b: number) => {
    const mask = slots.length - 1;
    let slot = hashPair(a, b) & mask;
    for (;;) {
      const at = slots[slot] ?? FREE;
      if (at === FREE || (first.values[at - 1] === a && second.values[at - 1] === b)) return slot;
      slot = (slot + 1) & mask;
    }
  };
  const grow = () => {
    slots = new Uint32Array(2 * slots.length);
    for (let index = 0; index < first.length; index++) {
      slots[findSlot(first.values[index] ?? 0, second.values[index] ?? 0)] = index + 1;
    }
  };
  return {
    find: (a, b) => {
      const at = slots[findSlot(a, b)] ?? FREE;
      return at === FREE ? -1 : (numbers.values[at - 1] ?? -1);
    },
    set: (a, b, number) => {
      if (2 * (first.length + 1) > slots.length) grow();
      const slot = findSlot(a, b);
      append(first, a);
      append(second, b);
      append(numbers, number);
      slots[slot] = first.length;
    },
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
