import { type Dimension, dimensions } from "../../operations/dimensions.ts";
import { columnsOf } from "../hits.ts";
import { VISIT_GAP } from "../measure/definition.ts";
import { columnOf } from "../measure/hit-table.ts";
import type { FilterSql } from "./filter-sql.ts";
import { type HitRows, listVisitConditions, mayMatch, testHit } from "./hit-rows.ts";
import { all, type TimeFilter } from "./table-queries.ts";

export interface VisitQuestion {
  filter: FilterSql;
  timeFilter: TimeFilter;
  /** A dimension of visits, whose value is in the column that `nameVisitValue` names. */
  dimension?: Dimension;
  /** Whether `kept_items` has the path of each kept page view, or the name of each kept event. */
  items?: "pages" | "events";
  /** Whether `begin` is the second of its first hit, and `kept_moments` has its kept hits, for `countByHour`. */
  hasMoments?: boolean;
  /** Whether `kept_steps` has the second, the order and the steps of each kept hit that is one: step 0 is 1, step 1 is 2, step 2 is 4. */
  hasSteps?: boolean;
  /** Whether visits without events do not matter. */
  onlyWithEvents?: boolean;
  /** Whether events of nobody's visit are listed, too, as visits that do not meet `IS_VISIT`. */
  listsLoose?: boolean;
  /** Whether only hits after `since` are kept. */
  onlyRecent?: boolean;
}

/** The column of a visit's value. */
export const nameVisitValue = (dimension: Dimension) => `visit_${dimension}`;

/** The kinds of what happens in a visit. */
export const MOMENTS = { event: 0, view: 1, beginning: 2 } as const;

