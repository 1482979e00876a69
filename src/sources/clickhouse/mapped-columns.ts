import { AnalyticsError, quoteWord } from "../../errors.ts";
import { suggest } from "../../suggest.ts";
import {
  type Columns,
  type ColumnType,
  describeType,
  listColumns,
  readType,
  readValueType,
} from "./column-types.ts";
import { describeValues, type SqlCondition, writeCondition } from "./conditions.ts";
import { type Condition, createFlagError, type Mapping } from "./mapping.ts";
import { quoteName } from "./table-queries.ts";

/** What the types of a mapped table's columns decide. */
export interface MappedColumns {
  isTimeNullable: boolean;
  /** The type of the id of a site, as a parameter has it. */
  siteIdType?: string;
  /** In the order of the mapping, those of page views first; `where0` and so on are the parameters. */
  conditions: readonly SqlCondition[];
  /** The columns with their types, for people. */
  summary: string;
}

/** A mapped table's name within its queries. */
export const TABLE_ALIAS = "hit";

/** With the table's name, since a column may be called `value` or `date`, as results are. */
export function quoteColumn(text: string): string {
  const { name, key } = splitKey(text);
  return `${TABLE_ALIAS}.${quoteName(name)}${key === undefined ? "" : `['${key}']`}`;
}

/** `column[key]` is the value of a key in a Map. */
function splitKey(text: string): { name: string; key: string | undefined } {
  const [name = "", key] = text.split(/[[\]]/);
  return { name, key };
}

/** Throws AnalyticsError `usage` if the table lacks a column of the mapping, or has it with a type that would give wrong numbers. */
export function checkMappedColumns(mapping: Mapping, columns: Columns): MappedColumns {
  assertNoSign(columns);
  for (const [use, name] of listUses(mapping)) assertUsable(use, name, columns, mapping);
  const { siteId } = mapping;
  return {
    isTimeNullable: findType("--map time", mapping.time, columns).isNullable,
    ...(siteId !== undefined && { siteIdType: findType("--map site_id", siteId, columns).name }),
    conditions: listConditions(mapping).map((condition, index) => bindCondition(condition, columns, index)),
    summary: [...new Set(listMappedColumns(mapping))]
      .map((name) => `${name} ${describeType(columns.get(name) ?? "")}`)
      .join(", "),
  };
}

/** A row of these is written again, to be added up or taken back: Plausible's `sessions_v2` is one of them. */
const COUNTERS = /(?:Collapsing|Summing|Aggregating|Coalescing|Graphite)MergeTree$/;

/** Throws AnalyticsError `usage` if the rows of a table with this engine cannot be counted as page views. */
export function assertCountable(table: string, engine: string): void {
  if (COUNTERS.test(engine)) {
    throw createTableError(
      `The table ${table} has the engine ${engine}: its rows are sums or corrections of other rows, so they cannot be counted.`,
      "Choose a table with one row for each page view. Plausible's is events_v2, which --schema plausible reads.",
    );
  }
  if (/ReplacingMergeTree$/.test(engine)) {
    throw createTableError(
      `The table ${table} has the engine ${engine}: what is written twice would count twice, until ClickHouse merges it.`,
      `Make a view without such rows, and name it with --table: CREATE VIEW ${table}_final AS SELECT * FROM ${table} FINAL`,
    );
  }
}

/** Where the engine cannot be seen, a column of a collapsing table can. */
function assertNoSign(columns: Columns): void {
  if (columns.get("sign") !== "Int8") return;
  throw createTableError(
    "The table has a column sign (Int8), as tables whose rows correct each other do: they cannot be counted.",
    "Choose a table with one row for each page view.",
  );
}

const createTableError = (message: string, hint: string) => new AnalyticsError("usage", message, { hint });

function listUses(mapping: Mapping): (readonly [use: string, name: string])[] {
  const { time, visitor, sequence, site, siteId, status, method, agent, values } = mapping;
  const optional = Object.entries({ sequence, site, site_id: siteId, status, method, agent });
  return [
    ["time", time],
    ...visitor.map((name) => ["visitor", name] as const),
    ...optional.flatMap(([use, name]) => (name === undefined ? [] : [[use, name] as const])),
    ...values,
  ];
}

export const listMappedColumns = (mapping: Mapping): string[] => [
  ...listUses(mapping).map(([, name]) => splitKey(name).name),
  ...listConditions(mapping).map(({ column }) => column),
];

const listConditions = ({ conditions, eventConditions }: Mapping) => [...conditions, ...eventConditions];

function assertUsable(use: string, name: string, columns: Columns, { values }: Mapping): void {
  const option = `--map ${use}=${name}`;
  const isNeeded = use === "path" || ![...values.keys()].some((column) => column === use);
  if (!isNeeded && !columns.has(splitKey(name).name))
    throw createMissingError(option, name, columns, `To do without it: --map ${use}=`);
  const { kind } = findType(option, name, columns);
  if (use === "time" ? kind === "time" : kind !== "other") return;
  const type = describeType(columns.get(splitKey(name).name) ?? "");
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

function findType(option: string, text: string, columns: Columns): ColumnType {
  const { name, key } = splitKey(text);
  const type = columns.get(name);
  if (type === undefined) throw createMissingError(option, name, columns);
  return readType(key === undefined ? type : readValueType(type));
}

const MAX_LISTED = 20;

function createMissingError(option: string, name: string, columns: Columns, advice = ""): AnalyticsError {
  const known = listColumns(columns);
  const near = suggest(name, known).trim() || `It has ${known.slice(0, MAX_LISTED).join(", ")}.`;
  return createFlagError(
    `${option}:`,
    `the table has no column ${quoteWord(name)}, or the user may not read it`,
    `${near} ${advice}`.trim(),
  );
}
