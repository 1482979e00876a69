import { readText, readTime } from "./sqlite-records.ts";
import type { Session } from "./sqlite-session.ts";
import { readMarkEnd, type Store } from "./store.ts";

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
    INSERT INTO grants (id, created, refreshed, revoked, forgotten) VALUES (?1, ?2, ?2, ?2, ?3)
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
          refreshed: Number(row.refreshed),
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
