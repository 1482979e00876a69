import { createParameterError, quote } from "../../errors.ts";
import { readMember } from "../../member.ts";
import { nameValue } from "../../names/value-names.ts";
import type { Dimension } from "../../operations/dimensions.ts";
import { breakdown } from "../../operations/index.ts";
import type { AnswerOf } from "../../operations/operation.ts";
import { compareRows } from "../../operations/row-order.ts";
import { type Cell, KEY, type Table } from "./answer-tables.ts";
import { type FieldMapping, type Found, keepFound, type Reading } from "./field-mapping.ts";
import { choose, createMissingError, findFields, readCount, wordOf } from "./find-field.ts";
import { namesOf, type Pointer } from "./json-pointer.ts";
import { type Cells, findInRecord, readRecord } from "./read-record.ts";
import {
  applyReading,
  cellsOf,
  findColumn,
  findGiven,
  findOnly,
  findTable,
  isCount,
  isEmptyList,
  listColumns,
  listCounts,
  type TableQuery,
} from "./read-table.ts";
import type { ServiceReader } from "./service-reader.ts";
import {
  canBePaths,
  findMetric,
  findOtherDimension,
  isAside,
  isNoCount,
  isOtherMetric,
  rankDimension,
  rankName,
  splitName,
} from "./words.ts";

type Row = AnswerOf<typeof breakdown>["rows"][number];

export interface ReadRows {
  rows: Row[];
  total: number | undefined;
  /** What the service calls a count that no word names. */
  unnamed: string | undefined;
  /** Counts that the mapping reads by the same name elsewhere, as it would say so, and all counts that are not read. */
  unread: { mapping: FieldMapping; places: readonly Pointer[] } | undefined;
  /** Whether the service has its rows in the contract's order of visitors. */
  isRanked: boolean;
}

const MAX_VALUE = 500;
/** Of what a hint shows. */
const MAX_PLACE = 100;
const METRICS = ["visitors", "pageviews", "events", "count"] as const;

export function readRows(reader: ServiceReader, answer: unknown, dimension: Dimension): ReadRows {
  const { path, name } = breakdown;
  const key = `${name} ${dimension}`;
  const none: ReadRows = {
    rows: [],
    total: undefined,
    unnamed: undefined,
    unread: undefined,
    isRanked: true,
  };
  if (readMember(reader.learned().readings, key) === undefined && isEmptyList(answer)) return none;
  const { breakdown: ofAll = {}, breakdowns: { [dimension]: own = {} } = {} } = reader.mapping;
  const query = { operation: name, path, chosen: { ...ofAll, ...own }, texts: reader.texts(path) };
  const envelope = readRecord(answer);
  const apply = (reading: Reading): ReadRows | undefined => {
    const table = applyReading(answer, reading);
    if (table === undefined) return isEmptyList(answer) ? none : undefined;
    const rows = table.rows.map((row): Row | undefined => {
      const cell = (field: string) => row.get(readMember(reading, field)?.pointer ?? "");
      // A metric that a row does not have is null; one that is no count is an error.
      const counts = METRICS.flatMap((field) => {
        const given = cell(field) ?? null;
        return given === null ? [] : [[field, readCount(given)] as const];
      });
      if (counts.some(([, count]) => count === undefined)) return undefined;
      const given = cell("value");
      const value =
        given === null || given === undefined || given === "" ? null : String(given).slice(0, MAX_VALUE);
      const label = cell("label");
      const shown =
        typeof label === "string" && label !== "" ? label.slice(0, MAX_VALUE) : nameValue(dimension, value);
      return { value, label: shown, ...Object.fromEntries(counts) };
    });
    const complete = rows.filter((row) => row !== undefined);
    if (complete.length < rows.length) return undefined;
    const count = reading.count?.pointer;
    const total =
      reading.total_rows === undefined ? undefined : readCount(envelope.get(reading.total_rows.pointer));
    return {
      rows: complete.toSorted(compareCounts),
      total,
      unnamed: count && JSON.stringify(count.slice(1, 60)),
      unread: proposeUnread(listUnread(table, reading), { ...query.chosen, ...reading }, reader.mapping),
      isRanked: complete.every(
        ({ visitors = 0 }, index) => visitors <= (complete[index - 1]?.visitors ?? visitors),
      ),
    };
  };
  return reader.read(key, path, answer, {
    apply,
    find: () => {
      const { reading } = findTable(answer, query, (table) =>
        readRowColumns(table, query, dimension, envelope),
      );
      const fields = [{ field: "total_rows", words: "total_rows" as const, isRequired: false }];
      return { ...reading, ...findInRecord(envelope, { ...query, fields }) };
    },
  });
}

