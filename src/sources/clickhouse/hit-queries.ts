import { AnalyticsError } from "../../errors.ts";
import type { Dimension } from "../../operations/dimensions.ts";
import { MAX_REFERRERS } from "../../operations/not-found.ts";
import { columnsOf } from "../hits.ts";
import { OTHER } from "../measure/definition.ts";
import { type ColumnKind, type Columns, describeType, readType } from "./column-types.ts";
import { type FilterSql, writeFilter } from "./filter-sql.ts";
import { dependsOnEvents, keepsEvents, testEvent, testView, testVisit, writeVisits } from "./hit-visits.ts";
import { createRollupQueries } from "./rollup-queries.ts";
import {
  all,
  byValue,
  countByHour,
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
  ["integer", ["visit", "status", "pageviews", "bots_not_found", "scanners_not_found", "definition"]],
  ["text", [...Object.values(columnsOf), "site", "crawler", "timezone"]],
];
/** Columns of which several types will do. */
const OTHER_COLUMNS = ["kind", "visitor", "unrecorded"];

/** Counts the items of an array that each visit has. */
const countItems = (items: string, visits: string) => `
      SELECT
        arrayJoin(${items}) AS value,
        uniqExact(visitor_key) AS visitor_count,
        count() AS hit_count
      FROM (${visits})`;

const countDays = (events: string, visits: string) => `
        SELECT
          visit_day AS date,
          uniqExact(visitor_key) AS day_visitors,
          sum(kept_views) AS day_views,
          sum(${events}) AS day_events,
          count() AS day_visits,
          countIf(views = 1) AS day_bounces,
          sum(seconds) AS day_seconds
        FROM (${visits})
        GROUP BY date`;

/** The table that `analytics-mcp logs --ndjson` fills. Each hit has the values of its visit. */
export function createHitLayout(database: string, table: string): TableLayout {
  const columns = [...OTHER_COLUMNS, ...COLUMNS.flatMap(([, names]) => names)];
  // FINAL: a hit that was loaded twice counts once.
  const from = `${quoteName(database)}.${quoteName(table)} FINAL`;
  const countRows = (kind: "pageview" | "event", value: string, conditions: readonly string[]) => `
      SELECT
        ${value} AS value,
        uniqExact(visitor) AS visitor_count,
        count() AS hit_count
      FROM ${from}
      WHERE ${all([IN_SPAN, `kind = '${kind}'`, ...conditions])}`;
  const countValues = (dimension: Dimension, filter: FilterSql, timeFilter: TimeFilter) => {
    const ofVisit = testVisit(filter);
    const question = { filter, timeFilter };
    if (dimension === "pages") {
      return filter.visitHits.length === 0
        ? `${countRows("pageview", "path", [...ofVisit, ...testView(filter)])} ${timeFilter("time")}`
        : countItems("kept_paths", writeVisits(from, { ...question, hasPaths: true }));
    }
    if (dimension === "events") {
      return filter.visitHits.length + ofVisit.length === 0
        ? `${countRows("event", "event", testEvent(filter, "event"))} ${timeFilter("time")}`
        : countItems("kept_names", writeVisits(from, { ...question, onlyWithEvents: true }));
    }
    return `
      SELECT
        visit_value AS value,
        uniqExact(visitor_key) AS visitor_count,
        sum(kept_views) AS hit_count,
        count() AS visit_count,
        countIf(views = 1) AS bounce_count,
        sum(seconds) AS second_count
      FROM (${writeVisits(from, { ...question, dimension })})`;
  };

  /** The events of the visits that a filter keeps, of which it keeps all. */
  const countEvents = (filter: FilterSql, timeFilter: TimeFilter) =>
    filter.visitHits.length + testVisit(filter).length > 0
      ? `
        SELECT visit_day AS date, 0, 0, sum(length(kept_names)), 0, 0, 0
        FROM (${writeVisits(from, { filter, timeFilter, onlyWithEvents: true })})
        GROUP BY date`
      : `
        SELECT day AS date, 0, 0, count(), 0, 0, 0
        FROM ${from}
        WHERE ${IN_SPAN} AND kind = 'event' ${timeFilter("time")}
        GROUP BY date`;

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

    totals: (filter, timeFilter) => {
      const question = { filter, timeFilter };
      const ofViews = countDays("length(kept_names)", writeVisits(from, question));
      // Where all events of the visits count, it is enough to look at the visitors who have any.
      const isApart = keepsEvents(filter) && !dependsOnEvents(filter);
      return `
      SELECT
        date,
        sum(day_visitors) AS visitor_count,
        sum(day_views) AS view_count,
        sum(day_events) AS event_count,
        sum(day_visits) AS visit_count,
        sum(day_bounces) AS bounce_count,
        sum(day_seconds) AS second_count
      FROM (
        ${ofViews}
        ${isApart ? `UNION ALL ${countEvents(filter, timeFilter)}` : ""}
      )
      GROUP BY date
      ORDER BY date`;
    },

    hours: (filter, timeFilter, starts) =>
      countByHour(writeVisits(from, { filter, timeFilter, hasMoments: true }), starts),

    breakdown: (dimension, filter, timeFilter) => `${countValues(dimension, filter, timeFilter)}
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

    // The first row has the totals, as above. What an export had folded is no page that led there.
    notFound: {
      paths: (timeFilter) => `
        SELECT
          concat('=', gone) AS value,
          sum(asked) AS request_count,
          uniqExactMerge(people) AS visitor_count,
          sumIf(asked, gone = '${OTHER}' OR source = '${OTHER}') AS folded_count,
          groupArrayIf((source, asked), source NOT IN ('', '${OTHER}')) AS sources,
          arraySlice(arraySort(pair -> (-toInt64(pair.2), pair.1), sources), 1, ${MAX_REFERRERS}) AS first_sources,
          arrayMap(pair -> pair.1, first_sources) AS pages,
          arrayMap(pair -> pair.2, first_sources) AS page_counts
        FROM (
          SELECT path AS gone, referrer AS source, count() AS asked, uniqExactState(visitor) AS people
          FROM ${from}
          WHERE ${IN_SPAN} AND kind = 'not_found' ${timeFilter("time")}
          GROUP BY gone, source
        )
        GROUP BY value WITH ROLLUP
        ORDER BY value != '', request_count DESC, value = '=${OTHER}', value
        LIMIT {limit:UInt32}`,
      excluded: () => `
        SELECT sum(bots_not_found) AS bot_count, sum(scanners_not_found) AS scan_count
        FROM ${from}
        WHERE ${IN_SPAN} AND kind = 'day'`,
    },

    active: (filter, timeFilter) => `
      SELECT uniqExact(visitor_key) AS visitor_count
      FROM (${writeVisits(from, { filter, timeFilter, onlyRecent: true })})`,
  };

  return {
    database,
    table,
    columns,
    noRows: {
      message: `The table ${table} is empty: no day has been loaded.`,
      hint: "analytics-mcp logs --ndjson exports access logs for it: see docs/clickhouse.md.",
    },
    hasRequests: true,
    hasOwnValues: false,
    rollup: createRollupQueries(database, table, (dimension, timeFilter) =>
      countValues(dimension, writeFilter(), timeFilter),
    ),
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
