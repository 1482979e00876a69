import { createHash, randomBytes } from "node:crypto";

/**
 * The addresses and senders of a day as they are kept on disk: hashes under a salt that is destroyed with the day, so that
 * a later process knows them again, and nobody finds out who they were.
 */
export interface KnownSenders {
  findAddress(group: string): number | undefined;
  findSender(group: string, userAgent: string): number | undefined;
}

/** The hashes one after the other, in the order of their numbers. */
export interface SenderHashes {
  salt: Uint8Array;
  addresses: Uint8Array;
  senders: Uint8Array;
}

/** Bytes of a hash: among a billion senders of a day, none are likely to share one. */
export const HASH_BYTES = 12;

export const createSalt = (): Uint8Array => randomBytes(32);

export const hashAddress = (salt: Uint8Array, group: string): Buffer => hash(salt, group);
export const hashSender = (salt: Uint8Array, group: string, userAgent: string): Buffer =>
  hash(salt, `${group}\n${userAgent}`);

/** Not HMAC, which takes five times as long in Node 24: a hash that is cut short cannot be extended anyway. */
const hash = (salt: Uint8Array, text: string): Buffer =>
  createHash("sha256").update(salt).update(text).digest().subarray(0, HASH_BYTES);

export function createKnownSenders({ salt, addresses, senders }: SenderHashes): KnownSenders {
  // Numbered when the first line asks: most starts find no new line.
  let byAddress: Map<string, number> | undefined;
  let bySender: Map<string, number> | undefined;
  return {
    findAddress: (group) => {
      byAddress ??= numberHashes(addresses);
      return byAddress.get(hashAddress(salt, group).toString("latin1"));
    },
    findSender: (group, userAgent) => {
      bySender ??= numberHashes(senders);
      return bySender.get(hashSender(salt, group, userAgent).toString("latin1"));
    },
  };
}

function numberHashes(hashes: Uint8Array): Map<string, number> {
  const bytes = Buffer.from(hashes.buffer, hashes.byteOffset, hashes.byteLength);
  const numbers = new Map<string, number>();
  for (let at = 0; at < bytes.length; at += HASH_BYTES) {
    numbers.set(bytes.toString("latin1", at, at + HASH_BYTES), at / HASH_BYTES);
  }
  return numbers;
}
