import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { AnalyticsError } from "../../errors.ts";
import {
  type Database,
  type OpenDatabase,
  readResultCode,
  type Statement,
  transact,
} from "./sqlite-driver.ts";
import { createFileWatch, prepareFile } from "./sqlite-file.ts";
import { prepareDatabase } from "./sqlite-schema.ts";
import { describeFailure } from "./store-failure.ts";

export interface Session {
  /** A statement, compiled once. */
  prepare(sql: string): Statement;
  read<T>(step: () => T): Promise<T>;
  /** All of a step or nothing of it, and no other process writes meanwhile. */
  write<T>(step: () => T): Promise<T>;
  /** Moves what the write-ahead log holds into the file and empties it, unless a reader still needs it. */
  checkpoint(): Promise<void>;
  close(): void;
}

/** Milliseconds for which another process's lock is waited for, and between two attempts. */
const PATIENCE = 3_000;
const PAUSE = 10;

/** Result codes of SQLite (https://sqlite.org/rescode.html). */
const BUSY = 5;
const REASONS: Record<number, string> = {
  5: "another process keeps its file locked",
  6: "another process keeps its file locked",
  8: "its file is read-only",
  10: "its disk cannot be read or written",
  11: "its file is damaged",
  13: "its disk is full",
  14: "its file cannot be opened",
  26: "its file is no database",
};

/** Opens a file, made where it is absent. Throws AnalyticsError `usage` or `unavailable`. */
export async function openSession(file: string, open: OpenDatabase): Promise<Session> {
  // Absolute, so that no driver takes it for a URI, and it stays the same when the process changes its folder.
  const path = resolve(file);
  prepareFile(path);
  const confirmFile = createFileWatch(path);
  let opened: Database | undefined;
  const db = await withPatience(() => {
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
      // Statements of libsql still answer after it was closed.
      if (!isOpen) throw describeFailure("it was closed", undefined);
      confirmFile();
      return step();
    };
  const read: Session["read"] = (step) => withPatience(guard(step));
  const inTurn = createTurns();
  return {
    prepare: (sql) => {
      try {
        return db.prepare(sql);
      } catch (error) {
        throw explain(error);
      }
    },
    read,
    write: (step) => inTurn(guard(() => transact(db, step))),
    checkpoint: () => read(() => void db.prepare("PRAGMA wal_checkpoint(TRUNCATE)").all()),
    close: () => {
      if (isOpen) db.close();
      isOpen = false;
    },
  };
}

/**
 * One write after the other. Each try at a locked file stops the process for `BUSY_TIMEOUT`: if all tried that wait,
 * nothing else would be answered. So the first alone does, and who has waited as long gets the answer it got.
 */
function createTurns() {
  let last: Promise<unknown> = Promise.resolve();
  return <T>(step: () => T): Promise<T> => {
    const start = performance.now();
    const isLate = () => performance.now() - start > PATIENCE;
    const turn = last.then(
      () => withPatience(step, start),
      (failure) => (isLate() ? Promise.reject(failure) : withPatience(step, start)),
    );
    last = turn;
    return turn;
  };
}

/** A step that found the file locked did nothing, so it can be tried again. */
async function withPatience<T>(step: () => T, start = performance.now()): Promise<T> {
  for (;;) {
    try {
      return step();
    } catch (error) {
      const busy = readResultCode(error) === BUSY;
      if (!busy || performance.now() - start > PATIENCE) throw explain(error);
    }
    await sleep(PAUSE);
  }
}

function explain(error: unknown): AnalyticsError {
  if (error instanceof AnalyticsError) return error;
  const code = readResultCode(error);
  const reason = REASONS[code ?? 0] ?? "its file does not answer";
  return describeFailure(reason, code === undefined ? undefined : `SQLite result code ${code}`);
}
