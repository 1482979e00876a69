import { readBytes, type SqlValue } from "../../sqlite/driver.ts";
import type { Session } from "./sqlite-session.ts";
import { readMarkEnd, readTokenTime, type Store, type StoredRecord } from "./store.ts";

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
    VALUES (?1, ?2, ?3, ?5, ?4, ?4)
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
          upsertGrant.run(grantId, clientId, created, expires, readTokenTime(record));
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

/** The grants of application `c` that are neither revoked nor expired at ?1. */
export const LIVE_GRANTS = `
  SELECT count(*) FROM grants
  WHERE client_id = c.client_id AND revoked IS NULL AND (expires IS NULL OR expires > ?1)`;
const APPLICATIONS =
  "c.kind = 'Client' AND c.client_id IS NOT NULL AND (c.expires IS NULL OR c.expires > ?1)";

/** Grants and applications: the part of a SQLite store that is not sealed. */
export function createGrants(
  { prepare, read, write }: Session,
  clock: () => number,
): Pick<Store, "revokeGrant" | "listGrants" | "listApplications" | "pruneApplications"> {
  const selectGrant = prepare("SELECT expires, revoked FROM grants WHERE id = ?1");
  const mark = prepare(`
    INSERT INTO grants (id, created, refreshed, revoked, forgotten) VALUES (?1, ?2, 0, ?2, ?3)
    ON CONFLICT (id) DO UPDATE SET revoked = excluded.revoked, forgotten = excluded.forgotten`);
  const eraseRecords = prepare("DELETE FROM records WHERE grant_id = ?1");
  const selectGrants = prepare(
    "SELECT * FROM grants WHERE forgotten IS NULL OR forgotten > ?1 ORDER BY created",
  );
  const selectApplications = prepare(
    `SELECT c.*, (${LIVE_GRANTS}) AS grants FROM records c WHERE ${APPLICATIONS} ORDER BY c.created`,
  );
  const eraseApplications = prepare(
    `DELETE FROM records AS c WHERE ${APPLICATIONS} AND c.created < ?2 AND (${LIVE_GRANTS}) = 0`,
  );

  return {
    revokeGrant: (grantId, at) =>
      write(() => {
        const [grant] = selectGrant.all(grantId);
        if (readTime(grant?.revoked) !== undefined) return false;
        mark.run(grantId, at, readMarkEnd(at, readTime(grant?.expires)));
        eraseRecords.run(grantId);
        return true;
      }),
    listGrants: () =>
      read(() =>
        selectGrants.all(clock()).map((row) => ({
          grantId: String(row.id),
          clientId: readText(row.client_id),
          created: Number(row.created),
          refreshed: Number(row.refreshed) || undefined,
          expires: readTime(row.expires),
          revoked: readTime(row.revoked),
        })),
      ),
    listApplications: () =>
      read(() =>
        selectApplications.all(clock()).map((row) => ({
          clientId: String(row.client_id),
          created: Number(row.created),
          expires: readTime(row.expires),
          grants: Number(row.grants),
        })),
      ),
    pruneApplications: (before) => write(() => eraseApplications.run(clock(), before)),
  };
}

const readRecord = (row: Record<string, SqlValue>): Omit<StoredRecord, "kind" | "hash"> => ({
  grantId: readText(row.grant_id),
  clientId: readText(row.client_id),
  created: Number(row.created),
  expires: readTime(row.expires),
  consumed: readTime(row.consumed),
  sealed: readBytes(row.sealed),
});

const readText = (value: SqlValue | undefined): string | undefined =>
  typeof value === "string" ? value : undefined;

const readTime = (value: SqlValue | undefined): number | undefined =>
  typeof value === "number" ? value : undefined;
