import { readMember } from "../../member.ts";
import { type Cell, isRecord, MAX_DEPTH, readCells } from "./answer-tables.ts";
import type { Found, Reading } from "./field-mapping.ts";
import {
  choose,
  createGivenError,
  createMissingError,
  findBelow,
  findFields,
  rankPlace,
  readCount,
  type Sought,
} from "./find-field.ts";
import { namesOf, type Pointer, pointTo } from "./json-pointer.ts";
import { type Field, findMetric, isBeside, isNoCount, isOtherMetric, splitName } from "./words.ts";

/** Single values of an answer, by their pointers. Elements of arrays are none of them, but for the only one of an array. */
export type Cells = ReadonlyMap<Pointer, Cell>;

export function readRecord(answer: unknown, at: Pointer = ""): Cells {
  if (Array.isArray(answer)) {
    return answer.length === 1 ? readRecord(answer[0], pointTo(at, "0")) : new Map(readMetrics(answer, at));
  }
  if (!isRecord(answer)) return new Map();
  const inner = Object.entries(answer).flatMap(([name, member]): [Pointer, Cell][] =>
    Array.isArray(member) ? [...readRecord(member, pointTo(at, name))] : [],
  );
  return new Map([...readCells(answer, at, MAX_DEPTH), ...inner]);
}

/** Metrics as a list: `[{name: "visitors", value: 5}]`. Their pointers have the name in place of a position. */
function readMetrics(elements: readonly unknown[], at: Pointer): [Pointer, Cell][] {
  const metrics = elements.map((element) => {
    const cells = isRecord(element) ? Object.values(element) : [];
    const [name] = cells.filter((cell) => typeof cell === "string" && readCount(cell) === undefined);
    const counts = cells.filter((cell) => readCount(cell) !== undefined);
    return typeof name === "string" && findMetric(name) !== undefined && counts.length === 1
      ? ([pointTo(at, name), counts[0] as Cell] as [Pointer, Cell])
      : undefined;
  });
  return metrics.flatMap((metric) => (metric === undefined ? [] : [metric]));
}

/** What to look for in a record. */
export interface RecordQuery {
  operation: string;
  path: string;
  fields: readonly { field: string; words: Field; isRequired: boolean }[];
  /** What the person chose; null for what the service does not have. */
  chosen: Readonly<Record<string, Pointer | null | undefined>>;
  texts: ReadonlyMap<Pointer, string>;
}

/** Finds the fields of a record. Throws AnalyticsError `bad_answer` for one that is missing, or that two places could be. */
export function findInRecord(cells: Cells, { fields, texts, ...query }: RecordQuery): Reading {
  const finds = fields.map(({ field, words, isRequired }) => {
    const find = (chosen: RecordQuery["chosen"]): Found | undefined => {
      const sought = { ...query, field, chosen };
      const given = readMember(query.chosen, field);
      if (given === null) return undefined;
      if (given !== undefined) return findGivenCount(cells, given, sought);
      const candidates = [...cells].flatMap(([pointer, cell]) => {
        const rank = rankPlace(namesOf(pointer), texts.get(describedAt(pointer)), words);
        const sample = readCount(cell);
        return rank === undefined || sample === undefined ? [] : [{ pointer, rank, sample }];
      });
      const found = choose(candidates, sought);
      if (found === undefined && isRequired) throw createMissingError(sought, { places: listCounts(cells) });
      return found;
    };
    return [field, find] as const;
  });
  return findFields(query, Object.fromEntries(finds));
}

/** The count at a place that the mapping names. Throws AnalyticsError `bad_answer` if there is none. */
function findGivenCount(cells: Cells, given: Pointer, sought: Sought): Found {
  const cell = cells.get(given);
  if (readCount(cell) !== undefined) return { pointer: given, by: "mapping" };
  // A place may have null.
  const there = cell === undefined ? findBelow(given, [...cells.keys()]) : cell;
  throw createGivenError(sought, given, there, listCounts(cells));
}

const listCounts = (cells: Cells): Pointer[] =>
  [...cells].flatMap(([pointer, cell]) => (isPeople(cell) ? [pointer] : []));

/** The only element of an array is described as any of them. */
const describedAt = (pointer: Pointer) => pointer.replaceAll(/\/0(?=\/)/g, "/*");

/** The counts of a reading; undefined if one of its fields is not there, or is no count. */
export function countRecord(cells: Cells, reading: Reading): Map<string, number> | undefined {
  const counts = Object.entries(reading).map(
    ([field, { pointer }]) => [field, readCount(cells.get(pointer))] as const,
  );
  return counts.every((entry): entry is readonly [string, number] => entry[1] !== undefined)
    ? new Map(counts)
    : undefined;
}

/** Parts of names of counts that are not of people. */
const OTHER_COUNTS = new Set(["page", "pageview", "view", "event"]);

/** From here on, a number is a moment, in seconds or milliseconds since 1970. */
const MOMENT = 1e9;
const isPeople = (cell: Cell) => (readCount(cell) ?? MOMENT) < MOMENT;

/** Finds the active visitors: a number that is the whole answer, a field so named, or the only count that there is. */
export function findActive(answer: unknown, query: Omit<RecordQuery, "fields" | "operation">): Reading {
  const sought: Sought = { ...query, operation: "realtime", field: "visitors" };
  const given = query.chosen.visitors;
  const isWhole = readCount(answer) !== undefined;
  if (given === "" && isWhole) return { visitors: { pointer: "", by: "mapping" } };
  const cells = readRecord(answer);
  if (typeof given === "string") return { visitors: findGivenCount(cells, given, sought) };
  if (isWhole) return { visitors: { pointer: "", by: "shape" } };
  const fields = [{ field: "visitors", words: "active" as const, isRequired: false }];
  const found = findInRecord(cells, { ...query, operation: "realtime", fields });
  if (found.visitors !== undefined) return found;
  const others = [...cells].flatMap(([pointer, cell]) => {
    const names = namesOf(pointer);
    const last = names.at(-1) ?? "";
    if (isBeside(names.slice(0, -1))) return [];
    const isOther =
      isOtherMetric(last) || isNoCount(last) || splitName(last).some((part) => OTHER_COUNTS.has(part));
    return isPeople(cell) && typeof cell === "number" && !isOther ? [{ pointer, rank: 0, sample: cell }] : [];
  });
  const only = choose(others, sought);
  if (only === undefined) throw createMissingError(sought, { places: listCounts(cells) });
  return { visitors: { pointer: only.pointer, by: "shape" } };
}
