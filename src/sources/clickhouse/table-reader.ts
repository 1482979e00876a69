import type * as z from "zod";
import { createCache } from "../../client/concurrency.ts";
import { AnalyticsError } from "../../errors.ts";
import type { Answer, QueryParams } from "./answer.ts";
import type { Connection } from "./connection.ts";
import { explainErrorNumber, UNKNOWN_TABLE } from "./failure.ts";
import { columnRow, engineRow, existsRow } from "./rows.ts";
import { type PreparedTable, quoteName, type TableLayout, type TableQueries } from "./table-queries.ts";

/** What is asked of a table, and what its answer can be. */
export interface TableQuestion<Row> {
  write: (queries: TableQueries) => string;
  params?: QueryParams;
  row: z.ZodType<Row>;
  maxRows: number;
}

export interface TableReader {
  layout: TableLayout;
  /** The queries, after a check of the table's columns. Throws as `Connection.ask` does, and `usage` for columns that do not fit. */
  prepare(signal?: AbortSignal): Promise<PreparedTable>;
  ask<Row>(question: TableQuestion<Row>, signal?: AbortSignal): Promise<Answer<Row>>;
}

/** A table can be changed while this process runs. */
const COLUMNS_FRESH_MS = 5 * 60_000;
/** A table may have more: those that are used come first. */
const MAX_COLUMNS = 1_000;

export function createTableReader(
  layout: TableLayout,
  connection: Connection,
  clock: () => number,
): TableReader {
  const readTable = createCache(COLUMNS_FRESH_MS, clock, async (_, signal) => {
    const { rows } = await connection.ask(
      { sql: writeColumnQuery(layout), row: columnRow, maxRows: MAX_COLUMNS },
      signal,
    );
    if (rows.length === 0) await explainNoColumns(layout, connection, signal);
    layout.assertCountable?.(await findEngine(layout, connection, signal));
    return layout.prepare(new Map(rows.map(({ name, type }) => [name, type])));
  });
  const prepare = (signal?: AbortSignal) => readTable("", signal);
  return {
    layout,
    prepare,
    ask: async ({ write, params, row, maxRows }, signal) => {
      const { queries, params: common } = await prepare(signal);
      return connection.ask({ sql: write(queries), params: { ...common, ...params }, row, maxRows }, signal);
    },
  };
}

/** Names are letters, digits and `_`, which cannot inject SQL. */
const writeColumnQuery = ({ database, table, columns }: TableLayout) => `
      SELECT name, type
      FROM system.columns
      WHERE database = '${database}' AND table = '${table}'
      ORDER BY name IN (${columns.map((name) => `'${name}'`).join(", ")}) DESC, name
      LIMIT ${MAX_COLUMNS}`;

/** The engine of a table; of a distributed one, that of the tables behind it, if this server has one. Empty if it is not visible. */
async function findEngine(
  table: Pick<TableLayout, "database" | "table">,
  connection: Connection,
  signal: AbortSignal,
): Promise<string> {
  const sql = `
      SELECT engine, engine_full AS definition
      FROM system.tables
      WHERE database = '${table.database}' AND name = '${table.table}'`;
  const { rows } = await connection.ask({ sql, row: engineRow, maxRows: 1 }, signal);
  const { engine = "", definition = "" } = rows[0] ?? {};
  const [, database, name] = /^Distributed\('?[^',]*'?, '?(\w+)'?, '?(\w+)'?[,)]/.exec(definition) ?? [];
  if (database === undefined || name === undefined) return engine;
  return findEngine({ database, table: name }, connection, signal);
}

/** Throws the error of a table whose columns are not visible: it does not exist, or the user has no right to it. */
async function explainNoColumns(
  { database, table, noTable }: TableLayout,
  connection: Connection,
  signal: AbortSignal,
): Promise<never> {
  const sql = `SELECT 1 AS is_there FROM ${quoteName(database)}.${quoteName(table)} LIMIT 0`;
  const missing = explainErrorNumber(UNKNOWN_TABLE);
  try {
    await connection.ask({ sql, row: existsRow, maxRows: 0 }, signal);
  } catch (error) {
    if (noTable === undefined || !(error instanceof AnalyticsError) || error.message !== missing.message)
      throw error;
    throw new AnalyticsError(error.code, error.message, { hint: noTable, cause: error });
  }
  throw missing;
}
