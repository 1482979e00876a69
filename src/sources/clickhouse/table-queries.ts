import type { Dimension } from "../../operations/dimensions.ts";

/**
 * The queries of a table. Values are parameters, `{name:Type}`, which are sent separately from the SQL: the
 * site, the days `from` and `to`, and the seconds since 1970 at which they begin (`start`), at which they end (`end`), and
 * which the question is about (`now`, `since`). No alias has the name of a column: ClickHouse would confuse them.
 * `uniqExact` is right for several days, because a person is another visitor each day.
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
  /** Absent if the table cannot have a table of daily sums. */
  rollup?: RollupQueries;
}

/** The queries of a table of daily sums (deploy/clickhouse/rollup.sql), which saves reading the hits of old days. */
export interface RollupQueries {
  /** Whether such a table exists and this user may read it. */
  exists(): string;
  /**
   * The days whose sums can be used: they were counted from the current export, and have as many page views as were
   * exported. The values of `dimension`, unless it is empty, must add up to the totals, which they do not while sums are being
   * inserted.
   */
  days(): string;
  breakdown(dimension: Dimension, cut: Cut, parts: SpanParts): string;
}

/** What a span is answered from. */
export interface SpanParts {
  /** The days whose sums are used, and the run that counted each of them. */
  runs: ReadonlyMap<string, bigint>;
  /** The other days, whose hits are read. */
  rest: readonly string[];
}

/** The end of a condition, which leaves out hits after `now`. */
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
