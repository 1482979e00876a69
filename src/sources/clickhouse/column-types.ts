/** The types of a table's columns, by name, as ClickHouse writes them. */
export type Columns = ReadonlyMap<string, string>;

/** What can be done with a column. `other`: an array, a map, a document, a state of an aggregate function and so on. */
export type ColumnKind =
  | "text"
  | "enum"
  | "bool"
  | "integer"
  | "float"
  | "decimal"
  | "uuid"
  | "address"
  | "date"
  | "time"
  | "other";

export interface ColumnType {
  kind: ColumnKind;
  /** Without Nullable and LowCardinality. */
  name: string;
  isNullable: boolean;
}

const KINDS: readonly (readonly [kind: ColumnKind, pattern: RegExp])[] = [
  ["text", /^(?:String|FixedString\(\d+\))$/],
  ["enum", /^Enum(?:8|16)\(/],
  ["bool", /^Bool$/],
  ["integer", /^U?Int(?:8|16|32|64|128|256)$/],
  ["float", /^Float(?:32|64)$/],
  ["decimal", /^Decimal\(\d{1,2}, \d{1,2}\)$/],
  ["uuid", /^UUID$/],
  ["address", /^IPv[46]$/],
  ["date", /^Date(?:32)?$/],
  ["time", /^DateTime(?:64)?(?:\(.{1,60}\))?$/],
];

/** Longer types are those of enumerations with many names, and of documents. */
export const MAX_TYPE_LENGTH = 5_000;

export function readType(text: string): ColumnType {
  let name = text.slice(0, MAX_TYPE_LENGTH);
  let isNullable = false;
  for (;;) {
    const [, wrapper, inner] =
      /^(Nullable|LowCardinality|SimpleAggregateFunction)\((?:\w+, )?(.*)\)$/s.exec(name) ?? [];
    if (inner === undefined) break;
    isNullable ||= wrapper === "Nullable";
    name = inner;
  }
  const [kind = "other"] = KINDS.find(([, pattern]) => pattern.test(name)) ?? [];
  return { kind, name, isNullable };
}

/** The type of the values of a Map with texts as keys; of another type, that type itself, of which a value is no text. */
export const readValueType = (text: string): string =>
  /^Map\((?:LowCardinality\(String\)|String), (.{1,100})\)$/.exec(text)?.[1] ?? `Keyless(${text})`;

/**
 * A type for people, such as `Nullable(DateTime)`. Of one that may contain any text, only the name: `Enum8(…)`. The server
 * can write anything here, so nothing else is shown.
 */
export function describeType(text: string): string {
  const type = text.slice(0, MAX_TYPE_LENGTH);
  if (/^(?:[\w()'/+-]|, ){1,60}$/.test(type)) return type;
  const [name] = /^\w{1,40}(?=\()/.exec(type) ?? [];
  return name === undefined ? "an unknown type" : `${name}(…)`;
}

/** The names in the type of an enumeration. */
export const listNames = (type: string): string[] =>
  [...type.matchAll(/'((?:[^'\\]|\\.)*)' = -?\d+/g)].map(([, name = ""]) => name.replaceAll(/\\(.)/g, "$1"));

/** The names of columns, without those that no mapping can name: the server can write anything there. */
export const listColumns = (columns: Columns): string[] =>
  [...columns.keys()].filter((name) => /^\w{1,128}$/.test(name));
