import type { Dimension } from "../../operations/dimensions.ts";
import { byValue, type Cut, IN_SPAN, quoteName, type RollupQueries } from "./table-queries.ts";

const COLUMNS = ["dimension", "site", "day", "run", "value", "visitors", "hits", "events", "stamp"];

/**
 * Leaves out hits of days that are answered from their sums. Lists of days are part of the SQL, not parameters: parameters are in
 * the URL, and proxies only accept URLs of a few thousand characters.
 */
export const ofRest =
  (rest: readonly string[], cut: Cut): Cut =>
  (time) =>
    `AND day IN (${listItems(rest.map(numberDay))}) ${cut(time)}`;

/** A number cannot inject SQL. */
const numberDay = (date: string) => `toDate(${Date.parse(date) / 86_400_000})`;

/** ClickHouse has no empty lists. */
const listItems = (items: readonly string[]) => items.join(", ") || "NULL";

/** @param countValues The query of a dimension's values in hits, without order. */
export function createRollupQueries(
  database: string,
  table: string,
  countValues: (dimension: Dimension, cut: Cut) => string,
): RollupQueries {
  const hits = `${quoteName(database)}.${quoteName(table)} FINAL`;
  const sums = `${quoteName(database)}.${quoteName(`${table}_daily`)}`;
  return {
    exists: () => `
      SELECT count() = ${COLUMNS.length} AS is_there
      FROM system.columns
      WHERE database = '${database}' AND table = '${table}_daily'
        AND name IN (${COLUMNS.map((name) => `'${name}'`).join(", ")})`,

    // The stamp is made as in rollup.sql. The run is text, because JavaScript reads 64-bit numbers of JSON inexactly.
    days: () => `
      SELECT
        day AS date,
        toString(run) AS run_text,
        visitor_count,
        view_count,
        event_count,
        loads,
        expected_views,
        newest_definition,
        oldest_definition
      FROM
      (
        SELECT
          day,
          groupBitXor(sipHash64(site, day, id, digest, definition)) AS day_stamp,
          count() AS loads,
          sum(pageviews) AS expected_views,
          max(definition) AS newest_definition,
          min(definition) AS oldest_definition
        FROM ${hits}
        WHERE ${IN_SPAN} AND kind = 'day'
        GROUP BY day
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

    breakdown: (dimension, cut, { runs, rest }) => `
      SELECT
        value,
        sum(visitors) AS visitor_count,
        sum(hits) AS hit_count
      FROM
      (
        SELECT value, visitors, hits
        FROM ${sums}
        WHERE ${IN_SPAN} AND dimension = '${dimension}' AND (day, run) IN (${listItems([...runs].map(([date, run]) => `(${numberDay(date)}, ${run})`))})
        UNION ALL
        ${countValues(dimension, ofRest(rest, cut))}
        GROUP BY value
      )
      ${byValue}`,
  };
}
