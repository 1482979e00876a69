import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { AnalyticsError } from "../../errors.ts";
import {
  type Database,
  type OpenDatabase,
  readResultCode,
  type Statement,
  transact,
} from "../../sqlite/driver.ts";
import { createFileWatch, prepareFile } from "./sqlite-file.ts";
import { prepareDatabase } from "./sqlite-schema.ts";
import { createStoreError } from "./store-failure.ts";

export interface Session {
  /** Compiles a statement once. */
  prepare(sql: string): Statement;
  read<T>(step: () => T): Promise<T>;
  /** Runs a step in a transaction, while no other process can write. */
  write<T>(step: () => T): Promise<T>;
  /**
   * Runs a step whose statements are transactions of their own. It does not wait for the disk, which takes most of a
   * write's time: a power loss may undo it, as long as no `write` has followed, but the end of the process does not.
   */
  writeUnsynced<T>(step: () => T): Promise<T>;
  /** Moves the write-ahead log into the file and empties it, unless a reader still needs it. */
  checkpoint(): Promise<void>;
  close(): void;
}

/** Milliseconds to wait for another process's lock, and between two attempts. */
const LOCK_TIMEOUT = 3_000;
const PAUSE = 10;

/** Result codes of SQLite (https://sqlite.org/rescode.html). */
const BUSY = 5;
const REASONS: Record<number, string> = {
  5: "another process has locked its file",
  6: "another process has locked its file",
  8: "its file is read-only",
  10: "its disk cannot be read or written",
  11: "its file is damaged",
  13: "its disk is full",
  14: "its file cannot be opened",
  26: "its file is not a database",
};

/** Opens a file, or creates it if it is missing. Throws AnalyticsError `usage` or `unavailable`. */
export async function openSession(file: string, open: OpenDatabase): Promise<Session> {
  // An absolute path cannot be taken for a URI, and stays valid if the process changes its folder.
  const path = resolve(file);
  prepareFile(path);
  const confirmFile = createFileWatch(path);
  let opened: Database | undefined;
  const db = await retryWhileBusy(() => {
    opened ??= open(path);
    prepareDatabase(opened);
    return opened;
  }).catch((error) => {
    opened?.close();
    throw error;
  });
  return createTransactions(db, confirmFile);
}

function createTransactions(db: Database, confirmFile: () => void): Session {
  let isOpen = true;
  const guard =
    <T>(step: () => T) =>
    () => {
      // libsql's statements still work after the database is closed.
      if (!isOpen) throw createStoreError("it was closed", undefined);
      confirmFile();
      return step();
    };
  const read: Session["read"] = (step) => retryWhileBusy(guard(step));
  const enqueue = createWriteQueue();
  return {
    prepare: (sql) => {
      try {
        return db.prepare(sql);
      } catch (error) {
        throw createSqliteError(error);
      }
    },
    read,
    write: (step) => enqueue(guard(() => transact(db, step))),
    writeUnsynced: (step) => enqueue(guard(() => runUnsynced(db, step))),
    checkpoint: () => read(() => void db.prepare("PRAGMA wal_checkpoint(TRUNCATE)").all()),
    close: () => {
      if (isOpen) db.close();
      isOpen = false;
    },
  };
}

/** https://sqlite.org/pragma.html#pragma_synchronous */
function runUnsynced<T>(db: Database, step: () => T): T {
  db.exec("PRAGMA synchronous = NORMAL");
  try {
    return step();
  } finally {
    db.exec("PRAGMA synchronous = FULL");
  }
}

/**
 * Runs writes one after another. Each attempt on a locked file blocks the process for `BUSY_TIMEOUT`: if all waiting
 * writes tried, nothing else would be answered. So only the first one tries, and if it fails, writes that have waited
 * as long fail with it.
 */
function createWriteQueue() {
  let last: Promise<unknown> = Promise.resolve();
  return <T>(step: () => T): Promise<T> => {
    const start = performance.now();
    const isLate = () => performance.now() - start > LOCK_TIMEOUT;
    const result = last.then(
      () => retryWhileBusy(step, start),
      (failure) => (isLate() ? Promise.reject(failure) : retryWhileBusy(step, start)),
    );
    last = result;
    return result;
  };
}

/** A step that finds the file locked has done nothing, so it can be retried. */
async function retryWhileBusy<T>(step: () => T, start = performance.now()): Promise<T> {
  for (;;) {
    try {
      return step();
    } catch (error) {
      const busy = readResultCode(error) === BUSY;
      if (!busy || performance.now() - start > LOCK_TIMEOUT) throw createSqliteError(error);
    }
    await sleep(PAUSE);
  }
}

function createSqliteError(error: unknown): AnalyticsError {
  if (error instanceof AnalyticsError) return error;
  const code = readResultCode(error);
  const reason = REASONS[code ?? 0] ?? "its file cannot be used";
  return createStoreError(reason, code === undefined ? undefined : `SQLite result code ${code}`);
}
