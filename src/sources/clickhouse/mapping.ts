import { AnalyticsError, quoteWord } from "../../errors.ts";
import { columnsOf, type TextColumn } from "../hits.ts";
import { CONTRACT_RULE, type VisitRule } from "../measure/definition.ts";
import { listTexts } from "../named-sites.ts";
import type { SourceFlags } from "../source-types.ts";
import { readSchema } from "./schemas.ts";

/**
 * Which columns of another table to use in place of those of hits. Names consist of letters, digits and `_`; `column[key]` is
 * the value of a key in a Map.
 */
export interface Mapping {
  /** Columns that together identify a person on one day, such as address and user agent. */
  visitor: readonly string[];
  time: string;
  /** The order of requests within a second. */
  sequence: string | undefined;
  /** The host; undefined if the whole table is about one site, or has ids. */
  site: string | undefined;
  /** The id of the site. */
  siteId: string | undefined;
  status: string | undefined;
  method: string | undefined;
  agent: string | undefined;
  values: ReadonlyMap<TextColumn, string>;
  conditions: readonly Condition[];
  /** The conditions on other rows, which select custom events; their names are in `values`. */
  eventConditions: readonly Condition[];
  rule: VisitRule;
}

/** A condition that selects the rows that are page views of people. */
export interface Condition {
  /** As it was given, such as `is_bot=0`. */
  text: string;
  column: string;
  isEqual: boolean;
  value: string;
}

const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;
/** With the key of a Map. Neither a quote nor a backslash can end the SQL that it becomes a part of. */
const NAME_OR_KEY = /^[A-Za-z_][A-Za-z0-9_]{0,127}(?:\[[\w.-]{1,128}\])?$/;
const VALUE_COLUMNS = new Set<string>(
  Object.values(columnsOf).filter((column) => !/^(?:entry|exit)_page$|^event$/.test(column)),
);
const OTHER_COLUMNS = ["time", "sequence", "visitor", "site", "site_id", "status", "method", "agent"];

/** Reads `--schema`, `--map` and `--where`; undefined if none is given. Throws AnalyticsError `usage`. */
export function readMapping(flags: SourceFlags): Mapping | undefined {
  const schema = readSchema(flags.schema);
  const pairs = [...(schema?.map ?? []), ...listTexts(flags.map)].map(readPair);
  const conditions = [...(schema?.where ?? []), ...listTexts(flags.where)].map(readCondition);
  if (pairs.length === 0 && conditions.length === 0) return undefined;
  const names = new Map(pairs);
  const one = (column: string) => {
    const [name, second] = names.get(column) ?? [];
    if (second !== undefined) throw createFlagError("--map", `${column} is one column`);
    return name;
  };
  const need = (column: string) => {
    const name = one(column);
    if (name === undefined)
      throw createFlagError("--map", `lacks ${column}`, `Such as --map ${column}=my_column`);
    return name;
  };
  const visitor = names.get("visitor");
  if (visitor === undefined || visitor.length === 0) {
    throw createFlagError(
      "--map",
      "lacks visitor",
      "Such as --map visitor=address,user_agent: columns that together identify a person on one day",
    );
  }
  const [site, siteId, sequence, status] = [one("site"), one("site_id"), one("sequence"), one("status")];
  const [method, agent] = [one("method"), one("agent")];
  if (conditions.length === 0 && (status === undefined || method === undefined || agent === undefined)) {
    throw new AnalyticsError(
      "usage",
      "The table does not say which rows are page views of people, so visitors cannot be counted.",
      { hint: "Map status, method and agent, or choose the rows: --where is_bot=0 --where type=pageview" },
    );
  }
  need("path");
  if (site !== undefined && siteId !== undefined)
    throw createFlagError(
      "--map",
      "takes site or site_id, not both",
      "--map site_id= leaves out that of --schema.",
    );
  const values = new Map(
    [...names.keys()].flatMap((column) => {
      const name = VALUE_COLUMNS.has(column) ? one(column) : undefined;
      return name === undefined ? [] : [[column as TextColumn, name] as const];
    }),
  );
  if (schema?.events !== undefined) values.set("event", schema.events.name);
  return {
    visitor,
    time: need("time"),
    values,
    conditions,
    eventConditions: (schema?.events?.where ?? []).map(readCondition),
    rule: schema?.events?.rule ?? CONTRACT_RULE,
    ...{ site, siteId, sequence, status, method, agent },
  };
}

function readPair(text: string): readonly [column: string, names: string[]] {
  const [, column = "", list = ""] = /^([a-z_]+)=(.*)$/s.exec(text) ?? [];
  if (!VALUE_COLUMNS.has(column) && !OTHER_COLUMNS.includes(column)) {
    throw createFlagError(
      "--map",
      `does not know ${quoteWord(column || text)}`,
      `It knows ${[...OTHER_COLUMNS, ...VALUE_COLUMNS].join(", ")}.`,
    );
  }
  // No name: a column of the schema that this table lacks.
  const names = list === "" ? [] : list.split(",");
  const wrong = names.find((name) => !(VALUE_COLUMNS.has(column) ? NAME_OR_KEY : NAME).test(name));
  if (wrong !== undefined) throw createNameError("--map", wrong);
  return [column, names];
}

function readCondition(text: string): Condition {
  const [, column = "", sign = "", value = ""] = /^([^=!]*)(!?=)(.*)$/s.exec(text) ?? [];
  if (sign === "")
    throw createFlagError("--where", `must be column=value or column!=value, not ${quoteWord(text)}`);
  if (!NAME.test(column)) throw createNameError("--where", column);
  return { text, column, isEqual: sign === "=", value };
}

const createNameError = (flag: string, name: string) =>
  createFlagError(
    flag,
    `takes names of columns, and ${quoteWord(name)} is not one`,
    "A name has letters, digits and _. The value of a key in a Map is column[key].",
  );

export const createFlagError = (flag: string, reason: string, hint?: string) =>
  new AnalyticsError("usage", `${flag} ${reason}.`, hint === undefined ? {} : { hint });
