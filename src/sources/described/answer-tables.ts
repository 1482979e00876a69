import { readMember } from "../../member.ts";
import { readWritten } from "./answer-dates.ts";
import { type Pointer, pointTo } from "./json-pointer.ts";
import { isAside, isBeside } from "./words.ts";

/*
 * The tables of an answer, whatever their form: an array of objects, parallel arrays, named sequences, rows under a header, or
 * objects by date. All become rows of cells; a cell is named by its pointer in the row.
 */

export type Cell = string | number | boolean | null;

export interface Table {
  /** Where it is in the answer. */
  at: Pointer;
  /** Where an element's members are described, from the top of the answer; absent where there is no such place. */
  element?: Pointer;
  columns: readonly Pointer[];
  /** Set if its rows are the members of an object, under names that are no days. */
  isByName?: true;
  /** The column of days, where the form of the table shows it. */
  days?: Pointer;
  rows: readonly ReadonlyMap<Pointer, Cell>[];
}

/** An envelope may have any depth; this one ends what is hostile. */
export const MAX_DEPTH = 10;
const MAX_COLUMNS = 100;
const ROW_DEPTH = 3;
/** The column of a table that has the names of the members it was made from: dates, or the texts of a plain list. */
export const KEY: Pointer = "/*";

/** All tables of an answer, outermost first, but for those of other days. */
export function findTables(answer: unknown): Table[] {
  const tables: Table[] = [];
  const visit = (value: unknown, at: Pointer, depth: number) => {
    const found = readTable(value, at);
    if (found !== undefined) tables.push(found);
    if ((found !== undefined && !found.isByName) || depth === MAX_DEPTH || !isRecord(value)) return;
    for (const [name, member] of Object.entries(value)) {
      if (!isAside([name])) visit(member, pointTo(at, name), depth + 1);
    }
  };
  visit(answer, "", 0);
  // What looks like a table by names may be the envelope of another one.
  const others = tables.filter(({ isByName }) => !isByName);
  return others.length > 0 ? others : tables;
}

/** The table that a value is; undefined if it is none. */
export function readTable(value: unknown, at: Pointer): Table | undefined {
  if (Array.isArray(value)) {
    if (value.length > 0 && value.every(isRecord)) {
      return readSequences(value.flatMap(readSequence), at) ?? readList(value, at);
    }
    return value.length > 0 && value.every((each) => typeof each === "string")
      ? createTable(
          at,
          value.map((text): [Pointer, Cell][] => [[KEY, text]]),
        )
      : undefined;
  }
  if (!isRecord(value)) return undefined;
  return readColumns(value, at) ?? readMatrix(value, at) ?? readByName(value, at) ?? readMembers(value, at);
}

type Json = Readonly<Record<string, unknown>>;

export const isRecord = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isCell = (value: unknown): value is Cell => value === null || typeof value !== "object";
const isDay = (value: unknown) => readWritten(value) !== undefined;

function createTable(at: Pointer, rows: readonly (readonly [Pointer, Cell][])[], element?: Pointer): Table {
  const columns = [...new Set(rows.flatMap((row) => row.map(([column]) => column)))].slice(0, MAX_COLUMNS);
  return { at, columns, rows: rows.map((row) => new Map(row)), ...(element !== undefined && { element }) };
}

const readList = (elements: readonly Json[], at: Pointer) =>
  createTable(
    at,
    elements.map((element) => readCells(element)),
    pointTo(at, "*"),
  );

/** The cells of an object, with those of the objects in it. */
export const readCells = (value: Json, parent: Pointer = "", depth = ROW_DEPTH): [Pointer, Cell][] =>
  Object.entries(value).flatMap(([name, member]): [Pointer, Cell][] => {
    const pointer = pointTo(parent, name);
    if (isCell(member)) return [[pointer, member]];
    return isRecord(member) && depth > 0 ? readCells(member, pointer, depth - 1) : [];
  });

/** Parallel arrays: `{labels: […], visitors: […]}`, or `{labels: […], datasets: [{label: "Visitors", data: […]}]}`. */
function readColumns(value: Json, at: Pointer): Table | undefined {
  const members = Object.entries(value).flatMap(([name, member]) => {
    if (isRecord(member)) {
      return Object.entries(member).map(
        ([inner, cells]) => [pointTo(pointTo("", name), inner), cells] as const,
      );
    }
    if (!Array.isArray(member) || !member.every(isRecord)) return [[pointTo("", name), member] as const];
    // Sequences that have a name inside.
    return member.flatMap((sequence) => {
      const [inner, cells] = [findName(sequence), findArray(sequence)];
      return inner === undefined || cells === undefined
        ? []
        : [[pointTo(pointTo("", name), inner), cells] as const];
    });
  });
  const columns = members.flatMap(([column, cells]): [Pointer, Cell[]][] =>
    Array.isArray(cells) && cells.length > 0 && cells.every(isCell) ? [[column, cells]] : [],
  );
  const days = columns.find(([, cells]) => cells.every(isDay));
  const parallel = columns.filter(([, cells]) => cells.length === days?.[1].length);
  if (days === undefined || parallel.length < 2) return undefined;
  const rows = days[1].map((_, index) =>
    parallel.map(([column, cells]): [Pointer, Cell] => [column, cells[index] ?? null]),
  );
  return { ...createTable(at, rows), days: days[0] };
}

