import type { Dimension } from "../../operations/dimensions.ts";
import { isOfHit } from "../measure/definition.ts";
import type { FilterSql } from "./filter-sql.ts";
import {
  dependsOnEvents,
  type HitRows,
  hasLooseEvents,
  keepsEvents,
  listVisitConditions,
  testHit,
  testVisitRows,
} from "./hit-rows.ts";
import { byValue, type TableQueries, type TimeFilter } from "./table-queries.ts";
import { IS_VISIT, MOMENTS, nameVisitValue, select, type VisitColumn } from "./visit-columns.ts";
import { writeVisits } from "./visits.ts";

/** Writes the questions that every table answers. */
export function writeQueries(
  rows: HitRows,
  /** Columns that tell how a day was loaded: `scanner_count`, `loads` and so on. */
  loadColumns: string,
): Pick<TableQueries, "days" | "totals" | "hours" | "steps" | "breakdown" | "active"> {
  return {
    days: (timeFilter) => `
      SELECT
        day AS date,
        countIf(kind = 'pageview') AS view_count,
        ${loadColumns}
      ${rows.read({ kind: "all", timeFilter, columns: ["day", "kind"] })}
      GROUP BY date
      ORDER BY date`,

    totals: (filter, timeFilter) => {
      // Where all events of the visits count, it is enough to look at the visitors who have any.
      const isApart = rows.isExported && keepsEvents(filter) && !dependsOnEvents(filter);
      const counts = [["event_count", "sum(kept_events)"], ...countVisits(rows, "view_count")] as const;
      const countDays = (prefix: string) => `
      SELECT
        visit_day AS date,
        ${select(counts.map(([name, sql]) => [`${prefix}${name}`, sql]))}
      FROM (${writeVisits(rows, { filter, timeFilter, listsLoose: true })})
      GROUP BY date`;
      return isApart
        ? `
      SELECT date, ${counts.map(([name]) => `sum(part_${name}) AS ${name}`).join(", ")}
      FROM (${countDays("part_")} UNION ALL ${countEvents(rows, filter, timeFilter)})
      GROUP BY date
      ORDER BY date`
        : `${countDays("")}
      ORDER BY date`;
    },

    hours: (filter, timeFilter, starts) => `
      SELECT
        ${writeHourStart("moment.1", starts)} AS hour_start,
        uniqExactIf(visitor_key, moment.2 != ${MOMENTS.beginning}) AS visitor_count,
        countIf(moment.2 = ${MOMENTS.view}) AS view_count,
        countIf(moment.2 = ${MOMENTS.beginning}) AS visit_count,
        countIf(moment.2 = ${MOMENTS.beginning} AND ${rows.rule.isBounce}) AS bounce_count,
        sumIf(seconds, moment.2 = ${MOMENTS.beginning}) AS second_count
      FROM (
        SELECT
          visitor_key,
          hits,
          ${rows.isExported ? "" : "views,"}
          seconds,
          arrayJoin(arrayPushBack(kept_moments, (begin, ${MOMENTS.beginning}))) AS moment
        FROM (${writeVisits(rows, { filter, timeFilter, hasMoments: true })})
      )
      GROUP BY hour_start
      ORDER BY hour_start`,

    steps: (filter, timeFilter) => {
      const { steps } = filter;
      const isStep = (step: number) => `bitAnd(one.3, ${2 ** step}) > 0`;
      // Each step is the first such hit after the one before: `place` is its number in the visit.
      const placed = steps.reduce(
        (inner, _, step) => `
        SELECT *, ${
          step === 0
            ? `arrayFirstIndex(one -> ${isStep(0)}, kept_steps)`
            : `if(place${step - 1} = 0, 0, arrayFirstIndex((one, at) -> at > place${step - 1} AND ${isStep(step)}, kept_steps, arrayEnumerate(kept_steps)))`
        } AS place${step}
        FROM (${inner})`,
        `SELECT kept_steps FROM (${writeVisits(rows, { filter, timeFilter, hasSteps: true })})`,
      );
      return `
      SELECT
        count() AS visit_count,
        [${steps.map((_, step) => `countIf(place${step} > 0)`).join(", ")}] AS reached,
        [${steps.map((_, step) => `countIf(arrayExists(one -> ${isStep(step)}, kept_steps))`).join(", ")}] AS met
      FROM (${placed})`;
    },

    breakdown: (dimension, filter, timeFilter) => `${countValues(rows, dimension, filter, timeFilter)}
      ${byValue}`,

    active: (filter, timeFilter) =>
      choosesRows(rows, filter)
        ? `
      SELECT uniqExact(visitor) AS visitor_count
      ${rows.read({ kind: "hit", timeFilter, columns: ["visitor"], conditions: [...testHit(rows, filter, "hit"), "toUnixTimestamp(time) > {since:UInt32}"] })}`
        : `
      SELECT uniqExact(visitor_key) AS visitor_count
      FROM (${writeVisits(rows, { filter, timeFilter, onlyRecent: true })})`,
  };
}

