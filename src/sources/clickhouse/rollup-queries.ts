import type { Dimension } from "../../operations/dimensions.ts";
import { byValue, IN_SPAN, quoteName, type RollupQueries, type TimeFilter } from "./table-queries.ts";

const VISITS = ["visits", "bounces", "seconds"];
/** A table without visits, which earlier versions created, is not used. */
const COLUMNS = [
  ...["dimension", "site", "day", "run", "value", "visitors", "hits", "events", "stamp"],
  ...VISITS,
];

/**
 * Limits a query to some days. They are written into the SQL: parameters are sent in the URL, and proxies only accept URLs of
 * a few thousand characters.
 */
export const onDays =
  (dates: readonly string[], timeFilter: TimeFilter): TimeFilter =>
  (time) =>
    `AND day IN (${listItems(dates.map(numberDay))}) ${timeFilter(time)}`;

/** Writes a day as a number, which cannot inject SQL. */
const numberDay = (date: string) => `toDate(${Date.parse(date) / 86_400_000})`;

/** ClickHouse does not accept an empty list. */
const listItems = (items: readonly string[]) => items.join(", ") || "NULL";

/** @param countValues Writes the query that counts all values of a dimension in the hits, without GROUP BY. */
export function createRollupQueries(
  database: string,
  table: string,
  countValues: (dimension: Dimension, timeFilter: TimeFilter) => string,
): RollupQueries {
  const hits = `${quoteName(database)}.${quoteName(table)} FINAL`;
  const sums = `${quoteName(database)}.${quoteName(`${table}_daily`)}`;
  return {
    exists: () => `
      SELECT count() = ${COLUMNS.length} AS is_there
      FROM system.columns
      WHERE database = '${database}' AND table = '${table}_daily'
        AND name IN (${COLUMNS.map((name) => `'${name}'`).join(", ")})`,

    // rollup.sql computes the same stamp. The run is text, because JSON numbers of 64 bits lose digits in JavaScript.
    days: () => `
      SELECT
        day AS date,
        toString(run) AS run_text,
        visitor_count,
        view_count,
        event_count,
        visit_count,
        bounce_count,
        second_count,
        scanner_count,
        loads,
        expected_views,
        newest_definition,
        oldest_definition
      FROM
      (
        SELECT
          day,
          groupBitXorIf(sipHash64(site, day, id, digest, definition), kind = 'day') AS day_stamp,
          countIf(kind = 'day') AS loads,
          sumIf(pageviews, kind = 'day') AS expected_views,
          maxIf(definition, kind = 'day') AS newest_definition,
          minIf(definition, kind = 'day') AS oldest_definition,
          uniqExactIf(visitor, kind = 'scanner') AS scanner_count
        FROM ${hits}
        WHERE ${IN_SPAN} AND kind IN ('scanner', 'day')
        GROUP BY day
        HAVING loads > 0
      ) AS exported
      INNER JOIN
      (
        SELECT
          day,
          run,
          anyIf(stamp, dimension = '') AS day_stamp,
          sumIf(visitors, dimension = '') AS visitor_count,
          sumIf(hits, dimension = '') AS view_count,
          sumIf(events, dimension = '') AS event_count,
          sumIf(visits, dimension = '') AS visit_count,
          sumIf(bounces, dimension = '') AS bounce_count,
          sumIf(seconds, dimension = '') AS second_count,
          sumIf(hits, dimension = {dimension:String}) AS listed
        FROM ${sums}
        WHERE ${IN_SPAN} AND dimension IN ('', {dimension:String})
        GROUP BY day, run
        HAVING countIf(dimension = '') = 1
      ) AS counted USING (day, day_stamp)
      WHERE view_count = expected_views
        AND listed = if({dimension:String} = 'events', event_count, view_count)
      ORDER BY run DESC
      LIMIT 1 BY day`,

    breakdown: (dimension, timeFilter, { runs, otherDays }) => {
      const visits = dimension === "pages" || dimension === "events" ? [] : VISITS;
      const columns = ["visitors", "hits", ...visits];
      const names = ["visitor_count", "hit_count", "visit_count", "bounce_count", "second_count"];
      return `
      SELECT
        value,
        ${columns.map((column, index) => `sum(${column}) AS ${names[index]}`).join(",\n        ")}
      FROM
      (
        SELECT value, ${columns.join(", ")}
        FROM ${sums}
        WHERE ${IN_SPAN} AND dimension = '${dimension}' AND (day, run) IN (${listItems([...runs].map(([date, run]) => `(${numberDay(date)}, ${run})`))})
        UNION ALL
        ${countValues(dimension, onDays(otherDays, timeFilter))}
        GROUP BY value
      )
      ${byValue}`;
    },
  };
}
