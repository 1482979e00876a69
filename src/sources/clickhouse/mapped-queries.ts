import { list } from "isbot";
import { type Dimension, dimensions } from "../../operations/dimensions.ts";
import { columnsOf } from "../hits.ts";
import { VISIT_GAP } from "../logs/counting/visits.ts";
import { NO_PAGE_PATTERNS } from "../logs/counting/page-path.ts";
import type { QueryParams } from "./connection.ts";
import type { Mapping } from "./mapping.ts";
import { byValue, quoteName, type TableQueries } from "./table-queries.ts";

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

/**
 * The patterns of isbot that have lookarounds, and near equivalents without: ClickHouse uses RE2, which has no lookarounds.
 */
const WITHOUT_LOOKAROUND: Readonly<Record<string, string>> = {
  "(?:^|[^g])news(?!sapphire)": "(?:^|[^g])news(?:$|[^s]|s(?:$|[^a]))",
  "(?<! channel/|google/)google(?!(?:wv|app|/google| pixel))":
    "(?:^|[^/]|(?:^|[^el])/)google(?:$|[^wa/ ]|w(?:$|[^v])|a(?:$|[^p])|/(?:$|[^g])| (?:$|[^p]))",
  "(?<! cu)bots?(?:\\b|_)": "(?:^|[^u]|(?:^|[^c])u|(?:^|[^ ])cu)bots?(?:\\b|_)",
  "(?<!cam)scan": "(?:^|[^m]|(?:^|[^a])m|(?:^|[^c])am)scan",
  "(?<!lib)http": "(?:^|[^b]|(?:^|[^i])b|(?:^|[^l])ib)http",
  "java(?!;)": "java(?:$|[^;])",
};

/** User agents of bots. */
export const BOT_PATTERN = `(?i)${list.map((pattern) => WITHOUT_LOOKAROUND[pattern] ?? pattern).join("|")}`;

/** Paths that are not pages. */
export const NO_PAGE_PATTERN = `(?i)${NO_PAGE_PATTERNS.join("|")}`;

export interface MappedTable {
  database: string;
  table: string;
  mapping: Mapping;
  /** IANA name. */
  timezone: string;
  /** The domains to count. */
  sites: readonly string[];
}

/** Creates the queries of a table with columns of its own, and the parameters that every query takes. */
export function createMappedQueries({ database, table, mapping, timezone, sites }: MappedTable): {
  queries: TableQueries;
  commonParams: QueryParams;
} {
  const from = `${quoteName(database)}.${quoteName(table)}`;
  const { values, conditions } = mapping;
  const time = `toDateTime(${quoteName(mapping.time)})`;
  const day = `toDate(${time}, {timezone:String})`;
  const text = (name: string) => `ifNull(toString(${quoteName(name)}), '')`;
  const visitor = `sipHash64(toString(${day}), ${mapping.visitor.map(text).join(", ")})`;
  const order = mapping.sequence === undefined ? "0" : quoteName(mapping.sequence);
  // Sites are named without www.
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

    days: (timeFilter) => `
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
  };
  const commonParams = {
    timezone,
    sites,
    site: sites[0] ?? "",
    bots: BOT_PATTERN,
    files: NO_PAGE_PATTERN,
    ...Object.fromEntries(conditions.map(({ value }, index) => [`where${index}`, value])),
  };
  return { queries, commonParams };
}
