/** A number for each pair of whole numbers below 2^32. */
export interface PairNumbers {
  readonly size: number;
  find(a: number, b: number): number | undefined;
  /** The pair must not have a number yet. */
  set(a: number, b: number, number: number): void;
  forEach(take: (number: number, a: number, b: number) => void): void;
}

/** A pair, and its number from 1 up; 0 marks a free slot. */
const SLOT = 3;
/** The share of slots in use at which the table grows. */
const MAX_LOAD = 0.75;
/** Growing to twice the size would leave up to five slots of eight free. */
const GROWTH = 1.5;

/**
 * An open-addressing hash table. What takes time in a table of hundreds of thousands of pairs is each access to distant memory:
 * here it is one, in a Map of Maps some six.
 *
 * @param expected How many pairs there will be, if that is known.
 */
export function createPairNumbers(expected = 0): PairNumbers {
  let capacity = Math.ceil(expected / MAX_LOAD) + 4;
  let slots = new Uint32Array(SLOT * capacity);
  let size = 0;
  /** The index of the slot where a pair is, or belongs. */
  const findSlot = (a: number, b: number): number => {
    for (let at = SLOT * Math.floor(mix(a, b) * (capacity / 2 ** 32)); ; at += SLOT) {
      if (at === slots.length) at = 0;
      if (slots[at + 2] === 0 || (slots[at] === a && slots[at + 1] === b)) return at;
    }
  };
  const fill = (a: number, b: number, fromOne: number) => {
    const at = findSlot(a, b);
    slots[at] = a;
    slots[at + 1] = b;
    slots[at + 2] = fromOne;
  };
  const grow = () => {
    const before = slots;
    capacity = Math.ceil(GROWTH * capacity);
    slots = new Uint32Array(SLOT * capacity);
    forEachUsed(before, fill);
  };
  return {
    get size() {
      return size;
    },
    find: (a, b) => {
      const fromOne = slots[findSlot(a >>> 0, b >>> 0) + 2] ?? 0;
      return fromOne === 0 ? undefined : fromOne - 1;
    },
    set: (a, b, number) => {
      size++;
      if (size > MAX_LOAD * capacity) grow();
      fill(a >>> 0, b >>> 0, number + 1);
    },
    forEach: (take) => forEachUsed(slots, (a, b, fromOne) => take(fromOne - 1, a, b)),
  };
}

function forEachUsed(slots: Uint32Array, take: (a: number, b: number, fromOne: number) => void): void {
  for (let at = 0; at < slots.length; at += SLOT) {
    const fromOne = slots[at + 2] ?? 0;
    if (fromOne > 0) take(slots[at] ?? 0, slots[at + 1] ?? 0, fromOne);
  }
}

/** Spreads pairs over all bits (the finalizer of MurmurHash3). */
function mix(a: number, b: number): number {
  let hash = Math.imul(a, 0x9e3779b1) ^ b;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