/** Counts of all rows that are no field. */
export function listUnread(table: Table, reading: Reading): Pointer[] {
  const read = new Set(Object.values(reading).map(({ pointer }) => pointer));
  return listCounts(table).filter((place) => !read.has(place));
}

/** What a mapping would say of counts in rows that it does not read, and that have the names of those that it reads elsewhere. */
function proposeUnread(places: readonly Pointer[], known: object, mapping: FieldMapping): ReadRows["unread"] {
  const named = [...nameChosen(mapping)].flatMap(([field, word]) => {
    const place = places.find((each) => wordOf(each) === word);
    const isLong = (place?.length ?? 0) > MAX_PLACE;
    return place === undefined || isLong || readMember(known, field) !== undefined ? [] : [[field, place]];
  });
  return named.length === 0 ? undefined : { mapping: { breakdown: Object.fromEntries(named) }, places };
}

/** What a mapping calls the fields of totals and days: those of rows have the same names. */
export function nameChosen({ stats, timeseries }: FieldMapping): Map<string, string> {
  const places = [timeseries, stats].flatMap((chosen = {}) => Object.entries(chosen));
  return new Map(
    places.flatMap(([field, place]) => (place && isCounted(field) ? [[field, wordOf(place)] as const] : [])),
  );
}

export const isCounted = (field: string): boolean => METRICS.some((metric) => metric === field);

/** In the contract's order, by what is there. */
const compareCounts = (a: Row, b: Row) => compareRows(orderOf(a), orderOf(b));
const orderOf = ({ value, visitors, pageviews, events, count }: Row) => ({
  value,
  visitors: visitors ?? pageviews ?? events ?? count ?? 0,
  hits: pageviews ?? events ?? 0,
});

const isText = (cell: Cell) => cell === null || typeof cell === "string";

/** Where a ranking has its values and counts. */
function readRowColumns(table: Table, query: TableQuery, dimension: string, envelope: Cells): Reading {
  const value = findValue(table, query, dimension);
  if (value === undefined) throw createMissingError({ ...query, field: "value" }, { places: table.columns });
  if (value.by !== "mapping") assertOwnRows(table, value, dimension);
  const find = (field: "visitors" | "pageviews" | "events") => (chosen: TableQuery["chosen"]) =>
    findColumn(table, field, { ...query, chosen }, isCount);
  const counts = findFields(query, {
    visitors: find("visitors"),
    pageviews: find("pageviews"),
    events: find("events"),
  });
  const hasCounts = Object.keys(counts).length > 0;
  const label = findLabel(table, query, dimension, value);
  const lone = hasCounts ? {} : findLoneCount(table, query, value, envelope);
  if (!hasCounts && Object.values(lone).every((found) => found === undefined))
    throw createMissingError({ ...query, field: "visitors" }, { places: listCounts(table) });
  return keepFound({ value, label, ...counts, ...lone });
}

