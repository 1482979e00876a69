import type { Dimension } from "../../operations/dimensions.ts";
import { columnsOf } from "../hits.ts";
import { createRollupQueries } from "./rollup-queries.ts";
import { byValue, IN_SPAN, quoteName, type TableQueries, type TimeFilter } from "./table-queries.ts";

/** Creates the queries of the table that `analytics-mcp logs --ndjson` fills. Each hit has the values of its visit. */
export function createHitQueries(database: string, table: string): TableQueries {
  // FINAL: a hit that was loaded twice counts once.
  const from = `${quoteName(database)}.${quoteName(table)} FINAL`;
  const countValues = (dimension: Dimension, timeFilter: TimeFilter) => `
      SELECT
        ${columnsOf[dimension]} AS value,
        uniqExact(visitor) AS visitor_count,
        count() AS hit_count
      FROM ${from}
      WHERE ${IN_SPAN} AND kind = '${dimension === "events" ? "event" : "pageview"}' ${timeFilter("time")}`;

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

    days: (timeFilter) => `
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
      WHERE ${IN_SPAN} AND kind IN ('pageview', 'event', 'day') ${timeFilter("time")}
      GROUP BY date
      ORDER BY date`,

    breakdown: (dimension, timeFilter) => `${countValues(dimension, timeFilter)}
      ${byValue}`,

    // The row without a name has the totals and comes first. Pages are counted per day, as visitors are.
    crawlers: (timeFilter) => `
      SELECT
        crawler AS value,
        count() AS request_count,
        uniqExact(day, path) AS page_count,
        countIf(status >= 400) AS error_count,
        toUnixTimestamp(max(time)) AS last_seen
      FROM ${from}
      WHERE ${IN_SPAN} AND kind = 'bot' AND crawler != '' ${timeFilter("time")}
      GROUP BY value WITH ROLLUP
      ORDER BY value != '', request_count DESC, value
      LIMIT {limit:UInt32}`,

    active: (timeFilter) => `
      SELECT uniqExact(visitor) AS visitor_count
      FROM ${from}
      WHERE ${IN_SPAN} AND kind = 'pageview' AND time > toDateTime({since:UInt32}) ${timeFilter("time")}`,
  };
}
