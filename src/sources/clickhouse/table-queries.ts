import type { Dimension } from "../../operations/dimensions.ts";

/**
 * The queries that a table is asked. Values are parameters, `{name:Type}`, which ClickHouse receives apart from the SQL: the
 * site, the days `from` and `to`, and the seconds since 1970 at which they begin (`start`), at which they end (`end`), and
 * which the question is about (`now`, `since`). No alias has the name of a column: ClickHouse would use the one for the other.
 * `uniqExact` counts the visitors of several days rightly, because a person is another visitor each day.
 */
export interface TableQueries {
  /** The sites, and from when to when they have data. */
  sites(): string;
  /** The totals of each day, and of loaded days how many page views they should have. */
  days(cut: Cut): string;
  breakdown(dimension: Dimension, cut: Cut): string;
  /** Absent if the table does not have crawlers. */
  crawlers?(cut: Cut): string;
  active(cut: Cut): string;
  /** The dimensions that the table has; if absent, the sites say what they lack. */
  dimensions?: readonly Dimension[];
  /** Absent if there can be no table with the sums of days. */
  rollup?: RollupQueries;
}

/** The queries of a table with the sums of each day (deploy/clickhouse/rollup.sql), which saves reading the hits of old days. */
export interface RollupQueries {
  /** Whether there is such a table for this user. */
  exists(): string;
  /**
   * The days whose sums can be used: they were counted from what is exported, and have as many page views as were
   * exported. The values of `dimension`, unless it is empty, add up to the totals: while sums are being inserted they do not.
   */
  days(): string;
  breakdown(dimension: Dimension, cut: Cut, parts: SpanParts): string;
}

/** From what a span is answered. */
export interface SpanParts {
  /** The days whose sums are used, and in which run each of them was counted. */
  runs: ReadonlyMap<string, bigint>;
  /** The other days, of which the hits are read. */
  rest: readonly string[];
}

/** The end of a condition that leaves out what is after `now`. */
export type Cut = (time: string) => string;

export const untilNow: Cut = (time) => `AND ${time} <= toDateTime({now:UInt32})`;
export const uncut: Cut = () => "";

/** The condition of a table of hits. */
export const IN_SPAN = "site = {site:String} AND day BETWEEN {from:Date} AND {to:Date}";

/** The contract's order of rows, by code point; an empty value stands for none, and comes last. */
export const byValue = `GROUP BY value
      ORDER BY visitor_count DESC, hit_count DESC, value = '', value
      LIMIT {limit:UInt32}`;

/** @param name Letters, digits and `_`. */
export const quoteName = (name: string) => `\`${name}\``;
