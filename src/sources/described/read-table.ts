import { readMember } from "../../member.ts";
import { readWritten } from "./answer-dates.ts";
import { type Cell, findTables, KEY, MAX_DEPTH, readTable, type Table } from "./answer-tables.ts";
import type { Found, Reading } from "./field-mapping.ts";
import {
  type Candidate,
  choose,
  createMissingError,
  namePlace,
  rankPlace,
  readCount,
  type Sought,
} from "./find-field.ts";
import { namesOf, type Pointer, readPointer } from "./json-pointer.ts";
import type { Cells } from "./read-record.ts";
import {
  type Field,
  findMetric,
  isAside,
  isBeside,
  isOtherMetric,
  rankDimension,
  rankName,
  splitName,
} from "./words.ts";

/** What is known before a table is read. */
export interface TableQuery {
  operation: string;
  path: string;
  chosen: Readonly<Record<string, Pointer | null | undefined>>;
  texts: ReadonlyMap<Pointer, string>;
}

type Found1 = Found | undefined;

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
export function findTable(
  answer: unknown,
  { operation, path, chosen }: TableQuery,
  read: (table: Table) => Reading,
): ReadTable {
  const sought = { operation, path, field: "list" };
  const at = chosen.list;
  const given = typeof at === "string" ? readTable(readPointer(answer, at), at) : undefined;
  if (typeof at === "string" && given === undefined)
    throw createMissingError(sought, { reason: `has no table at ${namePlace(at)}, its` });
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

const cellsOf = (table: Table, column: Pointer): Cell[] => table.rows.map((row) => row.get(column) ?? null);
const textOf = (table: Table, column: Pointer, texts: TableQuery["texts"]) =>
  texts.get(`${table.element ?? `${table.at}/*`}${column}`) ?? texts.get(`${table.at}${column}`);

/** Columns that fit a field by name or description, and by their cells. */
function listColumns(
  table: Table,
  field: Field,
  { texts }: TableQuery,
  fits: (cell: Cell) => boolean,
): Candidate[] {
  return table.columns.flatMap((column) => {
    const rank = rankPlace(namesOf(column), textOf(table, column, texts), field);
    const cells = cellsOf(table, column);
    return rank !== undefined && cells.every(fits) ? [{ pointer: column, rank, sample: cells }] : [];
  });
}

const isCount = (cell: Cell) => cell === null || readCount(cell) !== undefined;

function findColumn(
  table: Table,
  field: Field & string,
  query: TableQuery,
  fits: (cell: Cell) => boolean,
): Found1 {
  const { operation, path, chosen } = query;
  const given = readMember(chosen, field);
  if (given === null) return undefined;
  const sought = { operation, path, field };
  if (given !== undefined) {
    if (!table.columns.includes(given))
      throw createMissingError(sought, {
        reason: `has nothing at ${namePlace(given)}, its`,
        places: table.columns,
      });
    return { pointer: given, by: "mapping" };
  }
  return choose(listColumns(table, field, query, fits), sought);
}

const isDay = (cell: Cell) => readWritten(cell) !== undefined;
const keep = (reading: Record<string, Found1>): Reading =>
  Object.fromEntries(Object.entries(reading).flatMap(([name, found]) => (found ? [[name, found]] : [])));

const listCounts = (table: Table): Pointer[] =>
  table.columns.filter((column) => cellsOf(table, column).every((cell) => readCount(cell) !== undefined));

/** Where a series has its days and their counts. */
export function readSeriesColumns(table: Table, query: TableQuery): Reading {
  const sought = (field: string): Sought => ({ operation: query.operation, path: query.path, field });
  const date = findDate(table, query);
  if (date === undefined) throw createMissingError(sought("date"), { places: table.columns });
  const [visitors, pageviews] = [
    findColumn(table, "visitors", query, isCount),
    findColumn(table, "pageviews", query, isCount),
  ];
  if (visitors === undefined) throw createMissingError(sought("visitors"), { places: listCounts(table) });
  if (pageviews === undefined) throw createMissingError(sought("pageviews"), { places: listCounts(table) });
  return keep({ date, visitors, pageviews });
}

function findDate(table: Table, query: TableQuery): Found1 {
  if (query.chosen.date === undefined && table.days !== undefined)
    return { pointer: table.days, by: "shape" };
  const named = findColumn(table, "date", query, isDay);
  if (named !== undefined) return named;
  const all = table.columns.filter((column) =>
    cellsOf(table, column).every((cell) => typeof cell === "string" && isDay(cell)),
  );
  const [only] = all;
  return only !== undefined && all.length === 1 ? { pointer: only, by: "shape" } : undefined;
}

const isText = (cell: Cell) => cell === null || typeof cell === "string";

/** Where a ranking has its values and counts. */
export function readRowColumns(table: Table, query: TableQuery, dimension: string, envelope: Cells): Reading {
  const { operation, path } = query;
  const value = findValue(table, query, dimension);
  if (value === undefined)
    throw createMissingError({ operation, path, field: "value" }, { places: table.columns });
  const counts = {
    visitors: findColumn(table, "visitors", query, isCount),
    pageviews: findColumn(table, "pageviews", query, isCount),
    events: findColumn(table, "events", query, isCount),
  };
  const hasCounts = Object.values(counts).some((found) => found !== undefined);
  const label = findLabel(table, query, dimension, value);
  const lone = hasCounts ? {} : findLoneCount(table, query, value, envelope);
  if (!hasCounts && Object.keys(lone).length === 0)
    throw createMissingError({ operation, path, field: "visitors" }, { places: listCounts(table) });
  return keep({ value, label, ...counts, ...lone });
}

/** A dimension's own name is a value's best name, but for a code beside it. */
function findValue(table: Table, query: TableQuery, dimension: string): Found1 {
  const named = findColumnGiven(table, "value", query);
  if (named !== undefined) return named;
  if (table.columns.includes(KEY)) return { pointer: KEY, by: "shape" };
  const candidates = table.columns.flatMap((column): Candidate[] => {
    const names = namesOf(column);
    const last = names.at(-1) ?? "";
    const own = rankDimension(last, dimension);
    const rank = rankName(names, "value") ?? (own === undefined ? undefined : 0.25 + own / 10);
    const cells = cellsOf(table, column);
    const isCounts = cells.every((cell) => cell === null || readCount(cell) !== undefined);
    return rank !== undefined && cells.every(isText) && !isCounts
      ? [{ pointer: column, rank, sample: cells }]
      : [];
  });
  const found = choose(candidates, { operation: query.operation, path: query.path, field: "value" });
  if (found !== undefined) return found;
  const texts = table.columns.filter((column) => cellsOf(table, column).every(isText));
  const [only] = texts;
  return only !== undefined && texts.length === 1 ? { pointer: only, by: "shape" } : undefined;
}

function findColumnGiven(table: Table, field: string, { chosen, operation, path }: TableQuery): Found1 {
  const given = readMember(chosen, field);
  if (typeof given !== "string") return undefined;
  if (table.columns.includes(given)) return { pointer: given, by: "mapping" };
  throw createMissingError(
    { operation, path, field },
    { reason: `has nothing at ${namePlace(given)}, its`, places: table.columns },
  );
}

function findLabel(table: Table, query: TableQuery, dimension: string, value: Found): Found1 {
  if (query.chosen.label === null) return undefined;
  const given = findColumnGiven(table, "label", query);
  if (given !== undefined) return given;
  const candidates = table.columns.flatMap((column): Candidate[] => {
    const last = namesOf(column).at(-1) ?? "";
    const rank = rankName([last], "label") ?? rankDimension(last, dimension);
    const cells = cellsOf(table, column);
    return column !== value.pointer && rank !== undefined && cells.every((cell) => typeof cell === "string")
      ? [{ pointer: column, rank, sample: column }]
      : [];
  });
  const [best] = candidates.toSorted((a, b) => a.rank - b.rank);
  return best && { pointer: best.pointer, by: "name" };
}

/** Parts of names of numbers in a row that are no count. */
const NO_COUNT = new Set([
  "rank",
  "position",
  "index",
  "id",
  "percent",
  "percentage",
  "pct",
  "share",
  "rate",
  "ratio",
  "color",
  "order",
]);

/** The only count of a row: what it counts is named beside the rows, or not at all. */
function findLoneCount(
  table: Table,
  query: TableQuery,
  value: Found,
  envelope: Cells,
): Record<string, Found1> {
  const given = findColumnGiven(table, "count", query);
  if (given !== undefined) return { count: given };
  const counts = table.columns.filter((column) => {
    const names = namesOf(column);
    const isAnother = isAside(names) || splitName(names.at(-1) ?? "").some((part) => NO_COUNT.has(part));
    return (
      column !== value.pointer &&
      !isAnother &&
      cellsOf(table, column).every((cell) => readCount(cell) !== undefined)
    );
  });
  const [only] = counts;
  if (only === undefined || counts.length > 1) return {};
  const metric = isOtherMetric(namesOf(only).at(-1) ?? "") ? undefined : findNamedMetric(envelope);
  return { [metric ?? "count"]: { pointer: only, by: metric ? "name" : "shape" } };
}

/** The metric that the answer names beside its rows: `{metric: "visitors"}`. */
function findNamedMetric(envelope: Cells): "visitors" | "pageviews" | "events" | undefined {
  const named = [...envelope].flatMap(([pointer, cell]) => {
    const last = splitName(namesOf(pointer).at(-1) ?? "").join("");
    return typeof cell === "string" && ["metric", "measure", "unit"].includes(last) ? [cell] : [];
  });
  return named.length === 1 ? findMetric(named[0] ?? "") : undefined;
}

/** A column whose texts are all domains or addresses, under whatever name; the name of the sites may be their domain. */
function findAddresses(table: Table, name: Found1): Found1 {
  const columns = table.columns.filter((column) =>
    cellsOf(table, column).every((cell) => typeof cell === "string" && looksLikeDomain(cell)),
  );
  const others = columns.filter((column) => column !== name?.pointer);
  const [only] = others.length === 1 ? others : columns;
  return only !== undefined && (others.length === 1 || columns.length === 1)
    ? { pointer: only, by: "shape" }
    : undefined;
}

const MAX_DOMAIN = 300;

/** Whether a text is a domain, or the address of one. */
export const looksLikeDomain = (text: string): boolean =>
  text.length <= MAX_DOMAIN && /^(https?:\/\/)?([\w-]+\.)+[a-z][\w-]*\.?(:\d+)?\/?$/i.test(text.trim());

/** Where a list of sites has what identifies them. */
export function readSiteColumns(table: Table, query: TableQuery): Reading {
  const isName = (cell: Cell) => typeof cell === "string" || typeof cell === "number";
  const find = (field: "id" | "domain" | "name" | "timezone" | "created_at") => {
    const given = findColumnGiven(table, field, query);
    if (given !== undefined || readMember(query.chosen, field) === null) return given;
    const candidates = table.columns.flatMap((column): Candidate[] => {
      const names = namesOf(column);
      const rank = rankName(names.slice(-1), field);
      const cells = cellsOf(table, column);
      // Of two names, the shorter way is the site's own.
      return rank !== undefined && cells.some(isName)
        ? [{ pointer: column, rank: rank + names.length, sample: column }]
        : [];
    });
    return choose(candidates, { operation: query.operation, path: query.path, field });
  };
  if (table.columns.length === 1 && table.columns[0] === KEY) return { name: { pointer: KEY, by: "shape" } };
  const [id, name, timezone, created_at] = [find("id"), find("name"), find("timezone"), find("created_at")];
  const domain = find("domain") ?? (query.chosen.domain === null ? undefined : findAddresses(table, name));
  if (id === undefined && domain === undefined && name === undefined) {
    throw createMissingError(
      { operation: query.operation, path: query.path, field: "domain" },
      { places: table.columns },
    );
  }
  return keep({ id, domain, name, timezone, created_at });
}
