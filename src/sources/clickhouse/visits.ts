import { type Dimension, dimensions } from "../../operations/dimensions.ts";
import { columnsOf } from "../hits.ts";
import { OTHER, VISIT_GAP } from "../measure/definition.ts";
import type { ConditionSql, FilterSql } from "./filter-sql.ts";
import { all, type TimeFilter } from "./table-queries.ts";

/*
 * The visits of a table, and which of them a filter keeps: the only place in SQL that knows what a visit is, by the constants
 * of `measure/definition.ts`. How many hits a visit has, how long it takes and what it is about is written once, in
 * `listViewColumns` and `listEventColumns`. What differs is where its hits are:
 *
 * - In a table of hits, each page view has its visit's number and values, so a visit is a group of rows, and conditions on it are
 *   tested before the rows are grouped. Finding visits by time as well would take twice as long.
 * - There, events have no visit. Where they decide, they are added to the visits of their visitor. This form is written in arrays,
 *   since it has to run on versions without window functions and on the shards of a cluster.
 * - In a mapped table, visits are found in the times of a visitor's hits: a visit is an array of hits.
 */

/** The hits of a table, with the column names of docs/clickhouse.md, and what differs between tables for a reason. */
export interface HitRows {
  /**
   * Whether it was exported from logs. Page views have their visit's number and values then, events have neither a visit nor a page,
   * and `(other)` stands for several values.
   */
  isExported: boolean;
  /** Whether an event is a hit of a visit, which it can begin and extend. Else it belongs to the visit last begun before it, or to the day's first one. */
  eventsAreHits: boolean;
  hasEvents: boolean;
  /** Writes FROM and WHERE for rows of a span. */
  read(selection: RowSelection): string;
}

export interface RowSelection {
  /** `hit`: page views and events; `all`: everything that tells what a day has. */
  kind: "pageview" | "event" | "hit" | "all";
  timeFilter: TimeFilter;
  conditions?: readonly string[];
}

export interface VisitQuestion {
  filter: FilterSql;
  timeFilter: TimeFilter;
  /** A dimension of visits, whose value is in the column that `nameVisitValue` names. */
  dimension?: Dimension;
  /** Whether `kept_items` has the path of each kept page view, or the name of each kept event. */
  items?: "pages" | "events";
  /** Whether `begin` is the second of its first hit, and `kept_moments` has its kept hits, for `countByHour`. */
  hasMoments?: boolean;
  /** Whether visits without events do not matter. */
  onlyWithEvents?: boolean;
  /** Whether only hits after `since` are kept. */
  onlyRecent?: boolean;
}

/** The column of a visit's value. */
export const nameVisitValue = (dimension: Dimension) => `visit_${dimension}`;

/** The kinds of what happens in a visit. */
export const MOMENTS = { event: 0, view: 1, beginning: 2 } as const;

/**
 * Writes the query of the visits with a kept hit: `visit_day`, `visitor_key`, its number of `hits` and its `seconds`, and how many
 * page views and events are kept (`kept_views`, `kept_events`).
 */
export function writeVisits(rows: HitRows, question: VisitQuestion): string {
  if (!rows.isExported) return writeFoundVisits(rows, question);
  const { filter, onlyWithEvents = false, onlyRecent = false, hasMoments = false } = question;
  const needsEvents = onlyWithEvents || onlyRecent || dependsOnEvents(filter);
  return needsEvents || (hasMoments && keepsEvents(filter))
    ? writeVisitsWithEvents(rows, question)
    : writeVisitsOfViews(rows, question);
}

/** Whether events can be kept in a table that was exported, where they have no page. */
export const keepsEvents = ({ hits }: FilterSql): boolean =>
  hits.every(({ dimension, isMetByNull }) => dimension !== "pages" || isMetByNull);

/** Whether events can decide which visits of a table that was exported are kept. */
export const dependsOnEvents = (filter: FilterSql): boolean =>
  (keepsEvents(filter) && filter.hits.some(({ dimension }) => dimension !== "hostnames")) ||
  filter.visitHits.some(
    ({ dimension, takesNull }) => dimension === "events" || (dimension === "pages" && takesNull),
  );

/** Whether only visits with an event can be kept. */
const needsEvents = ({ hits, visitHits }: FilterSql): boolean =>
  hits.some(({ dimension, isMetByNull }) => dimension === "events" && !isMetByNull) ||
  visitHits.some(({ dimension, takesNull, isNot }) => dimension === "events" && !takesNull && !isNot);

/** The conditions on a value of the whole visit, which a hit's hostname is, too. */
export const listVisitConditions = ({ hits, visits, visitHits }: FilterSql): ConditionSql[] => [
  ...visits,
  ...[...hits, ...visitHits].filter(({ dimension }) => dimension === "hostnames"),
];

