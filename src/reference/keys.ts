import { createHash, timingSafeEqual } from "node:crypto";
import type { Organization } from "./dataset.ts";

export interface KeyHolder {
  keyId: string;
  organization: Organization;
}

/**
 * Finds the organization of a key. Only hashes are known, and every one of them is compared, in constant
 * time, so that neither a hit nor a near miss shows in how long it takes.
 */
export function createKeyring(organizations: Organization[]): (key: string) => KeyHolder | undefined {
  const known = organizations.flatMap((organization) =>
    organization.keys.map(({ id, sha256 }) => ({
      keyId: id,
      organization,
      hash: Buffer.from(sha256, "hex"),
    })),
  );
  return (key) => {
    const hash = createHash("sha256").update(key).digest();
    let holder: KeyHolder | undefined;
    for (const { keyId, organization, hash: expected } of known) {
      if (timingSafeEqual(hash, expected)) holder = { keyId, organization };
    }
    return holder;
  };
}
