import { quoteIfNeeded } from "../../errors.ts";
import { dimensions } from "../../operations/dimensions.ts";
import { columnsOf } from "../hits.ts";
import { columnOf } from "../measure/hit-table.ts";
import { assertCountable, checkMappedColumns, listMappedColumns, TABLE_ALIAS } from "./mapped-columns.ts";
import { type MappedRows, writeMappedRows } from "./mapped-rows.ts";
import type { Mapping } from "./mapping.ts";
import { writeQueries } from "./queries.ts";
import { MAX_SITES, quoteName, type TableLayout, type TableQueries } from "./table-queries.ts";

export interface MappedTable {
  database: string;
  table: string;
  mapping: Mapping;
  /** IANA name. */
  timezone: string;
  /** The domains to count; empty for all that the table has. */
  sites: readonly string[];
  /** The domains that sites of a table with ids were given, by id. */
  domainOf: ReadonlyMap<string, string>;
  /** What to do if the table does not exist. */
  noTable?: string | undefined;
}

/** A table with columns of its own. */
export function createMappedLayout(mapped: MappedTable): TableLayout {
  const { database, table, mapping, timezone, sites, domainOf, noTable } = mapped;
  // A domain without an id can be that of any site.
  const ids = domainOf.size < sites.length ? [] : [...domainOf.keys()];
  return {
    database,
    table,
    columns: listMappedColumns(mapping),
    ...(noTable !== undefined && { noTable }),
    assertCountable: (engine) => assertCountable(table, engine),
    noRows: explainNoRows(table, mapping, sites),
    hasRequests: false,
    hasOwnValues: true,
    domainOf,
    dimensions: dimensions.filter((each) => mapping.values.has(columnsOf[columnOf(each)])),
    prepare: (found) => {
      const columns = checkMappedColumns(mapping, found);
      const from = `${quoteName(database)}.${quoteName(table)} AS ${TABLE_ALIAS}`;
      const rows = writeMappedRows(from, mapping, columns);
      return {
        queries: writeMappedQueries(from, rows, columns.isTimeNullable),
        params: { timezone, sites, site: sites[0] ?? "", ids, ...rows.params },
        summary: columns.summary,
      };
    },
  };
}

function explainNoRows(table: string, { site, siteId }: Mapping, sites: readonly string[]) {
  if (siteId !== undefined && sites.length > 0) {
    return {
      message: `The table ${table} has no rows of ${sites.map(quoteIfNeeded).join(" or ")}.`,
      hint: `Check --site: example.com=7 names the site whose ${siteId} is 7.`,
    };
  }
  if (site === undefined)
    return { message: `The table ${table} is empty.`, hint: "Choose another with --table." };
  return {
    message: `The table ${table} has no rows whose ${site} is ${sites.map(quoteIfNeeded).join(" or ")}.`,
    hint: "Check --site, and the column in --map site.",
  };
}

/** Nothing tells whether a day was loaded but its rows. */
const LOAD_COLUMNS = "count() AS loads, view_count AS expected_views";

function writeMappedQueries(from: string, rows: MappedRows, isTimeNullable: boolean): TableQueries {
  const { time, rawTime, day, site = "{site:String}", id, isSite, conditions, isPageview } = rows;
  const hasTime = isTimeNullable ? ` AND isNotNull(${rawTime})` : "";

  /** A site with an id goes by the host that most of its page views have. */
  const listIds = ({ text, domain }: NonNullable<MappedRows["id"]>) => `
      SELECT
        site_key,
        argMax(host, (host_views, host)) AS domain,
        {timezone:String} AS zone,
        1 AS zones,
        toDate(min(first_time), zone) AS first_day,
        toDate(max(last_time), zone) AS last_day
      FROM (
        SELECT
          ${text} AS site_key,
          ${domain} AS host,
          countIf(${isPageview}) AS host_views,
          min(${time}) AS first_time,
          max(${time}) AS last_time
        FROM ${from}
        WHERE (empty({ids:Array(String)}) OR site_key IN ({ids:Array(String)}))${hasTime}
        GROUP BY site_key, host
      )
      GROUP BY site_key
      HAVING site_key != ''
      ORDER BY site_key
      LIMIT ${MAX_SITES + 1}`;

  return {
    ...writeQueries(rows, LOAD_COLUMNS),

    sites: () =>
      id !== undefined
        ? listIds(id)
        : `
      SELECT
        ${site} AS domain,
        {timezone:String} AS zone,
        1 AS zones,
        min(${day}) AS first_day,
        max(${day}) AS last_day
      FROM ${from}
      WHERE ${site} IN ({sites:Array(String)})${hasTime}
      GROUP BY domain
      HAVING count() > 0
      ORDER BY domain
      LIMIT ${MAX_SITES + 1}`,

    ...(isTimeNullable && {
      timeless: () => `
      SELECT count() AS view_count
      FROM ${from}
      WHERE ${isSite} AND isNull(${rawTime}) AND ${isPageview}`,
    }),

    conditions: {
      names: conditions.map(({ name }) => name),
      count: () => `
      SELECT
        count() AS row_count,
        [${conditions.map(({ sql }) => `countIf(${sql})`).join(", ")}] AS met
      FROM ${from}
      WHERE ${rows.inSpan}`,
      byHand: () => `
      SELECT
        toDate(${rawTime}, {timezone:String}) AS date,
        countIf(${isPageview}) AS view_count,
        ${rows.countVisitors} AS visitor_count
      FROM ${from}
      WHERE ${isSite} AND toDate(${rawTime}, {timezone:String}) BETWEEN {from:Date} AND {to:Date}
      GROUP BY date`,
    },
  };
}
