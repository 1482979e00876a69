import type { Dimension } from "../../operations/dimensions.ts";
import type { Table } from "./table.ts";

/*
 * Values are parameters, `{name:Type}`, which ClickHouse receives apart from the SQL. No alias has the name of a column:
 * ClickHouse would use the one for the other. `uniqExact` counts visitors of several days rightly, because a person has
 * another `visitor` each day.
 */

const IN_SPAN = "site = {site:String} AND day BETWEEN {from:Date} AND {to:Date}";
const UNTIL_NOW = "AND time <= toDateTime({now:UInt32})";

/** The part of a day that is over, if the last day is today. */
const cut = (isCut: boolean) => (isCut ? UNTIL_NOW : "");

/** The sites, and which of their days are loaded. */
export const sitesQuery = ({ from, isDay }: Table) => `
  SELECT
    site AS domain,
    any(timezone) AS zone,
    uniqExact(timezone) AS zones,
    min(day) AS first_day,
    max(day) AS last_day,
    argMax(unrecorded, day) AS lacking
  FROM ${from}
  WHERE ${isDay}
  GROUP BY domain
  ORDER BY domain`;

/** The totals of each day, and of loaded days how many page views they should have. */
export const daysQuery = ({ from, isPageview, isEvent, isDay }: Table, isCut: boolean) => `
  SELECT
    day AS date,
    uniqExactIf(visitor, ${isPageview}) AS visitor_count,
    countIf(${isPageview}) AS view_count,
    countIf(${isEvent}) AS event_count,
    countIf(${isDay}) AS loads,
    sumIf(pageviews, ${isDay}) AS expected_views,
    maxIf(definition, ${isDay}) AS newest_definition,
    minIf(definition, ${isDay}) AS oldest_definition
  FROM ${from}
  WHERE ${IN_SPAN} AND (${isPageview} OR ${isEvent} OR ${isDay}) ${cut(isCut)}
  GROUP BY date
  ORDER BY date`;

export const breakdownQuery = (table: Table, dimension: Dimension, isCut: boolean) => `
  SELECT
    ${table.value(dimension)} AS value,
    uniqExact(visitor) AS visitor_count,
    count() AS hit_count
  FROM ${table.from}
  WHERE ${IN_SPAN} AND ${dimension === "events" ? table.isEvent : table.isPageview} ${cut(isCut)}
  GROUP BY value
  ORDER BY visitor_count DESC, hit_count DESC, value = '', value
  LIMIT {limit:UInt32}`;

/** Pages are counted by day, as visitors are. */
export const crawlersQuery = ({ from, isCrawler }: Table, isCut: boolean) => `
  SELECT
    crawler AS value,
    count() AS request_count,
    uniqExact(day, path) AS page_count,
    countIf(status >= 400) AS error_count,
    toUnixTimestamp(max(time)) AS last_seen
  FROM ${from}
  WHERE ${IN_SPAN} AND ${isCrawler} ${cut(isCut)}
  GROUP BY value WITH TOTALS
  ORDER BY request_count DESC, value
  LIMIT {limit:UInt32}`;

export const activeQuery = ({ from, isPageview }: Table) => `
  SELECT uniqExact(visitor) AS visitor_count
  FROM ${from}
  WHERE ${IN_SPAN} AND ${isPageview} AND time > toDateTime({since:UInt32}) ${UNTIL_NOW}`;
