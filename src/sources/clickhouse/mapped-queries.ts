import { type Dimension, dimensions } from "../../operations/dimensions.ts";
import { columnsOf } from "../hits.ts";
import { VISIT_GAP } from "../logs/counting/visits.ts";
import { checkMappedColumns, listMappedColumns, TABLE_ALIAS } from "./mapped-columns.ts";
import { type MappedRows, writeMappedRows } from "./mapped-rows.ts";
import type { Mapping } from "./mapping.ts";
import { byValue, MAX_SITES, quoteName, type TableLayout, type TableQueries } from "./table-queries.ts";

/** The dimensions that a visit takes from its first page view. */
const BY_FIRST_VIEW = new Set<Dimension>([
  "entry_pages",
  "hostnames",
  "referrers",
  "channels",
  "languages",
  "utm_sources",
  "utm_mediums",
  "utm_campaigns",
  "utm_terms",
  "utm_contents",
]);

export interface MappedTable {
  database: string;
  table: string;
  mapping: Mapping;
  /** IANA name. */
  timezone: string;
  /** The domains to count. */
  sites: readonly string[];
}

/** A table with columns of its own. */
export function createMappedLayout({ database, table, mapping, timezone, sites }: MappedTable): TableLayout {
  return {
    database,
    table,
    columns: listMappedColumns(mapping),
    noRows: explainNoRows(table, mapping, sites),
    hasCrawlers: false,
    dimensions: dimensions.filter((dimension) => hasDimension(mapping, dimension)),
    prepare: (found) => {
      const columns = checkMappedColumns(mapping, found);
      const rows = writeMappedRows(mapping, columns);
      const from = `${quoteName(database)}.${quoteName(table)} AS ${TABLE_ALIAS}`;
      return {
        queries: writeQueries(from, rows, columns.isTimeNullable),
        params: { timezone, sites, site: sites[0] ?? "", ...rows.params },
        summary: columns.summary,
      };
    },
  };
}

function explainNoRows(table: string, { site }: Mapping, sites: readonly string[]) {
  if (site === undefined)
    return { message: `The table ${table} is empty.`, hint: "Choose another with --table." };
  return {
    message: `The table ${table} has no rows whose ${site} is ${sites.join(" or ")}.`,
    hint: "Check --site, and the column in --map site.",
  };
}

function hasDimension({ values }: Mapping, dimension: Dimension): boolean {
  const isPage = dimension === "entry_pages" || dimension === "exit_pages";
  return values.has(isPage ? "path" : columnsOf[dimension]);
}

function writeQueries(from: string, rows: MappedRows, isTimeNullable: boolean): TableQueries {
  const { time, rawTime, day, visitor, order, site = "{site:String}", conditions } = rows;
  const isSite = rows.site === undefined ? "" : `${site} = {site:String} AND`;
  const inSpan = `${isSite} ${rawTime} >= toDateTime({start:UInt32}) AND ${rawTime} < toDateTime({end:UInt32})`;
  const isPageview = conditions.map(({ sql }) => sql).join("\n        AND ");
  const readValue = (dimension: Dimension) => rows.readValue(dimension) ?? "''";

  return {
    sites: () => `
      SELECT
        ${site} AS domain,
        {timezone:String} AS zone,
        1 AS zones,
        min(${day}) AS first_day,
        max(${day}) AS last_day
      FROM ${from}
      WHERE ${site} IN ({sites:Array(String)})${isTimeNullable ? ` AND isNotNull(${rawTime})` : ""}
      GROUP BY domain
      HAVING count() > 0
      ORDER BY domain
      LIMIT ${MAX_SITES + 1}`,

    days: (timeFilter) => `
      SELECT
        ${day} AS date,
        uniqExactIf(${visitor}, ${isPageview}) AS visitor_count,
        countIf(${isPageview}) AS view_count,
        0 AS event_count,
        0 AS scanner_count,
        count() AS loads,
        view_count AS expected_views,
        0 AS newest_definition,
        0 AS oldest_definition
      FROM ${from}
      WHERE ${inSpan} ${timeFilter(time)}
      GROUP BY date
      ORDER BY date`,

    breakdown: (dimension, timeFilter) => {
      const isFirst = BY_FIRST_VIEW.has(dimension);
      if (!isFirst && dimension !== "exit_pages") {
        return `
      SELECT
        ${readValue(dimension)} AS value,
        uniqExact(${visitor}) AS visitor_count,
        count() AS hit_count
      FROM ${from}
      WHERE ${inSpan} AND ${isPageview} ${timeFilter(time)}
      ${byValue}`;
      }
      // Numbers each visitor's page views by visit, then takes the value of each visit and counts its page views.
      return `
      SELECT
        value,
        uniqExact(visitor_key) AS visitor_count,
        sum(views) AS hit_count
      FROM (
        SELECT
          visitor_key,
          ${isFirst ? "argMin" : "argMax"}(hit_value, (hit_time, position)) AS value,
          count() AS views
        FROM (
          SELECT *, sum(is_start) OVER (PARTITION BY visitor_key ORDER BY position) AS visit_number
          FROM (
            SELECT
              *,
              row_number() OVER in_order AS position,
              position = 1 OR hit_time - lagInFrame(hit_time) OVER in_order > ${VISIT_GAP} AS is_start
            FROM (
              SELECT
                ${visitor} AS visitor_key,
                ${time} AS hit_time,
                ${readValue(dimension)} AS hit_value,
                ${order} AS hit_order
              FROM ${from}
              WHERE ${inSpan} AND ${isPageview} ${timeFilter(time)}
            )
            WINDOW in_order AS (
              PARTITION BY visitor_key ORDER BY hit_time, hit_order, hit_value
              ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
            )
          )
        )
        GROUP BY visitor_key, visit_number
      )
      ${byValue}`;
    },

    active: (timeFilter) => `
      SELECT uniqExact(${visitor}) AS visitor_count
      FROM ${from}
      WHERE ${inSpan} AND ${isPageview} AND ${time} > toDateTime({since:UInt32}) ${timeFilter(time)}`,

    ...(isTimeNullable && {
      timeless: () => `
      SELECT count() AS view_count
      FROM ${from}
      WHERE ${isSite} isNull(${rawTime}) AND ${isPageview}`,
    }),

    conditions: {
      names: conditions.map(({ name }) => name),
      count: () => `
      SELECT
        count() AS row_count,
        [${conditions.map(({ sql }) => `countIf(${sql})`).join(", ")}] AS met
      FROM ${from}
      WHERE ${inSpan}`,
    },
  };
}
