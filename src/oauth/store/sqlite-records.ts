import { readBytes, type SqlValue } from "../../sqlite/driver.ts";
import type { Session } from "./sqlite-session.ts";
import type { Store, StoredRecord } from "./store.ts";

/** A record that has not expired at ?3. */
const FOUND = "kind = ?1 AND hash = ?2 AND (expires IS NULL OR expires > ?3)";

/** The records of a SQLite store. Revoking a grant deletes its records, so reads need not check for it. */
export function createRecords(
  { prepare, read, write }: Session,
  clock: () => number,
): Pick<Store, "put" | "get" | "consume" | "remove"> {
  const isRevoked = prepare("SELECT 1 FROM grants WHERE id = ?1 AND revoked IS NOT NULL");
  const upsert = prepare(`
    INSERT INTO records (kind, hash, grant_id, client_id, created, expires, consumed, sealed)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
    ON CONFLICT (kind, hash) DO UPDATE SET
      grant_id = excluded.grant_id, client_id = excluded.client_id, created = excluded.created,
      consumed = CASE WHEN expires <= ?9 THEN excluded.consumed ELSE coalesce(consumed, excluded.consumed) END,
      expires = excluded.expires, sealed = excluded.sealed`);
  const upsertGrant = prepare(`
    INSERT INTO grants (id, client_id, created, refreshed, expires, forgotten)
    VALUES (?1, ?2, ?3, ?3, ?4, ?4)
    ON CONFLICT (id) DO UPDATE SET
      client_id = coalesce(excluded.client_id, client_id),
      created = min(created, excluded.created), refreshed = max(refreshed, excluded.refreshed),
      expires = max(expires, excluded.expires), forgotten = max(expires, excluded.expires)`);
  const select = prepare(
    `SELECT grant_id, client_id, created, expires, consumed, sealed FROM records WHERE ${FOUND}`,
  );
  const markConsumed = prepare(`UPDATE records SET consumed = ?4 WHERE ${FOUND} AND consumed IS NULL`);
  const erase = prepare("DELETE FROM records WHERE kind = ?1 AND hash = ?2");

  return {
    put: (record) =>
      write(() => {
        const { kind, hash, created, sealed, grantId = null, clientId = null } = record;
        const { expires = null, consumed = null } = record;
        if (grantId !== null) {
          if (isRevoked.get(grantId) !== undefined) return false;
          upsertGrant.run(grantId, clientId, created, expires);
        }
        upsert.run(kind, hash, grantId, clientId, created, expires, consumed, sealed, clock());
        return true;
      }),
    get: (kind, hash) =>
      read(() => {
        const row = select.get(kind, hash, clock());
        return row && { kind, hash, ...readRecord(row) };
      }),
    consume: (kind, hash, at) =>
      write(() => {
        const now = clock();
        const first = markConsumed.run(kind, hash, now, at) > 0;
        const row = select.get(kind, hash, now);
        return row && { first, consumed: Number(row.consumed) };
      }),
    remove: (kind, hash) => write(() => erase.run(kind, hash) > 0),
  };
}

function readRecord(row: Record<string, SqlValue>): Omit<StoredRecord, "kind" | "hash"> {
  return {
    grantId: readText(row.grant_id),
    clientId: readText(row.client_id),
    created: Number(row.created),
    expires: readTime(row.expires),
    consumed: readTime(row.consumed),
    sealed: readBytes(row.sealed),
  };
}

export function readText(value: SqlValue | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}

export function readTime(value: SqlValue | undefined): number | undefined {
  return typeof value === "number" ? value : undefined;
}
