import type { Dimension } from "../../operations/dimensions.ts";
import { columnsOf } from "../hits.ts";
import { OTHER } from "../measure/definition.ts";
import type { ConditionSql, FilterSql } from "./filter-sql.ts";
import { all, EVENT, IN_SPAN, listViewMoments, type TimeFilter } from "./table-queries.ts";

/*
 * A filter's conditions on the rows of a table of hits, and the visits that it keeps. Page views have their visit's number
 * and values. Events have neither: an event belongs to its visitor's visit last begun before it, else to the day's first
 * one, and has no page.
 */

/** Whether a page view may be kept: it has no event. */
const keepsViews = ({ hits }: FilterSql): boolean => takesNull(hits, "events");

/** Whether an event may be kept: it has no page. */
export const keepsEvents = ({ hits }: FilterSql): boolean => takesNull(hits, "pages");

const takesNull = (conditions: readonly ConditionSql[], dimension: Dimension) =>
  conditions.every((condition) => condition.dimension !== dimension || condition.isMetByNull);

/** Whether events can decide which visits are kept. */
export const dependsOnEvents = (filter: FilterSql): boolean =>
  (keepsEvents(filter) && filter.hits.some(({ dimension }) => dimension !== "hostnames")) ||
  filter.visitHits.some(
    ({ dimension, takesNull }) => dimension === "events" || (dimension === "pages" && takesNull),
  );

/** Whether only visits with an event can be kept. */
const needsEvents = (filter: FilterSql): boolean =>
  !keepsViews(filter) ||
  filter.visitHits.some(({ dimension, takesNull, isNot }) => dimension === "events" && !takesNull && !isNot);

/** The conditions that a page view's row meets if its visit does. A hit has its visit's hostname. */
export const testVisit = ({ hits, visits, visitHits }: FilterSql): string[] => {
  const byHost = [...hits, ...visitHits].filter(({ dimension }) => dimension === "hostnames");
  return testColumn([...visits, ...byHost], (dimension) => columnsOf[dimension]);
};

/** The conditions on a page view itself. */
export const testView = (filter: FilterSql): string[] =>
  keepsViews(filter) ? testColumn(pickHits(filter, "pages"), () => "path") : ["0"];

/** The conditions on an event itself. */
export const testEvent = (filter: FilterSql, event: string): string[] =>
  keepsEvents(filter) ? testColumn(pickHits(filter, "events"), () => event) : ["0"];

const pickHits = ({ hits }: FilterSql, dimension: Dimension) =>
  hits.filter((condition) => condition.dimension === dimension);

/** Neither `=` nor `!=` can tell whether it keeps one of the values that an export has put together. */
const testColumn = (conditions: readonly ConditionSql[], column: (dimension: Dimension) => string) =>
  conditions.flatMap(({ dimension, isMetBy }) => [
    `${column(dimension)} != '${OTHER}'`,
    isMetBy(column(dimension)),
  ]);

/** Whether a hit decides a condition `visit:`, which keeps a visit by one such hit and, with `!=`, drops it. */
const mayMatch = ({ isNot, matches }: ConditionSql, value: string) =>
  isNot ? `(${value} = '${OTHER}' OR ${matches(value)})` : `${value} != '${OTHER}' AND ${matches(value)}`;

export interface VisitQuestion {
  filter: FilterSql;
  timeFilter: TimeFilter;
  /** A dimension of visits, whose value is `visit_value`. */
  dimension?: Dimension;
  /** Whether `kept_paths` has the path of each kept page view. */
  hasPaths?: boolean;
  /** Whether `begin` is the second of its first page view, and `kept_moments` has its kept hits, for `countByHour`. */
  hasMoments?: boolean;
  /** Whether visits without events do not matter. */
  onlyWithEvents?: boolean;
  /** Whether only hits after `since` are kept. */
  onlyRecent?: boolean;
}

/** One per visit: the name and the SQL of a column. */
type VisitColumns = readonly (readonly [name: string, sql: string])[];

/**
 * Writes the query of the visits with a kept hit: `visit_day`, `visitor_key`, how many page views it has (`views`) and how
 * many of these are kept (`kept_views`), its `seconds`, and `kept_names`, the names of its kept events.
 *
 * @param from The table.
 */
export function writeVisits(from: string, question: VisitQuestion): string {
  const { filter, onlyWithEvents = false, onlyRecent = false, hasMoments = false } = question;
  const needsAll = onlyWithEvents || onlyRecent || dependsOnEvents(filter);
  return needsAll || (hasMoments && keepsEvents(filter))
    ? writeVisitsWithEvents(from, question)
    : writeVisitsOfViews(from, question);
}

function writeVisitsOfViews(from: string, question: VisitQuestion): string {
  const { filter, timeFilter, hasMoments } = question;
  const columns: VisitColumns = [
    ...listColumns(question, (condition) => condition),
    ...(hasMoments
      ? ([
          ["begin", `min(${SECOND})`],
          ["kept_moments", "view_moments"],
        ] as const)
      : []),
  ];
  const visitHits = pickVisitHits(filter, "pages").map(({ isNot }, index) => testMatches(index, isNot));
  return `
      SELECT
        day AS visit_day,
        visitor AS visitor_key,
        ${columns.map(([name, sql]) => `${sql} AS ${name}`).join(",\n        ")},
        emptyArrayString() AS kept_names
      FROM ${from}
      WHERE ${all([IN_SPAN, "kind = 'pageview'", ...testVisit(filter)])} ${timeFilter("time")}
      GROUP BY visit_day, visitor_key, visit
      HAVING ${all(["kept_views > 0", ...visitHits])}`;
}

