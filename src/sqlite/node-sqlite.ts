/** The parts of `node:sqlite` that are used; the types of the oldest supported Node do not have it. */
export interface NodeSqlite {
  DatabaseSync: new (path: string) => NodeDatabase;
}

export interface NodeDatabase {
  exec(sql: string): void;
  prepare(sql: string): {
    get(...values: unknown[]): unknown;
    all(...values: unknown[]): unknown[];
    run(...values: unknown[]): { changes: unknown };
  };
  close(): void;
}

/**
 * Loads Node's own SQLite; undefined if this Node has none. It needs no flag since 22.13. Some versions warn at its
 * first use that it is experimental. Users of this program can do nothing about that, so this one warning is hidden.
 * Loading is synchronous, so no other code runs meanwhile; other warnings pass.
 */
export function loadNodeSqlite(): NodeSqlite | undefined {
  const { emitWarning } = process;
  process.emitWarning = (warning: string | Error, ...rest: unknown[]) => {
    if (rest[0] !== "ExperimentalWarning") Reflect.apply(emitWarning, process, [warning, ...rest]);
  };
  try {
    // Bundlers do not follow this call; from an import they would drop "node:", without which there is no such module.
    // The types of the oldest supported Node have no `node:sqlite`.
    return process.getBuiltinModule("node:sqlite") as unknown as NodeSqlite | undefined;
  } finally {
    process.emitWarning = emitWarning;
  }
}
