import { type Dimension, dimensions } from "../../operations/dimensions.ts";
import { columnsOf } from "../hits.ts";
import { VISIT_GAP } from "../logs/counting/visits.ts";
import type { QueryParams } from "./connection.ts";
import { BOT_PATTERN, NO_PAGE_PATTERN } from "./mapped-patterns.ts";
import type { Mapping } from "./mapping.ts";
import { byValue, quoteName, type TableQueries } from "./table-queries.ts";

/** The dimensions that a visit takes from its first page view. */
const BY_FIRST_VIEW = new Set<Dimension>([
  ...(["entry_pages", "hostnames", "referrers", "channels", "languages"] as const),
  ...(["utm_sources", "utm_mediums", "utm_campaigns", "utm_terms", "utm_contents"] as const),
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

/** The queries of a table with other columns than ours, and the parameters that all of them take. */
export function createMappedQueries({ database, table, mapping, timezone, sites }: MappedTable): {
  queries: TableQueries;
  params: QueryParams;
} {
  const from = `${quoteName(database)}.${quoteName(table)}`;
  const { values, conditions } = mapping;
  const time = `toDateTime(${quoteName(mapping.time)})`;
  const day = `toDate(${time}, {timezone:String})`;
  const text = (name: string) => `ifNull(toString(${quoteName(name)}), '')`;
  const visitor = `sipHash64(toString(${day}), ${mapping.visitor.map(text).join(", ")})`;
  const tie = mapping.sequence === undefined ? "0" : quoteName(mapping.sequence);
  // Names of hosts, as sites are named.
  const site = mapping.site && `replaceRegexpOne(lower(${text(mapping.site)}), '^www[.]', '')`;
  const isSite = site === undefined ? "" : `${site} = {site:String} AND`;
  const inSpan = `${isSite} ${quoteName(mapping.time)} >= toDateTime({start:UInt32}) AND ${quoteName(mapping.time)} < toDateTime({end:UInt32})`;
  const isPageview = [
    ...conditions.map(
      ({ column, isEqual }, index) => `${text(column)} ${isEqual ? "=" : "!="} {where${index}:String}`,
    ),
    ...(mapping.method === undefined ? [] : [`${text(mapping.method)} = 'GET'`]),
    ...(mapping.status === undefined
      ? []
      : [`${text(mapping.status)} IN ('200', '304')`, `NOT match(${readValue("pages")}, {files:String})`]),
    ...(mapping.agent === undefined
      ? []
      : [`${text(mapping.agent)} != ''`, `NOT match(${text(mapping.agent)}, {bots:String})`]),
  ].join("\n        AND ");

  function readValue(dimension: Dimension): string {
    const isPage = dimension === "pages" || dimension === "entry_pages" || dimension === "exit_pages";
    const name = values.get(isPage ? "path" : columnsOf[dimension]);
    if (name === undefined) return "''";
    return isPage ? `cutQueryStringAndFragment(${text(name)})` : text(name);
  }

  const queries: TableQueries = {
    dimensions: dimensions.filter((dimension) => readValue(dimension) !== "''"),

    sites: () => `
      SELECT
        ${site ?? "{site:String}"} AS domain,
        {timezone:String} AS zone,
        1 AS zones,
        min(${day}) AS first_day,
        max(${day}) AS last_day
      FROM ${from}
      WHERE ${site ?? "{site:String}"} IN ({sites:Array(String)})
      GROUP BY domain
      HAVING count() > 0
      ORDER BY domain`,

    days: (cut) => `
      SELECT
        ${day} AS date,
        uniqExactIf(${visitor}, ${isPageview}) AS visitor_count,
        countIf(${isPageview}) AS view_count,
        0 AS event_count,
        count() AS loads,
        view_count AS expected_views,
        0 AS newest_definition,
        0 AS oldest_definition
      FROM ${from}
      WHERE ${inSpan} ${cut(time)}
      GROUP BY date
      ORDER BY date`,

    breakdown: (dimension, cut) => {
      const isFirst = BY_FIRST_VIEW.has(dimension);
      if (!isFirst && dimension !== "exit_pages") {
        return `
      SELECT
        ${readValue(dimension)} AS value,
        uniqExact(${visitor}) AS visitor_count,
        count() AS hit_count
      FROM ${from}
      WHERE ${inSpan} AND ${isPageview} ${cut(time)}
      ${byValue}`;
      }
      // A visitor's page views in order, numbered by visit; then each visit's value, with its page views.
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
                ${tie} AS tie
              FROM ${from}
              WHERE ${inSpan} AND ${isPageview} ${cut(time)}
            )
            WINDOW in_order AS (
              PARTITION BY visitor_key ORDER BY hit_time, tie, hit_value
              ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
            )
          )
        )
        GROUP BY visitor_key, visit_number
      )
      ${byValue}`;
    },

    active: (cut) => `
      SELECT uniqExact(${visitor}) AS visitor_count
      FROM ${from}
      WHERE ${inSpan} AND ${isPageview} AND ${time} > toDateTime({since:UInt32}) ${cut(time)}`,
  };
  const params = {
    timezone,
    sites,
    site: sites[0] ?? "",
    bots: BOT_PATTERN,
    files: NO_PAGE_PATTERN,
    ...Object.fromEntries(conditions.map(({ value }, index) => [`where${index}`, value])),
  };
  return { queries, params };
}
