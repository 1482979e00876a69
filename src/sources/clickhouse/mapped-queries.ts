import { quoteIfNeeded } from "../../errors.ts";
import { type Dimension, dimensions } from "../../operations/dimensions.ts";
import { columnsOf } from "../hits.ts";
import { VISIT_GAP } from "../measure/definition.ts";
import type { FilterSql } from "./filter-sql.ts";
import { assertCountable, checkMappedColumns, listMappedColumns, TABLE_ALIAS } from "./mapped-columns.ts";
import { type MappedRows, writeMappedRows } from "./mapped-rows.ts";
import type { Mapping } from "./mapping.ts";
import {
  all,
  byValue,
  countByHour,
  EVENT,
  listViewMoments,
  MAX_SITES,
  quoteName,
  type TableLayout,
  type TableQueries,
  type TimeFilter,
} from "./table-queries.ts";

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
    dimensions: dimensions.filter((dimension) => hasDimension(mapping, dimension)),
    prepare: (found) => {
      const columns = checkMappedColumns(mapping, found);
      const rows = writeMappedRows(mapping, columns);
      const from = `${quoteName(database)}.${quoteName(table)} AS ${TABLE_ALIAS}`;
      return {
        queries: writeQueries(from, rows, columns.isTimeNullable),
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

function hasDimension({ values }: Mapping, dimension: Dimension): boolean {
  const isPage = dimension === "entry_pages" || dimension === "exit_pages";
  return values.has(isPage ? "path" : columnsOf[dimension]);
}

interface MappedQuestion {
  /** A dimension of visits. */
  dimension?: Dimension;
  /** Whether `kept_values` has the path of each kept page view, or the name of each kept event. */
  hasValues?: "pages" | "events";
  /** Whether `begin` is the second of its first hit, and `kept_moments` has its kept hits, for `countByHour`. */
  hasMoments?: boolean;
  /** Another condition on a hit that is kept. */
  keptIf?: string;
}

/** The conditions on a value of the whole visit, which a hit's hostname is, too. */
const listOfVisit = ({ hits, visits, visitHits }: FilterSql) => [
  ...visits,
  ...[...hits, ...visitHits].filter(({ dimension }) => dimension === "hostnames"),
];

/** The conditions on a hit itself, by its path and the name of its event, which a page view does not have. */
const testHit = ({ hits }: FilterSql, path: string, event: string) =>
  hits.flatMap(({ dimension, isMetBy }) =>
    dimension === "hostnames" ? [] : [isMetBy(dimension === "events" ? event : path)],
  );

const choosesVisits = (filter: FilterSql) => listOfVisit(filter).length + filter.visitHits.length > 0;
const hasConditions = (filter: FilterSql) => choosesVisits(filter) || filter.hits.length > 0;

/** The column of a visit's value. */
const nameValue = (dimension: Dimension) => `visit_${dimension}`;

function writeQueries(from: string, rows: MappedRows, isTimeNullable: boolean): TableQueries {
  const { time, rawTime, day, visitor, order, site = "{site:String}", id, conditions } = rows;
  const isSite = rows.isSite === undefined ? "" : `${rows.isSite} AND`;
  const inSpan = `${isSite} ${rawTime} >= toDateTime({start:UInt32}) AND ${rawTime} < toDateTime({end:UInt32})`;
  const isPageview = conditions.map(({ sql }) => sql).join("\n        AND ");
  const { event = "''" } = rows;
  const isEvent = rows.event === undefined ? "0" : `${event} != ''`;
  const isHit = rows.event === undefined ? isPageview : `(${isPageview} OR ${isEvent})`;
  const readValue = (dimension: Dimension) => rows.readValue(dimension) ?? "''";
  const path = readValue("pages");

  /**
   * The visits with a kept hit: numbers each visitor's hits by visit, then takes the values of each visit. Hits of the same
   * second are in the order of their paths and values, so that a question always has the same answer. `views` is the number of hits.
   */
  const writeVisits = (filter: FilterSql, timeFilter: TimeFilter, question: MappedQuestion = {}) => {
    const { dimension, hasValues, hasMoments = false, keptIf } = question;
    const ofVisit = listOfVisit(filter);
    const needed = dimensions.filter(
      (each) => each === dimension || ofVisit.some((condition) => condition.dimension === each),
    );
    const isKept = all([
      ...testHit(filter, "hit_path", "hit_event"),
      ...(keptIf === undefined ? [] : [keptIf]),
    ]);
    const [isKeptView, isKeptEvent] = [`${isKept} AND hit_event = ''`, `${isKept} AND hit_event != ''`];
    const byHit = filter.visitHits.filter((condition) => condition.dimension !== "hostnames");
    // Without a page view, a visit has the pages of its events.
    const takeFrom = (each: Dimension) => {
      if (each === "entry_pages") return `argMin(hit_path, (hit_event != '', position))`;
      if (each === "exit_pages") return `argMax(hit_path, (hit_event = '', position))`;
      return `argMin(hit_${each}, position)`;
    };
    const columns = [
      ...needed.map((each) => `${takeFrom(each)} AS ${nameValue(each)}`),
      ...(hasValues === "pages" ? [`groupArrayIf(hit_path, ${isKeptView}) AS kept_values`] : []),
      ...(hasValues === "events" ? [`groupArrayIf(hit_event, ${isKeptEvent}) AS kept_values`] : []),
      ...(hasMoments
        ? [
            "toUnixTimestamp(min(hit_time)) AS begin",
            `arrayConcat(${listViewMoments("toUnixTimestamp(hit_time)", isKeptView)}, groupArrayIf((toUnixTimestamp(hit_time), ${EVENT}), ${isKeptEvent})) AS kept_moments`,
          ]
        : []),
    ];
    return `
        SELECT
          visitor_key,
          any(hit_day) AS visit_day,
          count() AS views,
          countIf(${isKeptView}) AS kept_views,
          countIf(${isKeptEvent}) AS kept_events,
          ${columns.map((column) => `${column},\n          `).join("")}toUnixTimestamp(max(hit_time)) - toUnixTimestamp(min(hit_time)) AS seconds
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
                ${day} AS hit_day,
                ${time} AS hit_time,
                ${order} AS hit_order,
                ${event} AS hit_event,
                ${path} AS hit_path${needed.map((each) => `,\n                ${readValue(each)} AS hit_${each}`).join("")}
              FROM ${from}
              WHERE ${inSpan} AND ${isHit} ${timeFilter(time)}
            )
            WINDOW in_order AS (
              PARTITION BY visitor_key
              ORDER BY hit_time, hit_order, hit_event, hit_path${needed.map((each) => `, hit_${each}`).join("")}
              ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
            )
          )
        )
        GROUP BY visitor_key, visit_number
        HAVING ${all([
          "kept_views + kept_events > 0",
          ...ofVisit.map((condition) => condition.isMetBy(nameValue(condition.dimension))),
          ...byHit.map(
            ({ dimension, isNot, matches }) =>
              `countIf(${matches(dimension === "events" ? "hit_event" : "hit_path")}) ${isNot ? "=" : ">"} 0`,
          ),
        ])}`;
  };

  /** All visits of each day, from the times of each visitor's hits alone: much less than `writeVisits` reads and sorts. */
  const countAllVisits = (timeFilter: TimeFilter) => `
      SELECT
        visit_day AS date,
        count() AS visitor_count,
        sum(length(times) - events) AS view_count,
        sum(events) AS event_count,
        sum(arrayCount(is_start -> is_start, starts)) AS visit_count,
        sum(arrayCount((is_start, is_end) -> is_start AND is_end, starts, ends)) AS bounce_count,
        sum(arraySum(arrayFilter(gap -> gap <= ${VISIT_GAP}, gaps))) AS second_count
      FROM (
        SELECT
          visit_day,
          times,
          events,
          arrayDifference(times) AS gaps,
          arrayMap((gap, number) -> number = 1 OR gap > ${VISIT_GAP}, gaps, arrayEnumerate(gaps)) AS starts,
          arrayPushBack(arrayPopFront(starts), 1) AS ends
        FROM (
          SELECT
            ${day} AS visit_day,
            ${visitor} AS visitor_key,
            arraySort(groupArray(toUnixTimestamp(${time}))) AS times,
            countIf(${isEvent}) AS events
          FROM ${from}
          WHERE ${inSpan} AND ${isHit} ${timeFilter(time)}
          GROUP BY visit_day, visitor_key
        )
      )
      GROUP BY date
      ORDER BY date`;

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

    days: (timeFilter) => `
      SELECT
        ${day} AS date,
        uniqExactIf(${visitor}, ${isHit}) AS visitor_count,
        countIf(${isPageview}) AS view_count,
        countIf(${isEvent}) AS event_count,
        0 AS scanner_count,
        count() AS loads,
        view_count AS expected_views,
        0 AS newest_definition,
        0 AS oldest_definition
      FROM ${from}
      WHERE ${inSpan} ${timeFilter(time)}
      GROUP BY date
      ORDER BY date`,

    totals: (filter, timeFilter) =>
      hasConditions(filter)
        ? `
      SELECT
        visit_day AS date,
        uniqExact(visitor_key) AS visitor_count,
        sum(kept_views) AS view_count,
        sum(kept_events) AS event_count,
        count() AS visit_count,
        countIf(views = 1) AS bounce_count,
        sum(seconds) AS second_count
      FROM (${writeVisits(filter, timeFilter)})
      GROUP BY date
      ORDER BY date`
        : countAllVisits(timeFilter),

    hours: (filter, timeFilter, starts) =>
      countByHour(writeVisits(filter, timeFilter, { hasMoments: true }), starts),

    breakdown: (dimension, filter, timeFilter) => {
      if (dimension !== "pages" && dimension !== "events") {
        return `
      SELECT
        ${nameValue(dimension)} AS value,
        uniqExact(visitor_key) AS visitor_count,
        sum(kept_views) AS hit_count,
        count() AS visit_count,
        countIf(views = 1) AS bounce_count,
        sum(seconds) AS second_count
      FROM (${writeVisits(filter, timeFilter, { dimension })})
      ${byValue}`;
      }
      return choosesVisits(filter)
        ? `
      SELECT
        arrayJoin(kept_values) AS value,
        uniqExact(visitor_key) AS visitor_count,
        count() AS hit_count
      FROM (${writeVisits(filter, timeFilter, { hasValues: dimension })})
      ${byValue}`
        : `
      SELECT
        ${dimension === "pages" ? path : event} AS value,
        uniqExact(${visitor}) AS visitor_count,
        count() AS hit_count
      FROM ${from}
      WHERE ${all([inSpan, dimension === "pages" ? isPageview : isEvent, ...testHit(filter, path, event)])} ${timeFilter(time)}
      ${byValue}`;
    },

    active: (filter, timeFilter) => {
      const isRecent = (instant: string) => `${instant} > toDateTime({since:UInt32})`;
      return choosesVisits(filter)
        ? `
      SELECT uniqExact(visitor_key) AS visitor_count
      FROM (${writeVisits(filter, timeFilter, { keptIf: isRecent("hit_time") })})`
        : `
      SELECT uniqExact(${visitor}) AS visitor_count
      FROM ${from}
      WHERE ${all([inSpan, isHit, ...testHit(filter, path, event), isRecent(time)])} ${timeFilter(time)}`;
    },

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
      byHand: () => `
      SELECT
        toDate(${rawTime}, {timezone:String}) AS date,
        countIf(${isPageview}) AS view_count,
        uniqExact(tuple(${rows.visitorColumns.join(", ")})) AS visitor_count
      FROM ${from}
      WHERE ${isSite} ${isHit} AND toDate(${rawTime}, {timezone:String}) BETWEEN {from:Date} AND {to:Date}
      GROUP BY date`,
    },
  };
}
