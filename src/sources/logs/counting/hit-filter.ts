import type { Dimension } from "../../../operations/dimensions.ts";
import type { Condition, Filter } from "../../../operations/filter.ts";
import type { VisitTotals } from "../../data-source.ts";
import { createMatch, type Match } from "../../filter-matching.ts";
import { OTHER } from "../../measure/definition.ts";
import type { HitTotals, Tallies } from "../../measure/tallies.ts";
import { createGrowingTally, type GrowingTally } from "./growing-tally.ts";
import type { HitColumn, HitDimension, HitTable } from "./hit-table.ts";

/** What a filter keeps of a table. */
export interface KeptHits {
  table: HitTable;
  /** By row, whether it is kept. */
  isKept: Uint8Array;
  visits: CutVisits;
}

/** The visits of a table, in order, by number. */
interface CutVisits {
  count: number;
  /** The rows of its first and its last page view. */
  first: Uint32Array;
  last: Uint32Array;
  /** How many page views it has. */
  views: Uint32Array;
  /** By row, the number of the visit that it belongs to. */
  ofRow: Uint32Array;
}

/** Creates a function that chooses the hits of a table. */
export function createHitFilter(filter: Filter): (table: HitTable) => KeptHits {
  const prepare = (conditions: Filter) =>
    conditions.map((condition) => ({ ...condition, match: createMatch(condition) }));
  const ofVisits = prepare(filter.filter(({ dimension }) => !isOfHit(dimension)));
  const ofHits = prepare(filter.filter(({ dimension, ofVisit }) => isOfHit(dimension) && !ofVisit));
  const ofAnyHit = filter.filter(({ dimension, ofVisit }) => isOfHit(dimension) && ofVisit);
  return (table) => {
    const visits = cutVisits(table);
    const isVisitKept = new Uint8Array(visits.count).fill(1);
    for (const condition of ofVisits) chooseVisits(condition, table, visits, isVisitKept);
    for (const condition of ofAnyHit) chooseVisitsByHits(condition, table, visits, isVisitKept);
    const isKept = new Uint8Array(table.length);
    for (let row = 0; row < table.length; row++) isKept[row] = isVisitKept[visits.ofRow[row] ?? 0] ?? 0;
    for (const condition of ofHits) chooseHits(condition, table, isKept);
    return { table, isKept, visits };
  };
}

type Prepared = Condition & { match: Match };

/** The dimensions whose values must be in a table for these questions. */
export function listColumns(filter: Filter, dimension?: Dimension): HitDimension[] {
  const asked = filter.map((condition) => condition.dimension);
  return [...new Set([...asked, ...(dimension === undefined ? [] : [dimension])].map(columnOf))];
}

/** Whether the hits of a visit differ in the dimension. They all have the visit's host name. */
const isOfHit = (dimension: Dimension) => dimension === "pages" || dimension === "events";

const columnOf = (dimension: Dimension): HitDimension =>
  dimension === "entry_pages" || dimension === "exit_pages" ? "pages" : dimension;

/** By visit, the row that has its value. */
const rowsOf = (dimension: Dimension, { first, last }: CutVisits) =>
  dimension === "exit_pages" ? last : first;

/** What a condition says about a value. What was folded into `OTHER` can be any value, so no condition keeps it. */
const NOT_MET = 0;
const MET = 1;
const UNKNOWN = 2;

/** Asks each value once, not each row. */
function judge(texts: HitColumn["texts"], match: Match): Uint8Array {
  const verdicts = new Uint8Array(texts.length);
  texts.forEach((text, number) => {
    if (text === OTHER) verdicts[number] = UNKNOWN;
    else verdicts[number] = match(text) ? MET : NOT_MET;
  });
  return verdicts;
}

/** Drops the visits that do not meet a condition on them. */
function chooseVisits(
  { dimension, match }: Prepared,
  table: HitTable,
  visits: CutVisits,
  isVisitKept: Uint8Array,
): void {
  const { numbers, texts } = table.column(columnOf(dimension));
  const verdicts = judge(texts, match);
  const rows = rowsOf(dimension, visits);
  for (let visit = 0; visit < visits.count; visit++)
    if (verdicts[numbers[rows[visit] ?? 0] ?? 0] !== MET) isVisitKept[visit] = 0;
}

/** Drops the visits without a hit that matches; with `isNot`, those that have one, or may have. */
function chooseVisitsByHits(
  { dimension, alternatives, isNot }: Condition,
  table: HitTable,
  { count, ofRow }: CutVisits,
  isVisitKept: Uint8Array,
): void {
  const { numbers, texts } = table.column(columnOf(dimension));
  const verdicts = judge(texts, createMatch({ alternatives, isNot: false }));
  /** All verdicts about the visit's hits, as bits. */
  const found = new Uint8Array(count);
  for (let row = 0; row < table.length; row++) {
    const visit = ofRow[row] ?? 0;
    found[visit] = (found[visit] ?? 0) | (verdicts[numbers[row] ?? 0] ?? NOT_MET);
  }
  for (let visit = 0; visit < count; visit++) {
    const bits = found[visit] ?? 0;
    const isMet = isNot ? bits === NOT_MET : (bits & MET) !== 0;
    if (!isMet) isVisitKept[visit] = 0;
  }
}

