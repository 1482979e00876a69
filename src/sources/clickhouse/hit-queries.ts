import type { Dimension } from "../../operations/dimensions.ts";
import { columnsOf } from "../hits.ts";
import { createRollupQueries } from "./rollup-queries.ts";
import { byValue, type Cut, IN_SPAN, quoteName, type TableQueries } from "./table-queries.ts";

/** The queries of the table that `analytics-mcp logs --ndjson` fills: each hit has its visit's values. */
export function createHitQueries(database: string, table: string): TableQueries {
  // FINAL: a hit that was loaded twice counts once.
  const from = `${quoteName(database)}.${quoteName(table)} FINAL`;
  const countValues = (dimension: Dimension, cut: Cut) => `
      SELECT
        ${columnsOf[dimension]} AS value,
        uniqExact(visitor) AS visitor_count,
        count() AS hit_count
      FROM ${from}
      WHERE ${IN_SPAN} AND kind = '${dimension === "events" ? "event" : "pageview"}' ${cut("time")}`;

  return {
    rollup: createRollupQueries(database, table, countValues),

    sites: () => `
      SELECT
        site AS domain,
        any(timezone) AS zone,
        uniqExact(timezone) AS zones,
        min(day) AS first_day,
        max(day) AS last_day,
        argMax(unrecorded, day) AS lacking
      FROM ${from}
      WHERE kind = 'day'
      GROUP BY domain
      ORDER BY domain`,

    days: (cut) => `
      SELECT
        day AS date,
        uniqExactIf(visitor, kind = 'pageview') AS visitor_count,
        countIf(kind = 'pageview') AS view_count,
        countIf(kind = 'event') AS event_count,
        countIf(kind = 'day') AS loads,
        sumIf(pageviews, kind = 'day') AS expected_views,
        maxIf(definition, kind = 'day') AS newest_definition,
        minIf(definition, kind = 'day') AS oldest_definition
      FROM ${from}
      WHERE ${IN_SPAN} AND kind IN ('pageview', 'event', 'day') ${cut("time")}
      GROUP BY date
      ORDER BY date`,

    breakdown: (dimension, cut) => `${countValues(dimension, cut)}
      ${byValue}`,

    // The row without a name has the sums, and comes first. Pages are counted by day, as visitors are.
    crawlers: (cut) => `
      SELECT
        crawler AS value,
        count() AS request_count,
        uniqExact(day, path) AS page_count,
        countIf(status >= 400) AS error_count,
        toUnixTimestamp(max(time)) AS last_seen
      FROM ${from}
      WHERE ${IN_SPAN} AND kind = 'bot' AND crawler != '' ${cut("time")}
      GROUP BY value WITH ROLLUP
      ORDER BY value != '', request_count DESC, value
      LIMIT {limit:UInt32}`,

    active: (cut) => `
      SELECT uniqExact(visitor) AS visitor_count
      FROM ${from}
      WHERE ${IN_SPAN} AND kind = 'pageview' AND time > toDateTime({since:UInt32}) ${cut("time")}`,
  };
}
