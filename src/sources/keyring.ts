import { createHash, timingSafeEqual } from "node:crypto";
import type { DataSource } from "./data-source.ts";

/** What a key opens: the data of the organization that it belongs to. */
export interface KeyHolder {
  keyId: string;
  source: DataSource;
}

export type Keyring = (key: string) => KeyHolder | undefined;

/**
 * Finds the holder of a key. Only hashes (SHA-256, hexadecimal) are known, and every one is compared, in constant time:
 * neither a hit nor a near miss shows in how long it takes.
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
