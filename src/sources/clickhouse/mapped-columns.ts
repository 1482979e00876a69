import { type AnalyticsError, quoteWord } from "../../errors.ts";
import { suggest } from "../../render/suggest.ts";
import { type Columns, type ColumnType, describeType, listColumns, readType } from "./column-types.ts";
import { describeValues, type SqlCondition, writeCondition } from "./conditions.ts";
import { type Condition, createFlagError, type Mapping } from "./mapping.ts";
import { quoteName } from "./table-queries.ts";

/** What the types of a mapped table's columns decide. */
export interface MappedColumns {
  isTimeNullable: boolean;
  /** In the order of the mapping; `where0` and so on are the parameters. */
  conditions: readonly SqlCondition[];
  /** The columns with their types, for people. */
  summary: string;
}

/** A mapped table's name within its queries. */
export const TABLE_ALIAS = "hit";

/** With the table's name, since a column may be called `value` or `date`, as results are. */
export const quoteColumn = (name: string) => `${TABLE_ALIAS}.${quoteName(name)}`;

/** Throws AnalyticsError `usage` if the table lacks a column of the mapping, or has it with a type that would give wrong numbers. */
export function checkMappedColumns(mapping: Mapping, columns: Columns): MappedColumns {
  for (const [use, name] of listUses(mapping)) assertUsable(use, name, columns);
  return {
    isTimeNullable: findType("--map time", mapping.time, columns).isNullable,
    conditions: mapping.conditions.map((condition, index) => bindCondition(condition, columns, index)),
    summary: [...new Set(listMappedColumns(mapping))]
      .map((name) => `${name} ${describeType(columns.get(name) ?? "")}`)
      .join(", "),
  };
}

function listUses(mapping: Mapping): (readonly [use: string, name: string])[] {
  const { time, visitor, sequence, site, status, method, agent, values } = mapping;
  const optional = Object.entries({ sequence, site, status, method, agent });
  return [
    ["time", time],
    ...visitor.map((name) => ["visitor", name] as const),
    ...optional.flatMap(([use, name]) => (name === undefined ? [] : [[use, name] as const])),
    ...values,
  ];
}

export const listMappedColumns = (mapping: Mapping): string[] => [
  ...listUses(mapping).map(([, name]) => name),
  ...mapping.conditions.map(({ column }) => column),
];

function assertUsable(use: string, name: string, columns: Columns): void {
  const option = `--map ${use}=${name}`;
  const { kind } = findType(option, name, columns);
  if (use === "time" ? kind === "time" : kind !== "other") return;
  const type = describeType(columns.get(name) ?? "");
  if (use !== "time") {
    throw createFlagError(option, `needs a text or a number, and the column is ${type}`, VIEW_HINT);
  }
  throw createFlagError(
    option,
    `needs a DateTime or DateTime64, and the column is ${type}`,
    hintOnTime(name, kind),
  );
}

const VIEW_HINT = "Use a view that has the value in a column of its own.";

function hintOnTime(name: string, kind: ColumnType["kind"]): string {
  switch (kind) {
    case "integer":
      return `Use a view with fromUnixTimestamp64Milli(${name}) for milliseconds, or toDateTime(${name}) for seconds.`;
    case "text":
      return `Use a view with parseDateTime64BestEffort(${name}, 3).`;
    case "date":
      return "A date has no time of day, and without it there are no days in the site's timezone and no visits.";
    default:
      return VIEW_HINT;
  }
}

function bindCondition(condition: Condition, columns: Columns, index: number): SqlCondition {
  const { column, text } = condition;
  const type = findType("--where", column, columns);
  const bound = writeCondition(condition, quoteColumn(column), type, `where${index}`);
  if (bound !== undefined) return bound;
  throw createFlagError(
    "--where",
    `${quoteWord(text)} cannot be compared: the column ${column} is ${describeType(columns.get(column) ?? "")}`,
    describeValues(type),
  );
}

function findType(option: string, name: string, columns: Columns): ColumnType {
  const type = columns.get(name);
  if (type !== undefined) return readType(type);
  throw createMissingError(option, name, columns);
}

const MAX_LISTED = 20;

function createMissingError(option: string, name: string, columns: Columns): AnalyticsError {
  const known = listColumns(columns);
  return createFlagError(
    `${option}:`,
    `the table has no column ${quoteWord(name)}, or the user may not read it`,
    suggest(name, known).trim() || `It has ${known.slice(0, MAX_LISTED).join(", ")}.`,
  );
}