/** A dimension's own name is a value's best name, but for a code beside it. */
function findValue(table: Table, query: TableQuery, dimension: string): Found | undefined {
  const named = findGiven(table, "value", query);
  if (named) return named;
  if (table.columns.includes(KEY)) return { pointer: KEY, by: "shape" };
  const rankOf = (names: readonly string[]) => {
    const own = rankDimension(names.at(-1) ?? "", dimension);
    return rankName(names, "value") ?? (own === undefined ? undefined : 0.25 + own / 10);
  };
  const isValues = (cells: readonly Cell[]) => cells.every(isText) && !cells.every(isCount);
  const candidates = listColumns(table, rankOf, isValues);
  const found = choose(candidates, { ...query, field: "value" });
  if (found !== undefined) return found;
  return findOnly(table.columns.filter((column) => cellsOf(table, column).every(isText)));
}

/** Refuses the rows of a service that answers with another list than was asked for, such as pages for every dimension. */
function assertOwnRows(table: Table, { pointer }: Found, dimension: string): void {
  const otherOf = (column: Pointer) => findOtherDimension(namesOf(column).at(-1) ?? "", dimension);
  const isPath = (cell: Cell) => cell === null || (typeof cell === "string" && cell.startsWith("/"));
  const arePages = (column: Pointer) => !canBePaths(dimension) && cellsOf(table, column).every(isPath);
  // A title may stand beside its page.
  const isTitle = (rankName(namesOf(pointer), "value") ?? 0) >= 2;
  const besides = isTitle ? table.columns.filter((column) => otherOf(column) && arePages(column)) : [];
  const [other] = otherOf(pointer) || arePages(pointer) ? [pointer] : besides;
  if (other === undefined) return;
  const sample = cellsOf(table, other).find((cell) => cell !== null) ?? null;
  const mapping = JSON.stringify({ breakdowns: { [dimension]: { value: other.slice(0, MAX_PLACE) } } });
  throw createParameterError("dimension", `cannot be ${dimension}: this service has no such list`, {
    hint: `It answers with ${otherOf(other) ?? "pages"}, such as ${quote(sample, { maxLength: MAX_PLACE })}. If these are ${dimension}, a mapping file can say so: ${mapping}`,
  });
}

function findLabel(table: Table, query: TableQuery, dimension: string, value: Found): Found | undefined {
  const given = findGiven(table, "label", query);
  if (given !== undefined) return given ?? undefined;
  const rankOf = (names: readonly string[]) => {
    const last = names.at(-1) ?? "";
    return rankName([last], "label") ?? rankDimension(last, dimension);
  };
  const named = listColumns(table, rankOf, (cells) => cells.every((cell) => typeof cell === "string"));
  const [best] = named.filter(({ pointer }) => pointer !== value.pointer).toSorted((a, b) => a.rank - b.rank);
  return best && { pointer: best.pointer, by: "name" };
}

/** The only count of a row: what it counts is named beside the rows, or not at all. */
function findLoneCount(
  table: Table,
  query: TableQuery,
  value: Found,
  envelope: Cells,
): Record<string, Found | undefined> {
  const given = findGiven(table, "count", query, isCount);
  if (given !== undefined) return { count: given ?? undefined };
  const counts = listCounts(table).filter((column) => {
    const names = namesOf(column);
    const isAnother = isAside(names) || isNoCount(names.at(-1) ?? "");
    return column !== value.pointer && !isAnother;
  });
  const only = findOnly(counts);
  if (only === undefined) return {};
  const metric = isOtherMetric(namesOf(only.pointer).at(-1) ?? "") ? undefined : findNamedMetric(envelope);
  return metric === undefined ? { count: only } : { [metric]: { ...only, by: "name" } };
}

/** The metric that the answer names beside its rows: `{metric: "visitors"}`. */
function findNamedMetric(envelope: Cells): "visitors" | "pageviews" | "events" | undefined {
  const named = [...envelope].flatMap(([pointer, cell]) => {
    const last = splitName(namesOf(pointer).at(-1) ?? "").join("");
    return typeof cell === "string" && ["metric", "measure", "unit"].includes(last) ? [cell] : [];
  });
  return named.length === 1 ? findMetric(named[0] ?? "") : undefined;
}
