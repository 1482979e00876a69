import { isIP } from "node:net";
import { type ColumnType, listNames, MAX_TYPE_LENGTH } from "./column-types.ts";
import type { Condition } from "./mapping.ts";

/** A condition as SQL. */
export interface SqlCondition {
  sql: string;
  /** The value of its parameter. */
  value: string;
}

/**
 * Writes a condition that compares by the column's type: as text, `0` would not equal the `false` of a Bool. NULL equals no
 * value.
 *
 * @param column As SQL.
 * @param param The name of the value's parameter.
 * @returns Undefined if the column cannot have the value, or cannot be compared.
 */
export function writeCondition(
  { isEqual, value }: Condition,
  column: string,
  { kind, name }: ColumnType,
  param: string,
): SqlCondition | undefined {
  const sign = isEqual ? "=" : "!=";
  if (kind === "text" || kind === "enum") {
    const isKnown = kind === "text" || name.length >= MAX_TYPE_LENGTH || listNames(name).includes(value);
    if (!isKnown) return undefined;
    return { sql: `ifNull(toString(${column}), '') ${sign} {${param}:String}`, value };
  }
  const typed = readValue(value, kind, name);
  if (typed === undefined) return undefined;
  const ofNull = isEqual ? 0 : 1;
  return { sql: `ifNull(${column} ${sign} {${param}:${name}}, ${ofNull})`, value: typed };
}

/** What a column of this type may be compared with, for people. */
export function describeValues({ kind, name }: ColumnType): string {
  switch (kind) {
    case "bool":
      return "It takes 0, 1, false or true.";
    case "integer":
    case "decimal":
    case "float":
      return "It takes a number that fits this type.";
    case "uuid":
    case "address":
      return `It takes ${kind === "uuid" ? "a UUID" : "an IP address"}.`;
    case "enum": {
      // The server can write anything here.
      const names = listNames(name).filter((word) => /^[\w./-]{1,40}$/.test(word));
      return `It takes one of ${names.slice(0, MAX_NAMES).join(", ")}.`;
    }
    default:
      return "Use a view that has the answer in a column of its own, as a text or a number.";
  }
}

const MAX_NAMES = 20;

/** A value as ClickHouse reads it; undefined if the type does not have it. */
function readValue(value: string, kind: ColumnType["kind"], type: string): string | undefined {
  const text = value.slice(0, 100);
  switch (kind) {
    case "bool":
      return BOOLEANS.get(text.toLowerCase());
    case "integer":
      return isInteger(text, type) ? text : undefined;
    case "float":
      return /^-?\d+(?:\.\d+)?$/.test(text) ? text : undefined;
    case "decimal":
      return isDecimal(text, type) ? text : undefined;
    case "uuid":
      return /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text) ? text : undefined;
    case "address":
      return isIP(text) === 4 || (type === "IPv6" && isIP(text) === 6) ? text : undefined;
    default:
      return undefined;
  }
}

const BOOLEANS: ReadonlyMap<string, string> = new Map([
  ["0", "false"],
  ["1", "true"],
  ["false", "false"],
  ["true", "true"],
]);

/** ClickHouse would take 300 for 44 in a UInt8. */
function isInteger(text: string, type: string): boolean {
  if (!/^-?\d{1,78}$/.test(text)) return false;
  const bits = BigInt(/\d+/.exec(type)?.[0] ?? 0);
  const [min, max] = type.startsWith("U") ? [0n, 1n << bits] : [-(1n << (bits - 1n)), 1n << (bits - 1n)];
  const number = BigInt(text);
  return min <= number && number < max;
}

/** ClickHouse would take 0.001 for 0 in a Decimal(9, 2). */
function isDecimal(text: string, type: string): boolean {
  const [, precision = 0, scale = 0] = /\((\d+), (\d+)\)/.exec(type) ?? [];
  const [, whole = "", fraction = ""] = /^-?(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  return (
    whole !== "" &&
    whole.length <= Number(precision) - Number(scale) + (whole === "0" ? 1 : 0) &&
    fraction.length <= Number(scale)
  );
}
