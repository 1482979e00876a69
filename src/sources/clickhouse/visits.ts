import { columnsOf } from "../hits.ts";
import { EVENT_LEAD, VISIT_GAP } from "../measure/definition.ts";
import { dependsOnEvents, type HitRows, keepsEvents, needsEvents, testVisitRows } from "./hit-rows.ts";
import { all } from "./table-queries.ts";
import {
  FLAGGED_SECOND,
  IS_EVENT,
  IS_VIEW,
  inArray,
  inGroup,
  listEventColumns,
  listValues,
  listViewColumns,
  NO_EVENTS,
  SECOND,
  select,
  testVisit,
  type VisitColumns,
  type VisitQuestion,
} from "./visit-columns.ts";

/*
 * The visits of a table, and which of them a filter keeps: the only place in SQL that knows what a visit is, by the constants
 * of `measure/definition.ts`. How many hits a visit has, how long it takes and what it is about is written once, in
 * `visit-columns.ts`. What differs is where its hits are:
 *
 * - In a table of hits, each page view has its visit's number and values, so a visit is a group of rows, and conditions on it are
 *   tested before the rows are grouped. Finding visits by time as well would take twice as long.
 * - There, events have no visit. Where they decide, they are added to the visits of their visitor. This form is written in arrays,
 *   since it has to run on versions without window functions and on the shards of a cluster.
 * - In a mapped table, visits are found in the times of a visitor's hits: a visit is an array of hits.
 */

/**
 * Writes the query of the visits with a kept hit: `visit_day`, `visitor_key`, its number of `hits` and its `seconds`, and how many
 * page views and events are kept (`kept_views`, `kept_events`).
 */
export function writeVisits(rows: HitRows, question: VisitQuestion): string {
  if (!rows.isExported) return writeFoundVisits(rows, question);
  const { filter, onlyWithEvents = false, onlyRecent = false, hasMoments = false } = question;
  const hasEventStep = filter.steps.some(({ dimension }) => dimension === "events");
  const needsEvents = onlyWithEvents || onlyRecent || dependsOnEvents(filter) || hasEventStep;
  return needsEvents || (hasMoments && keepsEvents(filter))
    ? writeVisitsWithEvents(rows, question)
    : writeVisitsOfViews(rows, question);
}

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
          ${select(listEventColumns(rows, inArray("own_events", ["second", "event", "sequence"]), question))}
      FROM (
        SELECT
          visit_day,
          visitor_key,
          ${names.map((name, index) => `one_visit.${index + 1} AS ${name}`).join(",\n          ")},
          arrayFilter(
            happened -> greatest(1, arrayCount(other -> other.${place("begun")} <= happened.1 + ${EVENT_LEAD}, all_visits)) = number,
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
              groupArrayIf((${SECOND}, event, sequence), ${IS_EVENT}) AS happenings
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
  const conditions = [...filter.hits, ...filter.visitHits, ...filter.steps];
  const onlyTimes = values.length + conditions.length === 0 && items === undefined;
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
        ${rows.read({ kind: hasEvents ? "hit" : "pageview", timeFilter, columns: names })}
        GROUP BY day, visitor
      )
      ARRAY JOIN all_visits AS own_hits
      WHERE hits > 0 AND ${testVisit(rows, question)}`;
}
