import type { Cell, Column, View } from "../../operations/view.ts";
import { formatCsv } from "../../render/csv.ts";
import { formatTsv } from "../../render/tsv.ts";

/** One table for programs, of several lists. Names differ within a list, but two lists may have the same name. */
interface MergedTable {
  columns: Column[];
  lists: Record<string, Cell>[][];
}

/** Which list a row is of, where an answer has several. */
export const TABLE: Column = { key: "table", label: "table", kind: "text" };
const NAMES = ["table", "value", "label"];

/** The tables of an answer; if there are several, or the name was asked for, each row names its table. */
function addTableNames(views: readonly View[], fields = ""): View[] {
  const tables = views.filter(({ columns }) => columns.length > 0);
  if (tables.length < 2 && !readFields(fields).includes(TABLE.key)) return tables;
  return tables.map((view) => ({
    ...view,
    columns: [TABLE, ...view.columns],
    rows: view.rows.map((row) => ({ table: view.name ?? null, ...row })),
  }));
}

/** All tables of an answer as one, with every column that one of them has: in the order asked for, else names first. */
function mergeTables(views: readonly View[], fields: string | undefined): MergedTable {
  const tables = addTableNames(views, fields);
  const [single, ...more] = tables;
  if (single && more.length === 0) return { columns: single.columns, lists: [single.rows] };
  const columns = new Map(
    tables.flatMap((view) => view.columns.map((column) => [column.key, column] as const)).toReversed(),
  );
  const order = fields === undefined ? NAMES : [TABLE.key, ...readFields(fields)];
  const keys = new Set(tables.flatMap((view) => view.columns.map(({ key }) => key)));
  const sorted = [...order.filter((key) => keys.delete(key)), ...keys];
  return {
    columns: sorted.flatMap((key) => columns.get(key) ?? []),
    lists: tables.map(({ rows }) => rows),
  };
}

export const readFields = (fields: string): string[] => fields.split(",").map((name) => name.trim());

/** Formats an answer for programs: one table with a header line. */
export function formatTable(views: readonly View[], format: "csv" | "tsv", fields: string | undefined) {
  const { columns, lists } = mergeTables(views, fields);
  return format === "csv" ? formatCsv(columns, lists) : formatTsv(columns, lists);
}

/** The rows of all tables as objects, each with the columns of its own table. */
export const listRows = (views: readonly View[], fields: string | undefined): Record<string, Cell>[] =>
  addTableNames(views, fields).flatMap(({ columns, rows }) =>
    rows.map((row) => Object.fromEntries(columns.map(({ key }) => [key, row[key] ?? null]))),
  );
