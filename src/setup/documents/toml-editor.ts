import { isDeepStrictEqual } from "node:util";
import { parse as parseToml, TomlError, type TomlTable, type TomlValue } from "smol-toml";
import { quote } from "../../errors.ts";
import { readMember } from "../../member.ts";
import {
  createOtherEntryError,
  createShapeError,
  createUnreadableError,
  type Edit,
  type Entry,
  findLineEnd,
  limitDepth,
} from "./editor.ts";
import { formatTomlTable } from "./entry-format.ts";

/** Adds a table at the end of a TOML document, or in place of the table that it replaces. */
export const editToml: Edit = limitDepth((text, entry, force) => {
  const document = parse(text);
  const content = formatTomlTable(entry.serversKey, entry.name, entry.value);
  const wanted = findServer(parse(content), entry);
  const existing = findServer(document, entry);
  if (isDeepStrictEqual(existing, wanted)) return text;
  if (existing !== undefined && !force) throw createOtherEntryError(entry);
  const lines = content.replaceAll("\n", findLineEnd(text));
  const result = existing === undefined ? append(text, lines) : replace(text, entry, lines);
  assertRestUnchanged(document, result, entry, wanted);
  return result;
});

function parse(text: string): TomlTable {
  try {
    return parseToml(text, { integersAsBigInt: "asNeeded" });
  } catch (cause) {
    if (!(cause instanceof TomlError)) throw cause;
    const reason = cause.message.split("\n")[0]?.replace(/^Invalid TOML document: /, "");
    throw createUnreadableError(`line ${cause.line}, column ${cause.column}: ${reason}`, cause);
  }
}

const findServer = (document: TomlTable, { serversKey, name }: Entry): unknown =>
  readMember(readMember(document, serversKey), name);

const isTable = (value: unknown): value is TomlTable =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);

function append(text: string, content: string): string {
  if (text.trim() === "") return text + content;
  const lineEnd = findLineEnd(text);
  return text + (text.endsWith("\n") ? "" : lineEnd) + lineEnd + content;
}

/** Removes all tables of the server and puts the new one where the first of them was. */
function replace(text: string, { serversKey, name }: Entry, content: string): string {
  const tables = findTables(text).filter(({ path }) => path[0] === serversKey && path[1] === name);
  const [first] = tables;
  if (first === undefined) throw createShapeError(`It defines ${quote(name)} inside another table.`);
  return tables.reduceRight((rest, { start, end }) => {
    const isLast = end === text.length && !text.endsWith("\n");
    const replacement = start === first.start ? (isLast ? content.trimEnd() : content) : "";
    return rest.slice(0, start) + replacement + rest.slice(end);
  }, text);
}

interface Table {
  path: string[];
  /** The offset at which its header line starts. */
  start: number;
  /** The offset of the line after its last key. Comments and blank lines after that belong to the next table. */
  end: number;
}

/** The tables of a valid document in order, including those of arrays of tables. */
function findTables(text: string): Table[] {
  const starts = [...text.matchAll(/^[ \t]*\[/gm)]
    .map(({ index }) => index)
    // Strings and lists may have such lines, too.
    .filter((start) => isComplete(text.slice(0, start)));
  return starts.map((start, index) => {
    const [header = ""] = text.slice(start).split(/\r?\n/, 1);
    let end = start;
    for (const { 0: line, index: offset } of text
      .slice(start, starts[index + 1])
      .matchAll(/[^\n]*\n|[^\n]+$/g)) {
      const isKey = !/^\s*(#|$)/.test(line);
      if (isKey || !isComplete(text.slice(0, end))) end = start + offset + line.length;
    }
    return { path: readPath(parse(header)), start, end };
  });
}

/** Whether a part of a valid document ends between two statements. */
function isComplete(text: string): boolean {
  try {
    parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The names in a header, which alone is a document with one path. */
function readPath(value: TomlValue): string[] {
  const table = Array.isArray(value) ? value[0] : value;
  return Object.entries(table ?? {}).flatMap(([name, inner]) => [name, ...readPath(inner)]);
}

/** Proves with the parser that the edit added the entry and changed nothing else. */
function assertRestUnchanged(before: TomlTable, result: string, entry: Entry, wanted: unknown): void {
  const strip = (document: TomlTable) => {
    const servers = readMember(document, entry.serversKey);
    const rest = isTable(servers) ? Object.entries(servers).filter(([name]) => name !== entry.name) : [];
    return { ...document, [entry.serversKey]: Object.fromEntries(rest) };
  };
  const failure = createShapeError("Its layout cannot be edited safely.");
  if (!isComplete(result)) throw failure;
  const after = parse(result);
  const isRight = isDeepStrictEqual(findServer(after, entry), wanted);
  if (!isRight || !isDeepStrictEqual(strip(after), strip(before))) throw failure;
}
