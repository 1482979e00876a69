import type * as z from "zod";
import type { Answer, QueryParams } from "./answer.ts";
import { createCache } from "./cache.ts";
import type { Connection } from "./connection.ts";
import { explainErrorNumber, UNKNOWN_TABLE } from "./failure.ts";
import { columnRow, existsRow } from "./rows.ts";
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

/** Throws the error of a table whose columns are not visible: it does not exist, or the user has no right to it. */
async function explainNoColumns(
  { database, table }: TableLayout,
  connection: Connection,
  signal: AbortSignal,
): Promise<never> {
  const sql = `SELECT 1 AS is_there FROM ${quoteName(database)}.${quoteName(table)} LIMIT 0`;
  await connection.ask({ sql, row: existsRow, maxRows: 0 }, signal);
  throw explainErrorNumber(UNKNOWN_TABLE);
}