export const SECOND = "toUnixTimestamp(time)";

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
export const inGroup = (isView: string): HitSet => ({
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

export const IS_VIEW = "kind = 'pageview'";
export const IS_EVENT = "kind = 'event'";

/** Whether a visit is one, where it needs a page view. */
export const IS_VISIT = "views > 0";

/** `kind_number` is 0 for a page view, 1 for an event, 2 for all else. */
const KINDS = 8;

/** The columns of hits that are one number, since an array of numbers is sorted in half the time of one of pairs. */
export const NUMBERED_SECOND: readonly string[] = ["second", "kind_number"];
export const SECOND_AND_KIND = `${SECOND} * ${KINDS} + kind_number`;
/** Between that of two hits without a pause there is at most this much, whatever their kinds are. */
export const NUMBERED_GAP = (VISIT_GAP + 0.5) * KINDS;

/** An array of hits by time, each with these columns; with one column, an array of its values. */
export function inArray(
  hits: string,
  columns: readonly string[],
  { isView = "0", isEvent = "1", isHit = "1" }: Partial<HitSet> = {},
): HitSet {
  const such = (condition: string) =>
    condition === "1" ? hits : `arrayFilter(one -> ${condition}, ${hits})`;
  const take = (hit: string, name: string) => {
    if (columns !== NUMBERED_SECOND)
      return columns.length === 1 ? hit : `${hit}.${columns.indexOf(name) + 1}`;
    return name === "second" ? `intDiv(${hit}, ${KINDS})` : `${hit} % ${KINDS}`;
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
      // Without a page view, a visit has the pages of its events.
      const views =
        isView === "1" ? hits : `if(arrayExists(one -> ${isView}, ${hits}), ${such(isView)}, ${hits})`;
      const isPage = columnOf(dimension) === "pages";
      return take(
        `${isPage || isHit === isView ? views : hits}[${dimension === "exit_pages" ? -1 : 1}]`,
        columnsOf[columnOf(dimension)],
      );
    },
  };
}

/** For rows that are page views. */
export const NO_EVENTS: HitSet = {
  ...inArray("[]", ["second", "event"]),
  count: () => "0",
  list: () => "[]",
};

/** One per visit: the name and the SQL of a column; undefined if the question does not need it. */
export type VisitColumn = readonly [name: string, sql: string];
type VisitColumns = readonly (VisitColumn | undefined)[];

export const select = (columns: readonly VisitColumn[]) =>
  columns.map(([name, sql]) => `${sql} AS ${name}`).join(",\n          ");

const listRecent = ({ column }: HitSet, { onlyRecent }: VisitQuestion) =>
  onlyRecent ? [`${column("second")} > {since:UInt32}`] : [];

/** The kept hits that are steps, by their second, their order in it, and which steps they are. */
function listSteps(
  rows: HitRows,
  { column, list }: HitSet,
  { filter }: VisitQuestion,
  kind: "pageview" | "event",
  isKept: string,
): string {
  const met = filter.steps.map((step) => mayMatch(rows, step, kind, column));
  const flags = met.map((isMet, step) => `if(${isMet}, ${2 ** step}, 0)`).join(" + ");
  const isStep = all([isKept, `(${met.join(" OR ")})`]);
  return list(`(${column("second")}, ${column("sequence")}, toUInt32(${flags}))`, isStep);
}

export function listViewColumns(rows: HitRows, set: HitSet, question: VisitQuestion): VisitColumn[] {
  const { filter, items, hasMoments, hasSteps } = question;
  const { isView, isHit, column, count, list, ends } = set;
  const isKept = all([isView, ...testHit(rows, filter, "pageview", column), ...listRecent(set, question)]);
  const [first, last] = ends(isHit);
  const moments = list(`(${column("second")}, ${MOMENTS.view})`, isKept);
  const columns: VisitColumns = [
    ["hits", count(isHit)],
    rows.isExported ? undefined : ["views", count(isView)],
    ["seconds", `toUInt64(${last} - ${first})`],
    ["kept_views", count(isKept)],
    hasMoments ? ["begin", first] : undefined,
    hasMoments ? ["view_moments", moments] : undefined,
    hasSteps ? ["view_steps", listSteps(rows, set, question, "pageview", isKept)] : undefined,
    items === "pages" ? ["kept_items", list(column("path"), isKept)] : undefined,
    ...countMatching(rows, set, filter, "pageview"),
    ...listValues(rows, question).map((each): VisitColumn => [nameVisitValue(each), set.readValue(each)]),
  ];
  return columns.filter((column) => column !== undefined);
}

export function listEventColumns(rows: HitRows, set: HitSet, question: VisitQuestion): VisitColumn[] {
  const { filter, items, hasMoments, hasSteps } = question;
  const { isView, isEvent, column, count, list } = set;
  const tests = [...testHit(rows, filter, "event", column), ...listRecent(set, question)];
  const isKept = all([isEvent, ...tests]);
  const isOther = all([rows.rule.hits === "all" ? `NOT (${isView})` : isEvent, ...tests]);
  const moments = list(`(${column("second")}, ${MOMENTS.event})`, isOther);
  const steps = listSteps(rows, set, question, "event", isKept);
  const columns: VisitColumns = [
    ["kept_events", count(isKept)],
    hasMoments ? ["kept_moments", `arrayConcat(view_moments, ${moments})`] : undefined,
    hasSteps ? ["kept_steps", `arraySort(arrayConcat(view_steps, ${steps}))`] : undefined,
    items === "events" ? ["kept_items", list(column("event"), isKept)] : undefined,
    ...countMatching(rows, set, filter, "event"),
  ];
  return columns.filter((column) => column !== undefined);
}

/** How many hits of a kind decide each of the conditions on visits by any of their hits. */
const countMatching = (
  rows: HitRows,
  { isView, isEvent, column, count }: HitSet,
  filter: FilterSql,
  kind: "pageview" | "event",
) =>
  listByHit(filter).map(
    (condition, index): VisitColumn => [
      `matching_${kind}s${index}`,
      count(all([kind === "event" ? isEvent : isView, mayMatch(rows, condition, kind, column)])),
    ],
  );

/** The conditions on visits by any of their hits. */
const listByHit = ({ visitHits }: FilterSql) =>
  visitHits.filter(({ dimension }) => dimension !== "hostnames");

/** The dimensions whose values a visit needs. The rows of an export have been tested before. */
export const listValues = ({ isExported }: HitRows, { dimension, filter }: VisitQuestion) =>
  dimensions.filter(
    (each) =>
      each === dimension ||
      (!isExported && listVisitConditions(filter).some((condition) => condition.dimension === each)),
  );

/** Whether a visit has a hit that is kept; of no kind that `rows` does not tell apart. */
const testKept = (rows: HitRows, question: VisitQuestion, set: HitSet | undefined): string[] => {
  if (set === undefined) return ["kept_views + kept_events > 0"];
  const tests = [...testHit(rows, question.filter, "hit", set.column), ...listRecent(set, question)];
  return tests.length === 0 ? [] : [`${set.count(all(tests))} > 0`];
};

/** Whether a visit is kept, by its columns. */
export const testVisit = (rows: HitRows, question: VisitQuestion, set?: HitSet) =>
  all([
    ...testKept(rows, question, set),
    ...listByHit(question.filter).map(
      ({ isNot }, index) => `matching_pageviews${index} + matching_events${index} ${isNot ? "=" : ">"} 0`,
    ),
    ...(rows.isExported ? [] : listVisitConditions(question.filter)).map(({ dimension, isMetBy }) =>
      isMetBy(nameVisitValue(dimension)),
    ),
  ]);
