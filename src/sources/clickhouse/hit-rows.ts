import type { Dimension } from "../../operations/dimensions.ts";
import { columnsOf } from "../hits.ts";
import { OTHER, type VisitRule } from "../measure/definition.ts";
import type { ConditionSql, FilterSql } from "./filter-sql.ts";
import type { TimeFilter } from "./table-queries.ts";

/** The hits of a table, with the column names of docs/clickhouse.md, and what differs between tables for a reason. */
export interface HitRows {
  /**
   * Whether it was exported from logs. Page views have their visit's number and values then, events have neither a visit nor a page,
   * and `(other)` stands for several values.
   */
  isExported: boolean;
  rule: VisitRule;
  hasEvents: boolean;
  /** Writes FROM and WHERE for rows of a span. */
  read(selection: RowSelection): string;
}

export interface RowSelection {
  /** `hit`: page views, events, and what else is a hit of a visit; `all`: everything that tells what a day has. */
  kind: "pageview" | "event" | "hit" | "all";
  timeFilter: TimeFilter;
  conditions?: readonly string[];
  /**
   * The columns that are read beside those of the conditions: in a mapped table, each is an expression, and ClickHouse analyzes all of
   * them before it leaves out what nobody asks for.
   */
  columns: readonly string[];
}

/** Whether there can be events of nobody's visit, in a table that was not exported. */
export const hasLooseEvents = ({ isExported, hasEvents, rule }: HitRows): boolean =>
  !isExported && hasEvents && rule.needsView;

/** Whether events can be kept in a table that was exported, where they have no page. */
export const keepsEvents = ({ hits }: FilterSql): boolean =>
  hits.every(({ dimension, isMetByNull }) => dimension !== "pages" || isMetByNull);

/** Whether events can decide which visits of a table that was exported are kept. */
export const dependsOnEvents = (filter: FilterSql): boolean =>
  (keepsEvents(filter) && filter.hits.some(({ dimension }) => dimension !== "hostnames")) ||
  filter.visitHits.some(
    ({ dimension, takesNull }) => dimension === "events" || (dimension === "pages" && takesNull),
  );

/** Whether only visits with an event can be kept. */
export const needsEvents = ({ hits, visitHits }: FilterSql): boolean =>
  hits.some(({ dimension, isMetByNull }) => dimension === "events" && !isMetByNull) ||
  visitHits.some(({ dimension, takesNull, isNot }) => dimension === "events" && !takesNull && !isNot);

/** The conditions on a value of the whole visit, which a hit's hostname is, too. */
export const listVisitConditions = ({ hits, visits, visitHits }: FilterSql): ConditionSql[] => [
  ...visits,
  ...[...hits, ...visitHits].filter(({ dimension }) => dimension === "hostnames"),
];

/** The same for the rows of a table that was exported. */
export const testVisitRows = (rows: HitRows, filter: FilterSql): string[] =>
  listVisitConditions(filter).map((condition) => testValue(rows, condition, columnsOf[condition.dimension]));

/** Whether the filter keeps a hit of a visit that it keeps. `hit`: of either kind. */
export const testHit = (
  rows: HitRows,
  { hits }: FilterSql,
  kind: "pageview" | "event" | "hit",
  column: (name: string) => string = (name) => name,
): string[] =>
  hits.flatMap((condition) => {
    const { dimension, isMetByNull } = condition;
    if (dimension === "hostnames") return [];
    if (lacksValue(rows, dimension, kind)) return isMetByNull ? [] : ["0"];
    return [testValue(rows, condition, column(columnsOf[dimension]))];
  });

/** Page views have no event; events have a page where they were not exported from logs. */
const lacksValue = ({ isExported }: HitRows, dimension: Dimension, kind: "pageview" | "event" | "hit") =>
  dimension === "events" ? kind === "pageview" : kind === "event" && isExported;

/** Neither `=` nor `!=` can tell whether it keeps one of the values that an export has put together. */
const testValue = ({ isExported }: HitRows, { isMetBy }: ConditionSql, value: string) =>
  isExported ? `${value} != '${OTHER}' AND ${isMetBy(value)}` : isMetBy(value);

/** Whether a hit decides a condition `visit:`, which keeps a visit by one such hit and, with `!=`, drops it. */
export function mayMatch(
  rows: HitRows,
  { dimension, isNot, takesNull, matches }: ConditionSql,
  kind: "pageview" | "event",
  column: (name: string) => string,
): string {
  if (lacksValue(rows, dimension, kind)) return takesNull ? "1" : "0";
  const value = column(columnsOf[dimension]);
  if (!rows.isExported) return matches(value);
  return isNot
    ? `(${value} = '${OTHER}' OR ${matches(value)})`
    : `${value} != '${OTHER}' AND ${matches(value)}`;
}