/** The same for the rows of a table that was exported. */
export const testVisitRows = (rows: HitRows, filter: FilterSql): string[] =>
  listVisitConditions(filter).map((condition) => testValue(rows, condition, columnsOf[condition.dimension]));

/** Whether the filter keeps a hit of a visit that it keeps. `hit`: of either kind. */
export const testHit = (
  rows: HitRows,
  { hits }: FilterSql,
  kind: "pageview" | "event" | "hit",
  column: (name: string) => string = (name) => name,
): string[] =>
  hits.flatMap((condition) => {
    const { dimension, isMetByNull } = condition;
    if (dimension === "hostnames") return [];
    if (lacksValue(rows, dimension, kind)) return isMetByNull ? [] : ["0"];
    return [testValue(rows, condition, column(columnsOf[dimension]))];
  });

/** Page views have no event; events have a page where they were not exported from logs. */
const lacksValue = ({ isExported }: HitRows, dimension: Dimension, kind: "pageview" | "event" | "hit") =>
  dimension === "events" ? kind === "pageview" : kind === "event" && isExported;

/** Neither `=` nor `!=` can tell whether it keeps one of the values that an export has put together. */
const testValue = ({ isExported }: HitRows, { isMetBy }: ConditionSql, value: string) =>
  isExported ? `${value} != '${OTHER}' AND ${isMetBy(value)}` : isMetBy(value);

/** Whether a hit decides a condition `visit:`, which keeps a visit by one such hit and, with `!=`, drops it. */
function mayMatch(
  rows: HitRows,
  { dimension, isNot, takesNull, matches }: ConditionSql,
  kind: "pageview" | "event",
  column: (name: string) => string,
): string {
  if (lacksValue(rows, dimension, kind)) return takesNull ? "1" : "0";
  const value = column(columnsOf[dimension]);
  if (!rows.isExported) return matches(value);
  return isNot
    ? `(${value} = '${OTHER}' OR ${matches(value)})`
    : `${value} != '${OTHER}' AND ${matches(value)}`;
}

/** How columns of a visit are computed from its hits. */
interface HitSet {
  /** The conditions of page views, of events, and of what is a hit of the visit. */
  isView: string;
  isEvent: string;
  isHit: string;
  /** A column of a hit, in conditions and values. `second`: since 1970, since hits of the same second can be in any order. */
  column(name: string): string;
  count(condition: string): string;
  list(value: string, condition: string): string;
  /** The seconds of the first and the last such hit. */
  ends(condition: string): readonly [first: string, last: string];
  /** The value of the visit. */
  readValue(dimension: Dimension): string;
}

/** Rows that are grouped by visit. */
const inGroup = (isView: string): HitSet => ({
  isView,
  isEvent: IS_EVENT,
  isHit: isView,
  column: (name) => (name === "second" ? SECOND : name),
  count: (condition) => `countIf(${condition})`,
  list: (value, condition) => `groupArrayIf(${value}, ${condition})`,
  ends: (condition) =>
    condition === "1"
      ? [`min(${SECOND})`, `max(${SECOND})`]
      : [`minIf(${SECOND}, ${condition})`, `maxIf(${SECOND}, ${condition})`],
  readValue: (dimension) => `anyIf(${columnsOf[dimension]}, ${isView})`,
});

const SECOND = "toUnixTimestamp(time)";
const IS_VIEW = "kind = 'pageview'";
const IS_EVENT = "kind = 'event'";

/** The columns of hits that are one number, since an array of numbers is sorted in half the time of one of pairs. */
const FLAGGED_SECOND: readonly string[] = ["second", "is_event"];

/** An array of hits by time, each with these columns; with one column, an array of its values. */
function inArray(
  hits: string,
  columns: readonly string[],
  { isView = "0", isEvent = "1", isHit = "1" }: Partial<HitSet> = {},
): HitSet {
  const such = (condition: string) =>
    condition === "1" ? hits : `arrayFilter(one -> ${condition}, ${hits})`;
  const take = (hit: string, name: string) => {
    if (columns !== FLAGGED_SECOND) return columns.length === 1 ? hit : `${hit}.${columns.indexOf(name) + 1}`;
    return name === "second" ? `intDiv(${hit}, 2)` : `(${hit} % 2 = 1)`;
  };
  return {
    isView,
    isEvent,
    isHit,
    column: (name) => take("one", name),
    count: (condition) =>
      condition === "1" ? `length(${hits})` : `arrayCount(one -> ${condition}, ${hits})`,
    list: (value, condition) => `arrayMap(one -> ${value}, ${such(condition)})`,
    ends: (condition) => [take(`${such(condition)}[1]`, "second"), take(`${such(condition)}[-1]`, "second")],
    readValue: (dimension) => {
      if (dimension !== "entry_pages" && dimension !== "exit_pages")
        return take(`${such(isHit)}[1]`, columnsOf[dimension]);
      // Without a page view, a visit has the pages of its events.
      const pages =
        isView === isHit
          ? such(isView)
          : `if(arrayExists(one -> ${isView}, ${hits}), ${such(isView)}, ${hits})`;
      return take(`${pages}[${dimension === "entry_pages" ? 1 : -1}]`, "path");
    },
  };
}

