import type { Sealing } from "./store/sealing.ts";
import type { Store, StoredRecord } from "./store/store.ts";

/** Whose key a person gave, and the key's id, for the operator: never the key. */
export interface KeyOwner {
  organization: string;
  key: string;
}

const KIND = "KeyOwner";

/** How many seconds a grant lives at most. */
export const GRANT_SECONDS = 365 * 24 * 3_600;

/** Keeps it for as long as the grant lives; it goes with the grant. */
export const saveKeyOwner = (
  store: Store,
  sealing: Sealing,
  { grantId, ...record }: Pick<StoredRecord, "clientId" | "created"> & { grantId: string },
  owner: KeyOwner,
): Promise<boolean> =>
  store.put({
    ...sealing.seal(KIND, grantId, owner),
    ...record,
    grantId,
    expires: record.created + GRANT_SECONDS * 1000,
  });

/** Undefined if the grant has ended, or its key is of no keys file. */
export async function readKeyOwner(
  store: Store,
  sealing: Sealing,
  grantId: string,
): Promise<KeyOwner | undefined> {
  const record = await store.get(KIND, sealing.hash(KIND, grantId));
  // Only `saveKeyOwner` seals values of this kind.
  return record && (sealing.open(record, grantId) as KeyOwner | undefined);
}