/** Whether a filter keeps hits by what is in their own rows, whatever visit they are of. */
const choosesRows = ({ rule }: HitRows, filter: FilterSql) =>
  !rule.needsView && filter.visitHits.length + listVisitConditions(filter).length === 0;

/** Counts the visitors of visits, among which may be events of nobody's visit. */
const countVisitors = (rows: HitRows) =>
  hasLooseEvents(rows) ? `uniqExactIf(visitor_key, ${IS_VISIT})` : "uniqExact(visitor_key)";

/** Counts visits and their kept page views. */
const countVisits = (rows: HitRows, views: string): VisitColumn[] => {
  const isLoose = hasLooseEvents(rows);
  return [
    ["visitor_count", countVisitors(rows)],
    [views, "sum(kept_views)"],
    ["visit_count", isLoose ? `countIf(${IS_VISIT})` : "count()"],
    ["bounce_count", `countIf(${rows.rule.isBounce})`],
    ["second_count", isLoose ? `sumIf(seconds, ${IS_VISIT})` : "sum(seconds)"],
  ];
};

/** Counts the values of a dimension, without GROUP BY. */
export function countValues(
  rows: HitRows,
  dimension: Dimension,
  filter: FilterSql,
  timeFilter: TimeFilter,
): string {
  if (!isOfHit(dimension)) {
    return `
      SELECT
        ${nameVisitValue(dimension)} AS value,
        ${select(countVisits(rows, "hit_count"))}
      FROM (${writeVisits(rows, { filter, timeFilter, dimension })})`;
  }
  const isPages = dimension === "pages";
  const choosesVisits = listVisitConditions(filter).length > 0;
  const needsVisits = !isPages && hasLooseEvents(rows);
  // The page views of an export have their visit's values.
  if (!needsVisits && filter.visitHits.length === 0 && (!choosesVisits || (rows.isExported && isPages))) {
    const kind = isPages ? "pageview" : "event";
    const ofVisit = rows.isExported ? testVisitRows(rows, filter) : [];
    return `
      SELECT
        ${isPages ? "path" : "event"} AS value,
        uniqExact(visitor) AS visitor_count,
        count() AS hit_count
      ${rows.read({ kind, timeFilter, columns: ["visitor", isPages ? "path" : "event"], conditions: [...ofVisit, ...testHit(rows, filter, kind)] })}`;
  }
  return `
      SELECT
        arrayJoin(kept_items) AS value,
        ${countVisitors(rows)} AS visitor_count,
        count() AS hit_count
      FROM (${writeVisits(rows, { filter, timeFilter, items: dimension, onlyWithEvents: !isPages, listsLoose: true })})`;
}

/** The events of the visits that a filter keeps, of which it keeps all. */
const countEvents = (rows: HitRows, filter: FilterSql, timeFilter: TimeFilter) =>
  filter.visitHits.length + listVisitConditions(filter).length > 0
    ? `
        SELECT visit_day AS date, sum(kept_events), 0, 0, 0, 0, 0
        FROM (${writeVisits(rows, { filter, timeFilter, onlyWithEvents: true })})
        GROUP BY date`
    : `
        SELECT day AS date, count(), 0, 0, 0, 0, 0
        ${rows.read({ kind: "event", timeFilter, columns: [] })}
        GROUP BY date`;

const HOUR = 3600;

/**
 * SQL of the start of a second's hour. Hours are 3,600 seconds apart, except where the clocks are changed. The starts are written into
 * the SQL, since parameters are sent in the URL, which must be short.
 *
 * @param starts In seconds since 1970, in order.
 */
function writeHourStart(second: string, starts: readonly number[]): string {
  const runs = starts.filter((start, index) => start - (starts[index - 1] ?? 0) !== HOUR);
  const [first = "0", ...others] = runs.map(
    (run) => `${run} + intDiv(${second} - ${run}, ${HOUR}) * ${HOUR}`,
  );
  return others.reduce((before, of, index) => `if(${second} < ${runs[index + 1]}, ${before}, ${of})`, first);
}
