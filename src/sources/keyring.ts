import { createHash, timingSafeEqual } from "node:crypto";
import type { PartialSource } from "./data-source.ts";

/** What a key gives access to: the data of the organization that it belongs to. */
export interface KeyHolder<S extends PartialSource = PartialSource> {
  keyId: string;
  /** Its name in the keys file, if it is in one. */
  organization?: string;
  source: S;
}

/** Finds the holder of a key; undefined if the key is not valid. */
export type Keyring<S extends PartialSource = PartialSource> = (key: string) => KeyHolder<S> | undefined;

/**
 * Creates a keyring from key hashes (SHA-256, hexadecimal). A look-up compares all hashes in constant time, so its
 * duration reveals neither a hit nor a near miss.
 */
export function createKeyring<S extends PartialSource>(
  holders: readonly (KeyHolder<S> & { sha256: string })[],
): Keyring<S> {
  const known = holders.map(({ sha256, ...holder }) => ({
    holder,
    hash: Buffer.from(sha256, "hex"),
  }));
  return (key) => {
    const hash = createHash("sha256").update(key).digest();
    let found: KeyHolder<S> | undefined;
    for (const { holder, hash: expected } of known) {
      if (timingSafeEqual(hash, expected)) found = holder;
    }
    return found;
  };
}
