import { columnsOf } from "../hits.ts";
import { EVENT_LEAD, VISIT_GAP } from "../measure/definition.ts";
import { columnOf } from "../measure/hit-table.ts";
import {
  dependsOnEvents,
  type HitRows,
  hasLooseEvents,
  keepsEvents,
  needsEvents,
  testVisitRows,
} from "./hit-rows.ts";
import { all } from "./table-queries.ts";
import {
  IS_EVENT,
  IS_VIEW,
  IS_VISIT,
  inArray,
  inGroup,
  listEventColumns,
  listValues,
  listViewColumns,
  NO_EVENTS,
  NUMBERED_GAP,
  NUMBERED_SECOND,
  SECOND,
  SECOND_AND_KIND,
  select,
  testVisit,
  type VisitColumn,
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
      ${rows.read({ kind: "pageview", timeFilter: question.timeFilter, columns: [], conditions: testVisitRows(rows, question.filter) })}
      GROUP BY visit_day, visitor_key, visit
      HAVING ${testVisit(rows, question)}`;

function writeVisitsWithEvents(rows: HitRows, question: VisitQuestion): string {
  const { filter, timeFilter, onlyWithEvents = false } = question;
  const chosen = testVisitRows(rows, filter);
  const columns: readonly VisitColumn[] = [
    ...listViewColumns(rows, inGroup(IS_VIEW), question),
    ["begun", `minIf(${SECOND}, ${IS_VIEW})`],
    ["is_chosen", chosen.length === 0 ? "1" : `countIf(${all([IS_VIEW, ...chosen])}) > 0`],
  ];
  const names = columns.map(([name]) => name);
  const place = (name: string) => names.indexOf(name) + 1;
  // Distributed tables refuse IN without GLOBAL.
  const withEvents = `visitor GLOBAL IN (SELECT visitor ${rows.read({ kind: "event", timeFilter, columns: [] })})`;
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
            ${rows.read({ kind: "hit", timeFilter, columns: [], conditions })}
            GROUP BY visit_day, visitor_key, visit_number
          )
          GROUP BY visit_day, visitor_key
        )
        ARRAY JOIN all_visits AS one_visit, arrayEnumerate(all_visits) AS number
      )
      WHERE is_chosen AND ${testVisit(rows, question)}`;
}

/** Hits are sorted by these columns, so that a question always has the same answer; where values decide, by their pages first. */
function listHitColumns(rows: HitRows, question: VisitQuestion): readonly string[] {
  const { filter, items } = question;
  const { hasEvents, rule } = rows;
  const values = listValues(rows, question);
  const conditions = [...filter.hits, ...filter.visitHits, ...filter.steps];
  const asked = [...values, ...conditions.map(({ dimension }) => dimension), ...(items ? [items] : [])];
  if (asked.length === 0) return hasEvents ? NUMBERED_SECOND : ["second"];
  const kind = hasEvents ? ["kind_number"] : [];
  return [
    "second",
    // An event that is no hit belongs to the visit that begins in its second.
    ...(rule.hits === "views" ? [...kind, "sequence"] : ["sequence", ...kind]),
    ...new Set([...(values.length > 0 ? ["path"] : []), ...asked.map((each) => columnsOf[columnOf(each)])]),
  ];
}

function writeHit(names: readonly string[]): string {
  if (names === NUMBERED_SECOND) return SECOND_AND_KIND;
  const columns = names.map((name) => (name === "second" ? SECOND : name)).join(", ");
  return names.length === 1 ? columns : `(${columns})`;
}

function writeFoundVisits(rows: HitRows, question: VisitQuestion): string {
  const { timeFilter, listsLoose = false } = question;
  const { hasEvents, rule } = rows;
  const names = listHitColumns(rows, question);
  const { column: ofHit } = inArray("all_hits", names);
  const isView = hasEvents ? `${ofHit("kind_number")} = 0` : "1";
  const set = inArray("own_hits", names, {
    isView,
    isEvent: hasEvents ? `${ofHit("kind_number")} = 1` : "0",
    isHit: rule.hits === "views" ? isView : "1",
  });
  // An event that is no hit ends no pause, and nothing begins before the first page view: there, it is taken for the hit before it.
  const isApart = hasEvents && rule.hits === "views";
  const lastHits = isApart ? `arrayFill(one -> ${isView}, all_hits)` : "all_hits";
  const gap = names === NUMBERED_SECOND ? NUMBERED_GAP : VISIT_GAP;
  const isNumber = names === NUMBERED_SECOND || names.length === 1;
  const gaps = `arrayDifference(${isNumber ? lastHits : `arrayMap(one -> ${ofHit("second")}, ${lastHits})`})`;
  const split = isApart
    ? `arraySplit((one, gap, number) -> gap > ${gap} AND number > 1, all_hits, ${gaps}, arrayCumSum(one -> ${isView}, all_hits))`
    : `arraySplit((one, gap) -> gap > ${gap}, all_hits, ${gaps})`;
  return `
      SELECT
        day AS visit_day,
        visitor AS visitor_key,
        ${select([...listViewColumns(rows, set, question), ...listEventColumns(rows, set, question)])}
      FROM (
        SELECT
          day,
          visitor,
          arraySort(groupArray(${writeHit(names)})) AS all_hits,
          ${split} AS all_visits
        ${rows.read({ kind: hasEvents ? "hit" : "pageview", timeFilter, columns: ["day", "visitor", "time", ...names] })}
        GROUP BY day, visitor
      )
      ARRAY JOIN all_visits AS own_hits
      WHERE ${all([...(hasLooseEvents(rows) && !listsLoose ? [IS_VISIT] : []), testVisit(rows, question, set)])}`;
}
