import { AnalyticsError } from "../../errors.ts";
import { readMember } from "../../member.ts";
import { type Database, transact } from "../../sqlite/driver.ts";

/** Marks a file as a store of this program ("amcp") in SQLite's header field for it. */
const APPLICATION_ID = 0x616d6370;
const SCHEMA_VERSION = 1;

const SCHEMA = `
CREATE TABLE records (
  kind TEXT NOT NULL, hash TEXT NOT NULL, grant_id TEXT, client_id TEXT,
  created INTEGER NOT NULL, expires INTEGER, consumed INTEGER, sealed BLOB NOT NULL,
  PRIMARY KEY (kind, hash)
) STRICT;
CREATE INDEX records_by_grant ON records (grant_id) WHERE grant_id IS NOT NULL;
CREATE INDEX records_by_end ON records (expires) WHERE expires IS NOT NULL;
CREATE TABLE grants (
  id TEXT PRIMARY KEY, client_id TEXT, created INTEGER NOT NULL, refreshed INTEGER NOT NULL,
  expires INTEGER, revoked INTEGER, forgotten INTEGER
) STRICT;
CREATE INDEX grants_by_client ON grants (client_id) WHERE revoked IS NULL;
CREATE INDEX grants_by_end ON grants (forgotten) WHERE forgotten IS NOT NULL;
CREATE TABLE counters (name TEXT PRIMARY KEY, count INTEGER NOT NULL, ends INTEGER NOT NULL) STRICT;
CREATE INDEX counters_by_end ON counters (ends);
PRAGMA application_id = ${APPLICATION_ID};
PRAGMA user_version = ${SCHEMA_VERSION};
`;

/** Files of earlier releases lack it, and those releases can use files that have it. */
const LATER_INDEX =
  "CREATE INDEX IF NOT EXISTS records_by_age ON records (kind, created, client_id) WHERE grant_id IS NULL";

/**
 * Milliseconds for which SQLite itself waits for another process's lock. This blocks the whole process, so it is
 * short; `sqlite-session.ts` retries for longer without blocking.
 */
const BUSY_TIMEOUT = 5;

/**
 * Configures a connection, and creates the tables if the file is new. Throws AnalyticsError `usage`, before writing
 * anything, if the file belongs to another program or to a newer version of this one.
 */
export function prepareDatabase(db: Database): void {
  db.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT}; PRAGMA foreign_keys = OFF; PRAGMA trusted_schema = OFF;`);
  const isNew = isNewFile(db);
  // With WAL, readers and the writer do not block each other: admin commands read while the server writes.
  const [mode] = db.prepare("PRAGMA journal_mode = WAL").all();
  if (mode?.journal_mode !== "wal") {
    throw new AnalyticsError("usage", "The store's disk does not let processes share a file.", {
      hint: "Put it on a local disk: SQLite's write-ahead log does not work over a network.",
    });
  }
  // Acknowledged grants survive a power loss, and deleted data does not stay in free pages.
  db.exec("PRAGMA synchronous = FULL; PRAGMA secure_delete = ON; PRAGMA journal_size_limit = 1048576;");
  if (isNew) {
    transact(db, () => {
      // Another process may have created the tables meanwhile.
      if (isNewFile(db)) db.exec(SCHEMA);
    });
  }
  db.exec(LATER_INDEX);
}

/** Whose file it is, by SQLite's header fields and its tables. Throws if it is not ours. */
function isNewFile(db: Database): boolean {
  const read = (name: string) => Number(readMember(db.prepare(`PRAGMA ${name}`).get(), name));
  const [id, version] = [read("application_id"), read("user_version")];
  const tables = db.prepare("SELECT count(*) AS count FROM sqlite_schema").get()?.count;
  if (id === 0 && version === 0 && tables === 0) return true;
  if (id !== APPLICATION_ID) {
    throw new AnalyticsError("usage", "The store's file is another program's database.", {
      hint: "Name another file with --store.",
    });
  }
  if (version > SCHEMA_VERSION) {
    throw new AnalyticsError("usage", "The store's file was written by a newer version of this program.", {
      hint: "Use that version or a newer one, or name another file with --store.",
    });
  }
  return false;
}