/** For rows that are page views. */
const NO_EVENTS: HitSet = { ...inArray("[]", ["second", "event"]), count: () => "0", list: () => "[]" };

/** One per visit: the name and the SQL of a column. */
type VisitColumns = readonly (readonly [name: string, sql: string])[];

const select = (columns: VisitColumns) =>
  columns.map(([name, sql]) => `${sql} AS ${name}`).join(",\n          ");

const listRecent = ({ column }: HitSet, { onlyRecent }: VisitQuestion) =>
  onlyRecent ? [`${column("second")} > {since:UInt32}`] : [];

function listViewColumns(rows: HitRows, set: HitSet, question: VisitQuestion): VisitColumns {
  const { filter, items, hasMoments } = question;
  const { isView, isHit, column, count, list, ends } = set;
  const isKept = all([isView, ...testHit(rows, filter, "pageview", column), ...listRecent(set, question)]);
  const [first, last] = ends(isHit);
  return [
    ["hits", count(isHit)],
    ["seconds", `toUInt64(${last} - ${first})`],
    ["kept_views", count(isKept)],
    ...(hasMoments
      ? [
          ["begin", first] as const,
          ["view_moments", list(`(${column("second")}, ${MOMENTS.view})`, isKept)] as const,
        ]
      : []),
    ...(items === "pages" ? [["kept_items", list(column("path"), isKept)] as const] : []),
    ...listByHit(filter).map(
      (condition, index) =>
        [
          `matching_views${index}`,
          count(all([isView, mayMatch(rows, condition, "pageview", column)])),
        ] as const,
    ),
    ...listValues(rows, question).map((each) => [nameVisitValue(each), set.readValue(each)] as const),
  ];
}

function listEventColumns(rows: HitRows, set: HitSet, question: VisitQuestion): VisitColumns {
  const { filter, items, hasMoments } = question;
  const { isEvent, column, count, list } = set;
  const isKept = all([isEvent, ...testHit(rows, filter, "event", column), ...listRecent(set, question)]);
  const moments = list(`(${column("second")}, ${MOMENTS.event})`, isKept);
  return [
    ["kept_events", count(isKept)],
    ...(hasMoments ? [["kept_moments", `arrayConcat(view_moments, ${moments})`] as const] : []),
    ...(items === "events" ? [["kept_items", list(column("event"), isKept)] as const] : []),
    ...listByHit(filter).map(
      (condition, index) =>
        [
          `matching_events${index}`,
          count(all([isEvent, mayMatch(rows, condition, "event", column)])),
        ] as const,
    ),
  ];
}

/** The conditions on visits by any of their hits. */
const listByHit = ({ visitHits }: FilterSql) =>
  visitHits.filter(({ dimension }) => dimension !== "hostnames");

/** The dimensions whose values a visit needs. The rows of an export have been tested before. */
const listValues = ({ isExported }: HitRows, { dimension, filter }: VisitQuestion) =>
  dimensions.filter(
    (each) =>
      each === dimension ||
      (!isExported && listVisitConditions(filter).some((condition) => condition.dimension === each)),
  );

/** Whether a visit is kept, by its columns. */
const testVisit = (rows: HitRows, { filter }: VisitQuestion) =>
  all([
    "kept_views + kept_events > 0",
    ...listByHit(filter).map(
      ({ isNot }, index) => `matching_views${index} + matching_events${index} ${isNot ? "=" : ">"} 0`,
    ),
    ...(rows.isExported ? [] : listVisitConditions(filter)).map(({ dimension, isMetBy }) =>
      isMetBy(nameVisitValue(dimension)),
    ),
  ]);

const writeVisitsOfViews = (rows: HitRows, question: VisitQuestion) => `
      SELECT
        day AS visit_day,
        visitor AS visitor_key,
          ${select([...listViewColumns(rows, inGroup("1"), question), ...listEventColumns(rows, NO_EVENTS, question)])}
      ${rows.read({ kind: "pageview", timeFilter: question.timeFilter, conditions: testVisitRows(rows, question.filter) })}
      GROUP BY visit_day, visitor_key, visit
      HAVING ${testVisit(rows, question)}`;

