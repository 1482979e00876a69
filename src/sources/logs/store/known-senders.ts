import type { KnownSenders, SenderHashes } from "../counting/open-day.ts";
import { HASH_BYTES, hashSalted } from "../hashing.ts";

/** Each byte of a hash as a character ("binary", that is latin1). */
export const hashAddress = (salt: Uint8Array, group: string): string => hashSalted(salt, group);
export const hashSender = (salt: Uint8Array, group: string, userAgent: string): string =>
  hashSalted(salt, `${group}\n${userAgent}`);

/**
 * Recognizes the addresses and senders of a day that an earlier process kept: hashes under a salt that is destroyed when the
 * day is closed, from which nobody can find out who they were.
 */
export function createKnownSenders({ salt, addresses, senders }: SenderHashes): KnownSenders {
  // Built when the first line needs it: most runs find no new line.
  let findAddress: FindHash | undefined;
  let findSender: FindHash | undefined;
  return {
    findAddress: (group) => {
      findAddress ??= createFindHash(addresses);
      return findAddress(hashAddress(salt, group));
    },
    findSender: (group, userAgent) => {
      findSender ??= createFindHash(senders);
      return findSender(hashSender(salt, group, userAgent));
    },
  };
}

/** The number of a hash; undefined if it is not in the list. */
type FindHash = (hash: string) => number | undefined;

/**
 * A hash table with open addressing, over hashes that stay where they are: to make a Map of their texts takes ten times as
 * long. The first bytes of a hash, which are as good as random, say in which slot to look first.
 */
function createFindHash(hashes: Uint8Array): FindHash {
  const count = hashes.length / HASH_BYTES;
  const mask = 2 ** Math.ceil(Math.log2(2 * count + 1)) - 1;
  /** Numbers from 1 up; 0 is an empty slot. */
  const slots = new Uint32Array(mask + 1);
  const view = new DataView(hashes.buffer, hashes.byteOffset, hashes.byteLength);
  for (let number = 0; number < count; number++) {
    let slot = view.getUint32(number * HASH_BYTES, true) & mask;
    while (slots[slot] !== 0) slot = (slot + 1) & mask;
    slots[slot] = number + 1;
  }
  const isSame = (hash: string, at: number) => {
    for (let byte = 0; byte < HASH_BYTES; byte++) {
      if (hash.charCodeAt(byte) !== hashes[at + byte]) return false;
    }
    return true;
  };
  return (hash) => {
    const first =
      hash.charCodeAt(0) |
      (hash.charCodeAt(1) << 8) |
      (hash.charCodeAt(2) << 16) |
      (hash.charCodeAt(3) << 24);
    for (let slot = first & mask; slots[slot] !== 0; slot = (slot + 1) & mask) {
      const number = (slots[slot] ?? 0) - 1;
      if (isSame(hash, number * HASH_BYTES)) return number;
    }
    return undefined;
  };
}
