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
}

/** The end of a condition that leaves out what is after `now`. */
export type Cut = (time: string) => string;

export const untilNow: Cut = (time) => `AND ${time} <= toDateTime({now:UInt32})`;
export const uncut: Cut = () => "";

/** The contract's order of rows, by code point; an empty value stands for none, and comes last. */
export const byValue = `GROUP BY value
      ORDER BY visitor_count DESC, hit_count DESC, value = '', value
      LIMIT {limit:UInt32}`;

/** @param name Letters, digits and `_`. */
export const quoteName = (name: string) => `\`${name}\``;
