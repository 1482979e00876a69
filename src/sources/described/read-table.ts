import { readMember } from "../../member.ts";
import { type Cell, findTables, MAX_DEPTH, readTable, type Table } from "./answer-tables.ts";
import type { Found, Reading } from "./field-mapping.ts";
import {
  type Candidate,
  choose,
  createGivenError,
  createMissingError,
  findBelow,
  rankPlace,
  readCount,
} from "./find-field.ts";
import { namesOf, type Pointer, readPointer } from "./json-pointer.ts";
import { type Field, isAside, isBeside } from "./words.ts";

/** What is known before a table is read. */
export interface TableQuery {
  operation: string;
  path: string;
  chosen: Readonly<Record<string, Pointer | null | undefined>>;
  texts: ReadonlyMap<Pointer, string>;
}

/** A table with where its fields are. */
export interface ReadTable {
  table: Table;
  reading: Reading;
}

/** Whether the only list of an answer is empty: no day, no row, no site. */
export function isEmptyList(answer: unknown): boolean {
  const sizes = listSizes(answer, 0);
  return sizes.length === 1 && sizes[0] === 0 && findTables(answer).length === 0;
}

/** How many elements the lists of an answer have, but for lists of messages and the like. */
function listSizes(value: unknown, depth: number): number[] {
  if (typeof value !== "object" || value === null || depth > MAX_DEPTH) return [];
  if (Array.isArray(value)) return [value.length];
  const members = Object.entries(value).filter(([name]) => !isAside([name]) && !isBeside([name]));
  // An object by names or dates has no members if it is empty.
  if (members.length === 0 && depth > 0) return Object.keys(value).length === 0 ? [0] : [];
  return members.flatMap(([, member]) => listSizes(member, depth + 1));
}

/**
 * Finds the one table of an answer that `read` can read. Throws AnalyticsError `bad_answer` if there is none, with what the
 * likeliest one lacks, or if there are two.
 */
export function findTable(answer: unknown, query: TableQuery, read: (table: Table) => Reading): ReadTable {
  const sought = { ...query, field: "list" };
  const at = query.chosen.list;
  const there = typeof at === "string" ? readPointer(answer, at) : undefined;
  const given = typeof at === "string" ? readTable(there, at) : undefined;
  if (typeof at === "string" && given === undefined) {
    const places = findTables(answer).map((table) => table.at);
    throw createGivenError(sought, at, there, places);
  }
  const tables = given === undefined ? findTables(answer) : [given];
  const readable: ReadTable[] = [];
  const refused: unknown[] = [];
  for (const table of tables) {
    try {
      readable.push({
        table,
        reading: { list: { pointer: table.at, by: given ? "mapping" : "shape" }, ...read(table) },
      });
    } catch (error) {
      refused.push(error);
    }
  }
  const [first, second] = readable;
  if (first === undefined)
    throw refused[0] ?? createMissingError(sought, { reason: "has no table that could be its" });
  if (second !== undefined) {
    const candidates = [first, second].map(({ table }) => ({ pointer: table.at, rank: 0, sample: table.at }));
    choose(candidates, sought);
  }
  return first;
}

/** The table of a reading that was made before; undefined if it no longer fits. */
export function applyReading(answer: unknown, reading: Reading): Table | undefined {
  const at = reading.list?.pointer;
  const table = at === undefined ? undefined : readTable(readPointer(answer, at), at);
  // How many rows there are in all stands beside them.
  const columns = Object.entries(reading).filter(([field]) => field !== "list" && field !== "total_rows");
  return table !== undefined && columns.every(([, { pointer }]) => table.columns.includes(pointer))
    ? table
    : undefined;
}

export const cellsOf = (table: Table, column: Pointer): Cell[] =>
  table.rows.map((row) => row.get(column) ?? null);
const textOf = (table: Table, column: Pointer, texts: TableQuery["texts"]) =>
  texts.get(`${table.element ?? `${table.at}/*`}${column}`) ?? texts.get(`${table.at}${column}`);

/** Columns that fit: by the names on the way to them, and by all of their cells. */
export const listColumns = (
  table: Table,
  rankOf: (names: readonly string[], column: Pointer) => number | undefined,
  fits: (cells: readonly Cell[]) => boolean,
): Candidate[] =>
  table.columns.flatMap((column) => {
    const [rank, cells] = [rankOf(namesOf(column), column), cellsOf(table, column)];
    return rank !== undefined && fits(cells) ? [{ pointer: column, rank, sample: cells }] : [];
  });

export const isCount = (cell: Cell) => cell === null || readCount(cell) !== undefined;

/** The columns that have a count in every row. */
export const listCounts = (table: Table): Pointer[] =>
  table.columns.filter((column) => cellsOf(table, column).every((cell) => readCount(cell) !== undefined));

/** The only one of some columns; undefined if there are more, or none. */
export function findOnly(columns: readonly Pointer[]): Found | undefined {
  const [only] = columns;
  return only !== undefined && columns.length === 1 ? { pointer: only, by: "shape" } : undefined;
}

/**
 * Where the mapping says that a field is; null if the service does not have it, undefined if nothing is said. Throws AnalyticsError
 * `bad_answer` if it is not there.
 */
export function findGiven(
  table: Table,
  field: string,
  query: TableQuery,
  fits: (cell: Cell) => boolean = () => true,
): Found | null | undefined {
  const given = readMember(query.chosen, field);
  if (given === null || given === undefined) return given;
  const isFit = (column: Pointer) => cellsOf(table, column).every(fits);
  const isColumn = table.columns.includes(given);
  if (isColumn && isFit(given)) return { pointer: given, by: "mapping" };
  const there = isColumn
    ? cellsOf(table, given).find((cell) => !fits(cell))
    : findBelow(given, table.columns);
  throw createGivenError({ ...query, field }, given, there, table.columns.filter(isFit));
}

/** The column of a field, by the mapping, its name or its description; undefined if there is none. */
export function findColumn(
  table: Table,
  field: Field & string,
  query: TableQuery,
  fits: (cell: Cell) => boolean,
): Found | undefined {
  const given = findGiven(table, field, query, fits);
  if (given !== undefined) return given ?? undefined;
  const rankOf = (names: readonly string[], column: Pointer) =>
    rankPlace(names, textOf(table, column, query.texts), field);
  return choose(
    listColumns(table, rankOf, (cells) => cells.every(fits)),
    { ...query, field },
  );
}