/** Drops the hits that do not meet a condition on them. */
function chooseHits({ dimension, match }: Prepared, table: HitTable, isKept: Uint8Array): void {
  const { numbers, texts } = table.column(columnOf(dimension));
  const verdicts = judge(texts, match);
  for (let row = 0; row < table.length; row++) if (verdicts[numbers[row] ?? 0] !== MET) isKept[row] = 0;
}

/** Finds the visits. An event belongs to the visit that its visitor began last before it, else to their first one. */
function cutVisits(table: HitTable): CutVisits {
  const { length, visitors, visits } = table;
  const [first, last, views] = [new Uint32Array(length), new Uint32Array(length), new Uint32Array(length)];
  const ofRow = new Uint32Array(length);
  let count = 0;
  /** Of the visitor: the first row, and the visit's number among theirs. */
  let [start, current] = [0, 0];
  for (let row = 0; row < length; row++) {
    if (row === 0 || visitors[row] !== visitors[row - 1]) [start, current] = [row, 0];
    const number = visits[row] ?? 0;
    if (number !== 0 && number !== current) {
      // Lines of the same second can be in any order.
      const from = current === 0 ? start : findSecond(table, row, start);
      for (let at = row - 1; at >= from && visits[at] === 0; at--) ofRow[at] = count;
      first[count++] = row;
      current = number;
    }
    if (current === 0) continue;
    ofRow[row] = count - 1;
    if (number === 0) continue;
    last[count - 1] = row;
    views[count - 1] = (views[count - 1] ?? 0) + 1;
  }
  return { count, first, last, views, ofRow };
}

/** The first row, from `start` on, of the second of a row. */
function findSecond({ times }: HitTable, row: number, start: number): number {
  let first = row;
  while (first > start && times[first - 1] === times[row]) first--;
  return first;
}

export interface KeptCounts {
  totals: HitTotals & VisitTotals;
  /** Of the dimension that was asked for. */
  tallies: Tallies | undefined;
}

/** Counts the kept hits of a table, and those of each value of a dimension. */
export function countKept(kept: KeptHits, dimension?: Dimension): KeptCounts {
  const { table, visits } = kept;
  const { keptHits, keptViews, ...totals } = countRows(kept);
  const column = dimension && table.column(columnOf(dimension));
  const tally = column && createGrowingTally();
  const isOfVisits = dimension !== undefined && !isOfHit(dimension);
  const rows = isOfVisits ? rowsOf(dimension, visits) : undefined;
  const all = { ...totals, visits: 0, bounces: 0, visitSeconds: 0 };
  for (let visit = 0; visit < visits.count; visit++) {
    if (keptHits[visit] === 0) continue;
    const whole = measureVisit(table, visits, visit);
    all.visits++;
    if (whole.views === 1) all.bounces++;
    all.visitSeconds += whole.seconds;
    if (rows === undefined) continue;
    const row = rows[visit] ?? 0;
    tally?.add(column?.numbers[row] ?? 0, table.visitors[row] ?? 0, keptViews[visit] ?? 0, whole);
  }
  if (tally && column && !isOfVisits) tallyRows(kept, column, tally, dimension === "events");
  return { totals: all, tallies: tally?.finish((number) => column?.texts[number] ?? null) };
}

/** The page views of a visit, and the seconds from its first to its last. */
export function measureVisit({ times }: HitTable, { first, last, views }: CutVisits, visit: number) {
  const seconds = (times[last[visit] ?? 0] ?? 0) - (times[first[visit] ?? 0] ?? 0);
  return { views: views[visit] ?? 0, seconds };
}

/** Counts the kept rows: in total, and by visit. */
function countRows({ table, isKept, visits }: KeptHits) {
  const counted = { visitors: 0, pageviews: 0, events: 0 };
  const [keptHits, keptViews] = [new Uint32Array(visits.count), new Uint32Array(visits.count)];
  let last = 0;
  for (let row = 0; row < table.length; row++) {
    if (isKept[row] === 0) continue;
    const visit = visits.ofRow[row] ?? 0;
    keptHits[visit] = (keptHits[visit] ?? 0) + 1;
    if (table.visits[row] === 0) counted.events++;
    else {
      counted.pageviews++;
      keptViews[visit] = (keptViews[visit] ?? 0) + 1;
    }
    const visitor = table.visitors[row] ?? 0;
    if (visitor !== last) counted.visitors++;
    last = visitor;
  }
  return { ...counted, keptHits, keptViews };
}

/** Tallies the kept page views by page, or the kept events by name. */
function tallyRows(
  { table, isKept }: KeptHits,
  { numbers }: HitColumn,
  tally: GrowingTally,
  isOfEvents: boolean,
): void {
  for (let row = 0; row < table.length; row++) {
    if (isKept[row] === 0 || (table.visits[row] === 0) !== isOfEvents) continue;
    tally.add(numbers[row] ?? 0, table.visitors[row] ?? 0, 1);
  }
}