const IS_VIEW = "kind = 'pageview'";
/** In seconds: hits of the same second can be in any order. */
const SECOND = "toUnixTimestamp(time)";
const isRecent = (second: string) => `${second} > {since:UInt32}`;

function writeVisitsWithEvents(from: string, question: VisitQuestion): string {
  const { filter, timeFilter, onlyWithEvents = false, onlyRecent = false, hasMoments = false } = question;
  const chosen = testVisit(filter);
  const columns: VisitColumns = [
    ["begin", `min(${SECOND})`],
    ...listColumns(question, (condition) => all([IS_VIEW, condition])),
    ["is_chosen", `countIf(${all([IS_VIEW, ...chosen])}) > 0`],
  ];
  const visitHits = [
    ...pickVisitHits(filter, "pages").map(({ isNot, takesNull }, index) =>
      testMatches(index, isNot, takesNull ? "notEmpty(names)" : "0"),
    ),
    // A visit has a page view, which has no event.
    ...pickVisitHits(filter, "events").map((condition) => {
      const matches = condition.takesNull
        ? "1"
        : `arrayExists(name -> ${mayMatch(condition, "name")}, names)`;
      return condition.isNot ? `NOT ${matches}` : matches;
    }),
  ];
  const isKept = "(kept_views > 0 OR notEmpty(kept_names))";
  const isEventKept = all([
    ...testEvent(filter, "happened.2"),
    ...(onlyRecent ? [isRecent("happened.1")] : []),
  ]);
  // Distributed tables refuse IN without GLOBAL.
  const withEvents = `visitor GLOBAL IN (
            SELECT visitor
            FROM ${from}
            WHERE ${IN_SPAN} AND kind = 'event' ${timeFilter("time")}
          )`;
  const conditions = [
    IN_SPAN,
    "kind IN ('pageview', 'event')",
    ...(onlyWithEvents || needsEvents(filter) ? [withEvents] : []),
  ];
  return `
      SELECT *
      FROM (
        SELECT
          visit_day,
          visitor_key,
          ${columns.map(([name], index) => `one.${index + 1} AS ${name}`).join(",\n          ")},
          arrayFilter(
            happened -> greatest(1, arrayCount(other -> other.1 <= happened.1, all_visits)) = number,
            all_events
          ) AS own_events,
          arrayMap(happened -> happened.2, own_events) AS names,
          arrayMap(
            happened -> happened.2,
            arrayFilter(happened -> ${isEventKept}, own_events)
          ) AS kept_names${
            hasMoments
              ? `,
          arrayConcat(
            view_moments,
            arrayMap(
              happened -> (happened.1, ${EVENT}),
              arrayFilter(happened -> ${isEventKept}, own_events)
            )
          ) AS kept_moments`
              : ""
          }
        FROM (
          SELECT
            visit_day,
            visitor_key,
            arraySort(
              other -> other.1,
              groupArrayIf((${columns.map(([name]) => name).join(", ")}), visit_number > 0)
            ) AS all_visits,
            groupArrayArray(happenings) AS all_events
          FROM (
            SELECT
              day AS visit_day,
              visitor AS visitor_key,
              if(kind = 'event', 0, visit + 1) AS visit_number,
              ${columns.map(([name, sql]) => `${sql} AS ${name}`).join(",\n              ")},
              groupArrayIf((${SECOND}, event), kind = 'event') AS happenings
            FROM ${from}
            WHERE ${all(conditions)} ${timeFilter("time")}
            GROUP BY visit_day, visitor_key, visit_number
          )
          GROUP BY visit_day, visitor_key
        )
        ARRAY JOIN all_visits AS one, arrayEnumerate(all_visits) AS number
      )
      WHERE ${all(["is_chosen", isKept, ...visitHits])}`;
}

/** @param ofViews Limits a condition to page views. */
function listColumns(
  { filter, dimension, hasPaths, hasMoments, onlyRecent }: VisitQuestion,
  ofViews: (condition: string) => string,
): VisitColumns {
  const isView = ofViews("1");
  const isKept = ofViews(all([...testView(filter), ...(onlyRecent ? [isRecent(SECOND)] : [])]));
  return [
    ["views", `countIf(${isView})`],
    ["kept_views", `countIf(${isKept})`],
    [
      "seconds",
      `toUInt64(toUnixTimestamp(maxIf(time, ${isView})) - toUnixTimestamp(minIf(time, ${isView})))`,
    ],
    ...(dimension === undefined
      ? []
      : [["visit_value", `anyIf(${columnsOf[dimension]}, ${isView})`] as const]),
    ...(hasMoments ? [["view_moments", listViewMoments(SECOND, isKept)] as const] : []),
    ...(hasPaths ? [["kept_paths", `groupArrayIf(path, ${isKept})`] as const] : []),
    ...pickVisitHits(filter, "pages").map(
      (condition, index) => [nameMatches(index), `countIf(${ofViews(mayMatch(condition, "path"))})`] as const,
    ),
  ];
}

const pickVisitHits = ({ visitHits }: FilterSql, dimension: Dimension) =>
  visitHits.filter((condition) => condition.dimension === dimension);

const nameMatches = (index: number) => `matching_views${index}`;

/** Whether a visit has a hit that a condition `visit:pages=` chooses, or with `isNot` none. */
const testMatches = (index: number, isNot: boolean, orIf = "0") =>
  `${isNot ? "NOT " : ""}(${nameMatches(index)} > 0 OR ${orIf})`;