/** Rows under a header: `{columns: ["date", "visitors"], rows: [["2026-11-20", 5]]}`. */
function readMatrix(value: Json, at: Pointer): Table | undefined {
  const members = Object.values(value).filter(Array.isArray);
  const header = members.map(readHeader).find((names) => names !== undefined);
  const body = members.find(
    (rows) =>
      rows.length > 0 &&
      rows.every((row) => Array.isArray(row) && row.length === header?.length && row.every(isCell)),
  );
  if (header === undefined || body === undefined) return undefined;
  return createTable(
    at,
    body.map((row: Cell[]) =>
      row.map((cell, index): [Pointer, Cell] => [pointTo("", header[index] ?? ""), cell]),
    ),
  );
}

/** The names of columns, as texts or as objects with a name. */
function readHeader(value: readonly unknown[]): string[] | undefined {
  const names = value.map((each) =>
    typeof each === "string" ? each : isRecord(each) ? findName(each) : undefined,
  );
  const known = names.filter((name) => name !== undefined);
  return known.length === value.length && new Set(known).size === known.length && known.length > 1
    ? known
    : undefined;
}

/** Whether an object has no lists, also not further inside: what has is an envelope, not a row. */
const isFlat = (value: Json): boolean =>
  Object.values(value).every(
    // An empty object may be an empty list of rows by name.
    (member) => isCell(member) || (isRecord(member) && Object.keys(member).length > 0 && isFlat(member)),
  );

/** Objects by date or by name: `{"2026-11-20": {visitors: 5, pageviews: 9}}`, `{"/pricing": {visitors: 5}}`. */
function readByName(value: Json, at: Pointer): Table | undefined {
  const entries = Object.entries(value);
  const members = entries.map(([, member]) => (isRecord(member) && isFlat(member) ? readCells(member) : []));
  const shapes = new Set(members.map((cells) => JSON.stringify(cells.map(([column]) => column).toSorted())));
  const isTable = entries.length > 0 && members.every((cells) => cells.length > 0) && shapes.size === 1;
  // Parts of an answer have names of parts, and none of them stands at its top.
  const isParts = at === "" || entries.some(([name]) => isAside([name]) || isBeside([name]));
  const areDays = entries.every(([name]) => isDay(name));
  if (!isTable || (isParts && !areDays)) return undefined;
  const rows = entries.map(([name], index): [Pointer, Cell][] => [[KEY, name], ...(members[index] ?? [])]);
  return {
    ...createTable(at, rows, pointTo(at, "*")),
    ...(areDays ? { days: KEY } : { isByName: true as const }),
  };
}

/** A sequence a member: `{visitors: [{date, value}], pageviews: [{date, value}]}`, or `{visitors: {"2026-11-20": 5}}`. */
function readMembers(value: Json, at: Pointer): Table | undefined {
  const sequences = Object.entries(value).flatMap(([name, member]) => {
    const points = isAside([name]) ? undefined : readPoints(member);
    return points === undefined ? [] : [{ name, points }];
  });
  return readSequences(sequences, at);
}

interface Sequence {
  name: string;
  points: [day: Cell, count: Cell][];
}

/** A sequence that has its name inside: `{name: "Visitors", data: [[1763596800000, 5]]}`. */
function readSequence(value: Json): Sequence[] {
  const name = findName(value);
  const points = Object.values(value)
    .map(readPoints)
    .find((found) => found !== undefined);
  return name === undefined || points === undefined || isAside([name]) ? [] : [{ name, points }];
}

/** Days with one count each, as pairs, objects of two members, or an object by date. */
function readPoints(value: unknown): Sequence["points"] | undefined {
  const pairs = Array.isArray(value) ? value.map(readPair) : isRecord(value) ? Object.entries(value) : [];
  const points = pairs.flatMap((pair): Sequence["points"] => {
    const [day, count] = pair ?? [];
    return isCell(day) && isCell(count) && isDay(day) ? [[day, count]] : [];
  });
  return points.length > 0 && points.length === pairs.length ? points : undefined;
}

function readPair(value: unknown): unknown[] | undefined {
  if (Array.isArray(value)) return value.length === 2 ? value : undefined;
  if (!isRecord(value)) return undefined;
  const members = Object.values(value);
  const day = members.find((member) => typeof member !== "number" && isDay(member)) ?? members.find(isDay);
  const rest = members.filter((member) => member !== day);
  return members.length === 2 && rest.length === 1 ? [day, rest[0]] : undefined;
}

/** Sequences as one table, joined by day. A single one of them has no other count, and is read as a list of points. */
function readSequences(sequences: readonly Sequence[], at: Pointer): Table | undefined {
  if (sequences.length < 2 || new Set(sequences.map(({ name }) => name)).size < sequences.length)
    return undefined;
  const byDay = new Map<string, [Pointer, Cell][]>();
  for (const { name, points } of sequences) {
    for (const [day, count] of points) {
      const row = byDay.get(String(day)) ?? [[KEY, day]];
      byDay.set(String(day), [...row, [pointTo("", name), count]]);
    }
  }
  return { ...createTable(at, [...byDay.values()]), days: KEY };
}

const NAMES = ["name", "label", "key", "metric", "id", "title", "field"];

const findName = (value: Json): string | undefined =>
  NAMES.map((name) => readMember(value, name)).find((text) => typeof text === "string");

const findArray = (value: Json): unknown[] | undefined =>
  Object.values(value).find((member): member is unknown[] => Array.isArray(member) && member.every(isCell));
