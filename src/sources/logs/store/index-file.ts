import { chmodSync, closeSync, constants, lstatSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { type Database, type OpenDatabase, transact } from "../../../sqlite/driver.ts";
import { readSchemaState } from "../../../sqlite/schema-state.ts";

/** SQLite's application id, which marks a file as an index of this program ("amlg"). */
const APPLICATION_ID = 0x616d6c67;
const SCHEMA_VERSION = 1;

const SCHEMA = `
CREATE TABLE state (name TEXT PRIMARY KEY, value BLOB NOT NULL) STRICT;
CREATE TABLE closed_days (
  site TEXT NOT NULL, date TEXT NOT NULL, generation INTEGER NOT NULL, totals BLOB NOT NULL,
  PRIMARY KEY (site, date)
) STRICT, WITHOUT ROWID;
CREATE TABLE tallies (
  site TEXT NOT NULL, date TEXT NOT NULL, dimension TEXT NOT NULL, counts BLOB NOT NULL,
  PRIMARY KEY (site, date, dimension)
) STRICT;
CREATE TABLE site_values (
  site TEXT NOT NULL, space TEXT NOT NULL, number INTEGER NOT NULL, value TEXT NOT NULL,
  PRIMARY KEY (site, space, number)
) STRICT;
CREATE TABLE open_days (
  site TEXT NOT NULL, date TEXT NOT NULL, part TEXT NOT NULL, bytes BLOB NOT NULL,
  PRIMARY KEY (site, date, part)
) STRICT;
PRAGMA application_id = ${APPLICATION_ID};
PRAGMA user_version = ${SCHEMA_VERSION};
`;

/** The file is another program's, or was written by a newer version of this one. */
export class ForeignIndex extends Error {}

/** Opens an index, or creates it for this user alone. Throws what the system and SQLite throw, or ForeignIndex. */
export function openIndexFile(path: string, open: OpenDatabase): Database {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats && !stats.isFile()) throw new ForeignIndex("it is not a regular file");
  closeSync(openSync(path, constants.O_CREAT | constants.O_RDWR | (constants.O_NOFOLLOW ?? 0), 0o600));
  chmodSync(path, 0o600);
  const db = open(path);
  try {
    prepare(db);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

function prepare(db: Database): void {
  // No write-ahead log, which would keep deleted data: destroyed salts must be gone.
  db.exec("PRAGMA busy_timeout = 2000; PRAGMA trusted_schema = OFF;");
  const isNew = examine(db);
  db.exec("PRAGMA journal_mode = DELETE; PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON;");
  if (!isNew) return;
  transact(db, () => {
    // Another process may have created the tables meanwhile.
    if (examine(db)) db.exec(SCHEMA);
  });
}

function examine(db: Database): boolean {
  const state = readSchemaState(db, { applicationId: APPLICATION_ID, version: SCHEMA_VERSION });
  if (state === "foreign") throw new ForeignIndex("it is another program's database");
  if (state === "newer") throw new ForeignIndex("a newer version of this program wrote it");
  return state === "new";
}
