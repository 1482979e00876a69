export type SqlValue = string | number | null | Uint8Array;

export interface Statement {
  /** Returns how many rows changed. */
  run(...values: SqlValue[]): number;
  /** The first row. */
  get(...values: SqlValue[]): Record<string, SqlValue> | undefined;
  all(...values: SqlValue[]): Record<string, SqlValue>[];
}

/** A connection to one file. Everything is synchronous and throws errors that `readResultCode` understands. */
export interface Database {
  exec(sql: string): void;
  prepare(sql: string): Statement;
  close(): void;
}

export type OpenDatabase = (path: string) => Database;

/** Loads SQLite from Node itself or from libsql, which is optional; undefined if there is neither. */
export const findDriver = async (): Promise<OpenDatabase | undefined> =>
  openWithNode() ?? (await openWithLibsql());

/** Uses `node:sqlite`; undefined if this Node has none. */
export function openWithNode(): OpenDatabase | undefined {
  const sqlite = loadNodeSqlite();
  return sqlite && ((path) => adapt(new sqlite.DatabaseSync(path), (values) => values));
}

/**
 * Loads Node's own SQLite; undefined if this Node has none. It needs no flag since 22.13. Some versions warn at its
 * first use that it is experimental. Users of this program can do nothing about that, so this one warning is hidden.
 * Loading is synchronous, so no other code runs meanwhile; other warnings pass.
 */
function loadNodeSqlite(): { DatabaseSync: new (path: string) => Connection } | undefined {
  const { emitWarning } = process;
  process.emitWarning = (warning: string | Error, ...rest: unknown[]) => {
    if (rest[0] !== "ExperimentalWarning") Reflect.apply(emitWarning, process, [warning, ...rest]);
  };
  try {
    // Bundlers do not follow this call; from an import they would drop "node:", without which there is no such module.
    // The types of the oldest supported Node have no `node:sqlite`.
    return process.getBuiltinModule("node:sqlite") as unknown as ReturnType<typeof loadNodeSqlite>;
  } finally {
    process.emitWarning = emitWarning;
  }
}

/** Uses libsql, at 19 MB an optional peer and no dependency; undefined if it is not installed. */
export async function openWithLibsql(): Promise<OpenDatabase | undefined> {
  try {
    const { default: Libsql } = await import("libsql");
    // Values go in a list: libsql takes a single null or Uint8Array for named parameters.
    return (path) => adapt(new Libsql(path), (values) => [values]);
  } catch {
    return undefined;
  }
}

/** Runs a step in a transaction. It takes the write lock at its beginning. */
export function transact<T>(db: Database, step: () => T): T {
  db.exec("BEGIN IMMEDIATE");
  try {
    const result = step();
    db.exec("COMMIT");
    return result;
  } catch (error) {
    try {
      db.exec("ROLLBACK");
    } catch {
      // Some failures, such as a full disk, have already ended the transaction.
    }
    throw error;
  }
}

/** The bytes of a blob, in a buffer of their own. One driver returns an ArrayBuffer or a Buffer, the other a Uint8Array. */
export function readBytes(value: SqlValue | undefined): Uint8Array {
  if (value === null || typeof value !== "object") throw new TypeError("This value is no blob.");
  const isOwn = value instanceof Uint8Array && value.length === value.buffer.byteLength;
  return isOwn ? new Uint8Array(value.buffer) : new Uint8Array(value);
}

/** Reads the primary result code (https://sqlite.org/rescode.html) of a driver's error. */
export function readResultCode(error: unknown): number | undefined {
  const { errcode, rawCode }: { errcode?: unknown; rawCode?: unknown } = Object(error);
  const code = errcode ?? rawCode;
  return typeof code === "number" ? code & 0xff : undefined;
}

/** A connection of either driver; the types of the oldest supported Node do not have `node:sqlite`. */
interface Connection {
  exec(sql: string): unknown;
  prepare(sql: string): {
    get(...values: unknown[]): unknown;
    all(...values: unknown[]): unknown[];
    run(...values: unknown[]): { changes: unknown };
  };
  close(): unknown;
}

function adapt(connection: Connection, bind: (values: SqlValue[]) => unknown[]): Database {
  return {
    exec: (sql) => void connection.exec(sql),
    prepare: (sql) => {
      const statement = connection.prepare(sql);
      // The drivers type rows as unknown; SQLite has no other values than these.
      return {
        run: (...values) => Number(statement.run(...bind(values)).changes),
        get: (...values) => statement.get(...bind(values)) as Record<string, SqlValue> | undefined,
        all: (...values) => statement.all(...bind(values)) as Record<string, SqlValue>[],
      };
    },
    close: () => void connection.close(),
  };
}
