/** What of `node:sqlite` is used; the types of the oldest Node supported do not have it. */
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
 * Node's own SQLite, where this Node has it: without a flag since 22.13. Some versions warn at its first use
 * that it is experimental. That is nothing that the user of this program can act on, so that one warning is
 * held back; loading is synchronous, so nothing else runs meanwhile, and other warnings pass.
 */
export function loadNodeSqlite(): NodeSqlite | undefined {
  const { emitWarning } = process;
  process.emitWarning = (warning: string | Error, ...rest: unknown[]) => {
    if (rest[0] !== "ExperimentalWarning") Reflect.apply(emitWarning, process, [warning, ...rest]);
  };
  try {
    // A name that no bundler follows: it would drop "node:", and without it there is no such module.
    return process.getBuiltinModule("node:sqlite") as unknown as NodeSqlite | undefined;
  } finally {
    process.emitWarning = emitWarning;
  }
}
