import { AnalyticsError } from "../../errors.ts";
import { MAX_REFERRERS, UNPROMPTED } from "../../operations/not-found.ts";
import { columnsOf } from "../hits.ts";
import { LOG_RULE, OTHER } from "../measure/definition.ts";
import { type ColumnKind, type Columns, describeType, readType } from "./column-types.ts";
import { writeFilter } from "./filter-sql.ts";
import type { HitRows } from "./hit-rows.ts";
import { countValues, writeQueries } from "./queries.ts";
import { createRollupQueries } from "./rollup-queries.ts";
import {
  all,
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
  [
    "integer",
    ["visit", "sequence", "status", "pageviews", "bots_not_found", "scanners_not_found", "definition"],
  ],
  ["text", [...Object.values(columnsOf), "site", "crawler", "timezone"]],
];
/** Columns of which several types will do. */
const OTHER_COLUMNS = ["kind", "visitor", "unrecorded"];

const IS_SERVER_ERROR = "status BETWEEN 500 AND 599";
/** Within quotes, a backslash stands for itself only if it is doubled. */
const IS_UNPROMPTED = UNPROMPTED.source.replaceAll("\\/", "/").replaceAll("\\", "\\\\");

const KINDS = {
  pageview: "kind = 'pageview'",
  event: "kind = 'event'",
  hit: "kind IN ('pageview', 'event')",
  all: "kind IN ('pageview', 'event', 'scanner', 'day')",
};

const LOAD_COLUMNS = `uniqExactIf(visitor, kind = 'pageview') AS visitor_count,
        uniqExactIf(visitor, kind = 'scanner') AS scanner_count,
        countIf(kind = 'day') AS loads,
        sumIf(pageviews, kind = 'day') AS expected_views,
        maxIf(definition, kind = 'day') AS newest_definition,
        minIf(definition, kind = 'day') AS oldest_definition`;

/** The table that `analytics-mcp logs --ndjson` fills. Each hit has the values of its visit. */
export function createHitLayout(database: string, table: string): TableLayout {
  const columns = [...OTHER_COLUMNS, ...COLUMNS.flatMap(([, names]) => names)];
  // FINAL: a hit that was loaded twice counts once.
  const from = `${quoteName(database)}.${quoteName(table)} FINAL`;
  const rows: HitRows = {
    isExported: true,
    hasEvents: true,
    rule: LOG_RULE,
    read: ({ kind, timeFilter, conditions = [] }) => `FROM ${from}
      WHERE ${all([IN_SPAN, KINDS[kind], ...conditions])} ${timeFilter("time")}`,
  };

  const listFailed = (condition: string, timeFilter: TimeFilter) => `
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
          WHERE ${IN_SPAN} AND kind = 'not_found' AND ${condition} ${timeFilter("time")}
          GROUP BY gone, source
        )
        GROUP BY value WITH ROLLUP
        ORDER BY value != '', request_count DESC, value = '=${OTHER}', value
        LIMIT {limit:UInt32}`;

  const queries: TableQueries = {
    ...writeQueries(rows, LOAD_COLUMNS),

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

    folded: (dimensions, timeFilter) => {
      const folded = dimensions.map((dimension) => `${columnsOf[dimension]} = '${OTHER}'`).join(" OR ");
      return `
      SELECT day AS date
      ${rows.read({ kind: "pageview", timeFilter, columns: ["day"], conditions: [`(${folded})`] })}
      GROUP BY date
      ORDER BY date`;
    },

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
      "4xx": {
        paths: (timeFilter) => listFailed("status < 500", timeFilter),
        excluded: () => `
        SELECT sum(bots_not_found) AS bot_count, sum(scanners_not_found) AS scan_count
        FROM ${from}
        WHERE ${IN_SPAN} AND kind = 'day'`,
      },
      "5xx": {
        paths: (timeFilter) => listFailed(IS_SERVER_ERROR, timeFilter),
        excluded: (timeFilter) => `
        SELECT count() AS bot_count, 0 AS scan_count
        FROM ${from}
        WHERE ${IN_SPAN} AND kind = 'bot' AND ${IS_SERVER_ERROR} AND NOT match(path, '${IS_UNPROMPTED}') ${timeFilter("time")}`,
      },
    },
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
      countValues(rows, dimension, writeFilter(), timeFilter),
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
