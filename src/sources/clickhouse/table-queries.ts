import type { Dimension } from "../../operations/dimensions.ts";
import type { Failure } from "../../operations/not-found.ts";
import type { QueryParams } from "./answer.ts";
import type { Columns } from "./column-types.ts";
import type { FilterSql } from "./filter-sql.ts";

/** How a table's columns are used, before it is known which there are. */
export interface TableLayout {
  database: string;
  table: string;
  /** The columns that the queries use. */
  columns: readonly string[];
  /** What to do if it does not exist, where that is not the same for all tables. */
  noTable?: string;
  /** Throws AnalyticsError `usage` if a row of a table with this engine is no page view. Absent if the queries know the engine. */
  assertCountable?: (engine: string) => void;
  /** What to say, and what to do, if it has no rows. */
  noRows: { message: string; hint: string };
  /** Whether it has requests that are no page views: those of crawlers, and for what is not there. */
  hasRequests: boolean;
  /** Whether countries, channels and so on may be other texts than the contract's. */
  hasOwnValues: boolean;
  /** The domains that sites were given by the id that the table knows them by. */
  domainOf?: ReadonlyMap<string, string>;
  /** The dimensions that it has; if absent, each site says which it lacks. */
  dimensions?: readonly Dimension[];
  /** Absent if the table cannot have a table of daily sums. */
  rollup?: RollupQueries;
  /** Writes the queries of a table with these columns. Throws AnalyticsError `usage` if they do not fit. */
  prepare(columns: Columns): PreparedTable;
}

export interface PreparedTable {
  queries: TableQueries;
  /** Parameters of every query. */
  params: QueryParams;
  /** What is known of the columns, for people. */
  summary: string;
}

/**
 * The queries of a table. Values are parameters, `{name:Type}`, which are sent apart from the SQL: the `site` and its `site_id`, the days
 * `from` and `to`, and instants in seconds since 1970: when these days begin (`start`) and end (`end`), `now`, and `since`,
 * when the time window of active visitors begins. No alias may have the name of a column: ClickHouse would confuse them. Over
 * several days `uniqExact` counts daily visitors, because a person gets another visitor key each day. `rows.ts` has the rows.
 */
export interface TableQueries {
  /** The sites, with their first and last day of data. */
  sites(): string;
  /** Everything of each day but its visits, and how many page views a loaded day should have. */
  days(timeFilter: TimeFilter): string;
  /** The totals of each day over what a filter keeps, with the visits; days without any are left out. */
  totals(filter: FilterSql, timeFilter: TimeFilter): string;
  /**
   * The totals of each hour over what a filter keeps; hours without any are left out.
   *
   * @param starts When the hours begin, in seconds since 1970, in order.
   */
  hours(filter: FilterSql, timeFilter: TimeFilter, starts: readonly number[]): string;
  /** The visits of all days that took the filter's steps. */
  steps(filter: FilterSql, timeFilter: TimeFilter): string;
  breakdown(dimension: Dimension, filter: FilterSql, timeFilter: TimeFilter): string;
  /** Absent if the table does not have crawlers. */
  crawlers?(timeFilter: TimeFilter): string;
  /** Absent if the table does not have what people asked for in vain. */
  notFound?: Readonly<Record<Failure, NotFoundQueries>>;
  active(filter: FilterSql, timeFilter: TimeFilter): string;
  /** The days with page views of which an export has put a value of these dimensions together. Absent if the table was not exported. */
  folded?(dimensions: readonly Dimension[], timeFilter: TimeFilter): string;
  /** The page views of a site whose time is NULL. Absent if the column cannot be NULL. */
  timeless?(): string;
  /** What makes a row a page view of a person. Absent if the table says it itself. */
  conditions?: PageViewConditions;
}

export interface NotFoundQueries {
  /** The paths, and first the totals. */
  paths(timeFilter: TimeFilter): string;
  /** Such requests of bots and scanners. */
  excluded(timeFilter: TimeFilter): string;
}

export interface PageViewConditions {
  /** For people, such as `is_bot=0`. */
  names: readonly string[];
  /** The rows of a span, and how many meet each condition. */
  count(): string;
  /** The page views and visitors of each day as one would count them by hand, to check all else. */
  byHand(): string;
}

/** The queries of a table of daily sums (deploy/clickhouse/rollup.sql), so that the hits of old days need not be read. */
export interface RollupQueries {
  /** Whether such a table exists and this user may read it. */
  exists(): string;
  /**
   * The days whose sums can be used: they were counted from the current export, and have as many page views as were
   * exported. Unless `dimension` is empty, its values must add up to the totals; they do not while sums are being
   * inserted.
   */
  days(): string;
  breakdown(dimension: Dimension, timeFilter: TimeFilter, parts: SpanParts): string;
}

/** Which days of a span are answered from sums, and which from hits. */
export interface SpanParts {
  /** The days whose sums are used, and the run that counted each of them. */
  runs: ReadonlyMap<string, bigint>;
  /** The days whose hits are read. */
  otherDays: readonly string[];
}

/** Ends a condition: leaves out hits after `now`, or none. `time` is the SQL of a hit's time. */
export type TimeFilter = (time: string) => string;

export const untilNow: TimeFilter = (time) => `AND ${time} <= toDateTime({now:UInt32})`;
export const atAnyTime: TimeFilter = () => "";

/** If a table has more, the column is probably not a site. */
export const MAX_SITES = 10_000;

/** The condition that selects the rows of a span in a table of hits. */
export const IN_SPAN = "site = {site:String} AND day BETWEEN {from:Date} AND {to:Date}";

/** Joins conditions. */
export const all = (conditions: readonly string[]): string => conditions.join(" AND ") || "1";

/** The contract's order of rows. Texts are ordered by code point; the empty text stands for null, which comes last. */
export const byValue = `GROUP BY value
      ORDER BY visitor_count DESC, hit_count DESC, value = '', value
      LIMIT {limit:UInt32}`;

/** @param name Letters, digits and `_`. */
export const quoteName = (name: string) => `\`${name}\``;
