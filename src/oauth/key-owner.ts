import type { Sealing } from "./store/sealing.ts";
import type { Store, StoredRecord } from "./store/store.ts";

/** Whose key a person gave, and the key's id, for the operator: never the key. */
export interface KeyOwner {
  organization: string;
  key: string;
}

/** Why a grant has ended. */
export type EndReason =
  | "revoked_by_client"
  | "revoked_by_operator"
  | "refresh_token_reused"
  | "code_reused"
  | "key_no_longer_valid";

/** What is kept of a grant that has ended. */
export type GrantEnd = Partial<KeyOwner> & { reason: EndReason };

const KIND = "KeyOwner";
/** It belongs to no grant, since those records go with it. */
const END_KIND = "GrantEnd";

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

/** What was sealed for a grant; undefined if there is no such record, or it was changed. */
async function readSealed(store: Store, sealing: Sealing, kind: string, grantId: string): Promise<unknown> {
  const record = await store.get(kind, sealing.hash(kind, grantId));
  return record && sealing.open(record, grantId);
}

/** Undefined if the grant has ended, or its key is of no keys file. */
export const readKeyOwner = (store: Store, sealing: Sealing, grantId: string) =>
  // Only `saveKeyOwner` seals values of this kind.
  readSealed(store, sealing, KIND, grantId) as Promise<KeyOwner | undefined>;

/** Ends a grant, and keeps whose it was and why it ended. Returns false if it had already ended. */
export async function endGrant(
  store: Store,
  sealing: Sealing,
  grantId: string,
  at: number,
  reason: EndReason,
): Promise<boolean> {
  const owner = await readKeyOwner(store, sealing, grantId);
  if (!(await store.revokeGrant(grantId, at))) return false;
  const end: GrantEnd = { ...owner, reason };
  await store.put({
    ...sealing.seal(END_KIND, grantId, end),
    created: at,
    expires: at + GRANT_SECONDS * 1000,
  });
  return true;
}

/** Undefined if the grant has not ended, or an earlier release ended it. */
export const readGrantEnd = (store: Store, sealing: Sealing, grantId: string) =>
  // Only `endGrant` seals values of this kind.
  readSealed(store, sealing, END_KIND, grantId) as Promise<GrantEnd | undefined>;
