import { AnalyticsError } from "../../errors.ts";
import type { Dimension } from "../../operations/dimensions.ts";
import { columnsOf } from "../hits.ts";
import { type ColumnKind, type Columns, describeType, readType } from "./column-types.ts";
import { createRollupQueries } from "./rollup-queries.ts";
import {
  byValue,
  IN_SPAN,
  MAX_SITES,
  quoteName,
  type TableLayout,
  type TableQueries,
  type TimeFilter,
} from "./table-queries.ts";

/** The columns that the queries use, by what they must be. */
const COLUMNS: readonly (readonly [kind: ColumnKind, names: readonly string[]])[] = [
  ["date", ["day"]],
  ["time", ["time"]],
  ["integer", ["status", "pageviews", "definition"]],
  ["text", [...Object.values(columnsOf), "site", "crawler", "timezone"]],
];
/** Columns of which several types will do. */
const OTHER_COLUMNS = ["kind", "visitor", "unrecorded"];

/** The table that `analytics-mcp logs --ndjson` fills. Each hit has the values of its visit. */
export function createHitLayout(database: string, table: string): TableLayout {
  const columns = [...OTHER_COLUMNS, ...COLUMNS.flatMap(([, names]) => names)];
  // FINAL: a hit that was loaded twice counts once.
  const from = `${quoteName(database)}.${quoteName(table)} FINAL`;
  const countValues = (dimension: Dimension, timeFilter: TimeFilter) => `
      SELECT
        ${columnsOf[dimension]} AS value,
        uniqExact(visitor) AS visitor_count,
        count() AS hit_count
      FROM ${from}
      WHERE ${IN_SPAN} AND kind = '${dimension === "events" ? "event" : "pageview"}' ${timeFilter("time")}`;

  const queries: TableQueries = {
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
      ORDER BY domain
      LIMIT ${MAX_SITES + 1}`,

    days: (timeFilter) => `
      SELECT
        day AS date,
        uniqExactIf(visitor, kind = 'pageview') AS visitor_count,
        countIf(kind = 'pageview') AS view_count,
        countIf(kind = 'event') AS event_count,
        uniqExactIf(visitor, kind = 'scanner') AS scanner_count,
        countIf(kind = 'day') AS loads,
        sumIf(pageviews, kind = 'day') AS expected_views,
        maxIf(definition, kind = 'day') AS newest_definition,
        minIf(definition, kind = 'day') AS oldest_definition
      FROM ${from}
      WHERE ${IN_SPAN} AND kind IN ('pageview', 'event', 'scanner', 'day') ${timeFilter("time")}
      GROUP BY date
      ORDER BY date`,

    breakdown: (dimension, timeFilter) => `${countValues(dimension, timeFilter)}
      ${byValue}`,

    // The row with the empty text has the totals and comes first: names are written after a mark, since bots without a known
    // name have an empty one. Pages are counted per day, as visitors are.
    crawlers: (timeFilter) => `
      SELECT
        concat('=', crawler) AS value,
        count() AS request_count,
        uniqExact(day, path) AS page_count,
        countIf(status >= 400) AS error_count,
        toUnixTimestamp(max(time)) AS last_seen
      FROM ${from}
      WHERE ${IN_SPAN} AND kind = 'bot' ${timeFilter("time")}
      GROUP BY value WITH ROLLUP
      ORDER BY value != '', request_count DESC, value = '=', value
      LIMIT {limit:UInt32}`,

    active: (timeFilter) => `
      SELECT uniqExact(visitor) AS visitor_count
      FROM ${from}
      WHERE ${IN_SPAN} AND kind = 'pageview' AND time > toDateTime({since:UInt32}) ${timeFilter("time")}`,
  };

  return {
    database,
    table,
    columns,
    noRows: {
      message: `The table ${table} is empty: no day has been loaded.`,
      hint: "analytics-mcp logs --ndjson exports access logs for it: see docs/clickhouse.md.",
    },
    hasCrawlers: true,
    rollup: createRollupQueries(database, table, countValues),
    prepare: (found) => {
      for (const name of columns) assertHitColumn(name, found);
      return { queries, params: {}, summary: `${columns.length} columns, all of those that are needed` };
    },
  };
}

function assertHitColumn(name: string, columns: Columns): void {
  const type = columns.get(name);
  if (type === undefined) {
    throw createColumnError(`The table has no column ${name}, or the user may not read it.`);
  }
  const [needed] = COLUMNS.find(([, names]) => names.includes(name)) ?? [];
  if (needed === undefined || readType(type).kind === needed) return;
  throw createColumnError(
    `The column ${name} of the table is ${describeType(type)}, and must be ${TYPES[needed] ?? needed}.`,
  );
}

const TYPES: Partial<Record<ColumnKind, string>> = {
  date: "Date",
  time: "DateTime",
  integer: "a whole number",
  text: "String",
};

const createColumnError = (message: string) =>
  new AnalyticsError("usage", message, {
    hint: "docs/clickhouse.md has the statement that creates the table. For a table with other columns, use --map.",
  });
