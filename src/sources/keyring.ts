import { createHash, timingSafeEqual } from "node:crypto";
import type { DataSource } from "./data-source.ts";

/** What a key gives access to: the data of the organization that it belongs to. */
export interface KeyHolder {
  keyId: string;
  source: DataSource;
}

/** Finds the holder of a key; undefined if the key is not valid. */
export type Keyring = (key: string) => KeyHolder | undefined;

/**
 * Creates a keyring from key hashes (SHA-256, hexadecimal). A look-up compares all hashes in constant time, so its
 * duration reveals neither a hit nor a near miss.
 */
export function createKeyring(holders: readonly (KeyHolder & { sha256: string })[]): Keyring {
  const known = holders.map(({ sha256, ...holder }) => ({ holder, hash: Buffer.from(sha256, "hex") }));
  return (key) => {
    const hash = createHash("sha256").update(key).digest();
    let found: KeyHolder | undefined;
    for (const { holder, hash: expected } of known) {
      if (timingSafeEqual(hash, expected)) found = holder;
    }
    return found;
  };
}