function writeVisitsWithEvents(rows: HitRows, question: VisitQuestion): string {
  const { filter, timeFilter, onlyWithEvents = false } = question;
  const chosen = testVisitRows(rows, filter);
  const columns: VisitColumns = [
    ...listViewColumns(rows, inGroup(IS_VIEW), question),
    ["begun", `minIf(${SECOND}, ${IS_VIEW})`],
    ["is_chosen", chosen.length === 0 ? "1" : `countIf(${all([IS_VIEW, ...chosen])}) > 0`],
  ];
  const names = columns.map(([name]) => name);
  const place = (name: string) => names.indexOf(name) + 1;
  // Distributed tables refuse IN without GLOBAL.
  const withEvents = `visitor GLOBAL IN (SELECT visitor ${rows.read({ kind: "event", timeFilter })})`;
  const conditions = onlyWithEvents || needsEvents(filter) ? [withEvents] : [];
  return `
      SELECT
        *,
          ${select(listEventColumns(rows, inArray("own_events", ["second", "event"]), question))}
      FROM (
        SELECT
          visit_day,
          visitor_key,
          ${names.map((name, index) => `one_visit.${index + 1} AS ${name}`).join(",\n          ")},
          arrayFilter(
            happened -> greatest(1, arrayCount(other -> other.${place("begun")} <= happened.1, all_visits)) = number,
            all_events
          ) AS own_events
        FROM (
          SELECT
            visit_day,
            visitor_key,
            arraySort(
              other -> other.${place("begun")},
              groupArrayIf((${names.join(", ")}), visit_number > 0)
            ) AS all_visits,
            groupArrayArray(happenings) AS all_events
          FROM (
            SELECT
              day AS visit_day,
              visitor AS visitor_key,
              if(${IS_EVENT}, 0, visit + 1) AS visit_number,
          ${select(columns)},
              groupArrayIf((${SECOND}, event), ${IS_EVENT}) AS happenings
            ${rows.read({ kind: "hit", timeFilter, conditions })}
            GROUP BY visit_day, visitor_key, visit_number
          )
          GROUP BY visit_day, visitor_key
        )
        ARRAY JOIN all_visits AS one_visit, arrayEnumerate(all_visits) AS number
      )
      WHERE is_chosen AND ${testVisit(rows, question)}`;
}

/** Hits are sorted by all that the question looks at, so that it always has the same answer. */
function writeFoundVisits(rows: HitRows, question: VisitQuestion): string {
  const { filter, timeFilter, items } = question;
  const { hasEvents, eventsAreHits } = rows;
  const values = listValues(rows, question);
  const onlyTimes = values.length + filter.hits.length + filter.visitHits.length === 0 && items === undefined;
  const flag = hasEvents ? ["is_event"] : [];
  const times = hasEvents ? FLAGGED_SECOND : ["second"];
  const names = onlyTimes
    ? times
    : [
        "second",
        // An event that is no hit belongs to the visit that begins in its second.
        ...(eventsAreHits ? ["sequence", ...flag] : [...flag, "sequence"]),
        ...["event", "path"],
        ...values.map((each) => columnsOf[each]).filter((name) => !/^(?:entry|exit)_page$/.test(name)),
      ];
  const written = new Map([
    ["second", SECOND],
    ["is_event", "event != ''"],
  ]);
  const columns = names.map((name) => written.get(name) ?? name);
  const listed = columns.length === 1 ? columns.join() : `(${columns.join(", ")})`;
  const hit = names === FLAGGED_SECOND ? `${SECOND} * 2 + (event != '')` : listed;
  const { column: ofHit } = inArray("all_hits", names);
  const isView = hasEvents ? `NOT ${ofHit("is_event")}` : "1";
  const set = inArray("own_hits", names, {
    isView,
    isEvent: hasEvents ? ofHit("is_event") : "0",
    isHit: eventsAreHits ? "1" : isView,
  });
  // An event that is no hit ends no pause, and nothing begins before the first page view: there, it is taken for the hit before it.
  const isApart = hasEvents && !eventsAreHits;
  const lastHits = isApart ? `arrayFill(one -> ${isView}, all_hits)` : "all_hits";
  const gaps = `arrayDifference(arrayMap(one -> ${ofHit("second")}, ${lastHits}))`;
  const split = isApart
    ? `arraySplit((one, gap, number) -> gap > ${VISIT_GAP} AND number > 1, all_hits, ${gaps}, arrayCumSum(one -> ${isView}, all_hits))`
    : `arraySplit((one, gap) -> gap > ${VISIT_GAP}, all_hits, ${gaps})`;
  return `
      SELECT
        day AS visit_day,
        visitor AS visitor_key,
        ${select([...listViewColumns(rows, set, question), ...listEventColumns(rows, set, question)])}
      FROM (
        SELECT
          day,
          visitor,
          arraySort(groupArray(${hit})) AS all_hits,
          ${split} AS all_visits
        ${rows.read({ kind: hasEvents ? "hit" : "pageview", timeFilter })}
        GROUP BY day, visitor
      )
      ARRAY JOIN all_visits AS own_hits
      WHERE hits > 0 AND ${testVisit(rows, question)}`;
}
