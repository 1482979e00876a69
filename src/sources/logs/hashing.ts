import { hash as hashBytes, randomBytes } from "node:crypto";

/** A hash of 53 bits (cyrb53), unlikely to collide among some million texts. It is not cryptographic. */
export function hashText(text: string): number {
  let [a, b] = [0xdeadbeef, 0x41c6ce57];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    a = Math.imul(a ^ code, 2_654_435_761);
    b = Math.imul(b ^ code, 1_597_334_677);
  }
  a = Math.imul(a ^ (a >>> 16), 2_246_822_507) ^ Math.imul(b ^ (b >>> 13), 3_266_489_909);
  b = Math.imul(b ^ (b >>> 16), 2_246_822_507) ^ Math.imul(a ^ (a >>> 13), 3_266_489_909);
  return 4_294_967_296 * (2_097_151 & b) + (a >>> 0);
}

/** A salt makes hashes useless once it is destroyed: nobody can try out which address has a hash. */
export const createSalt = (): Uint8Array => randomBytes(32);

/** Bytes of a salted hash: among a billion senders of a day, none are likely to share one. */
export const HASH_BYTES = 12;

/**
 * The first bytes of SHA-256 of a salt and a text, each as a character ("binary", that is latin1). Not HMAC, which takes five
 * times as long in Node 24: a truncated hash is safe from length extension anyway. One call without new memory takes a third
 * of the time of a hash object.
 */
export function hashSalted(salt: Uint8Array, text: string): string {
  const length = salt.length + Buffer.byteLength(text);
  if (length > input.length) input = Buffer.alloc(2 * length);
  input.set(salt);
  input.write(text, salt.length);
  return hashBytes("sha256", input.subarray(0, length), "binary").slice(0, HASH_BYTES);
}

let input = Buffer.alloc(1_000);
