import type { Dimension } from "../../operations/dimensions.ts";
import type { Condition, Filter } from "../../operations/filter.ts";
import { createMatch, type Match } from "../../operations/filter-matching.ts";
import { isOfHit, OTHER } from "./definition.ts";
import { columnOf, type HitColumn, type HitDimension, type HitTable } from "./hit-table.ts";
import { findVisits, rowsOfValues, type Visits } from "./visits.ts";

/** What a filter keeps of a table. */
export interface KeptHits {
  table: HitTable;
  visits: Visits;
  /** By row, whether it is kept; absent if all are. */
  isKept?: Uint8Array;
  /** What may be kept, if that is more: values that were folded can be those that the filter asks for. */
  most?: KeptHits;
}

export const keepAll = (table: HitTable): KeptHits => ({ table, visits: findVisits(table) });

/** Creates a function that chooses the hits of a table. */
export function createHitFilter(filter: Filter): (table: HitTable) => KeptHits {
  if (filter.length === 0) return keepAll;
  const conditions = filter.map((condition) => {
    const isOfAnyHit = isOfHit(condition.dimension) && condition.ofVisit === true;
    // Of visits without such a hit, those with one are found first.
    const match = createMatch(isOfAnyHit ? { ...condition, isNot: false } : condition);
    return { ...condition, match, isOfAnyHit };
  });
  return (table) => {
    const visits = findVisits(table);
    const judged = conditions.map(({ match, ...condition }) => {
      const { numbers, texts } = table.column(columnOf(condition.dimension));
      return { ...condition, numbers, verdicts: judge(texts, match) };
    });
    const choose = (isLenient: boolean) => chooseRows(table, visits, judged, isLenient);
    const isKept = choose(false);
    if (!judged.some(({ verdicts }) => verdicts.includes(UNKNOWN))) return { table, isKept, visits };
    const mayBeKept = choose(true);
    const isMore = mayBeKept.some((kept, row) => kept !== isKept[row]);
    return { table, isKept, visits, ...(isMore && { most: { table, isKept: mayBeKept, visits } }) };
  };
}

/** A condition, and what it says about the rows of a table. */
interface Judged extends Pick<Condition, "dimension" | "isNot"> {
  isOfAnyHit: boolean;
  numbers: HitColumn["numbers"];
  /** By number of a value. */
  verdicts: Uint8Array;
}

/** By row, whether it is kept. */
function chooseRows(
  table: HitTable,
  visits: Visits,
  conditions: readonly Judged[],
  isLenient: boolean,
): Uint8Array {
  const isVisitKept = new Uint8Array(visits.count).fill(1);
  const ofHits = conditions.filter(({ dimension, isOfAnyHit }) => isOfHit(dimension) && !isOfAnyHit);
  for (const condition of conditions) {
    if (condition.isOfAnyHit) chooseVisitsByHits(condition, table, visits, isVisitKept, isLenient);
    else if (!isOfHit(condition.dimension)) chooseVisits(condition, visits, isVisitKept, isLenient);
  }
  const isKept = new Uint8Array(table.length);
  for (let row = 0; row < table.length; row++) isKept[row] = isVisitKept[visits.ofRow[row] ?? 0] ?? 0;
  for (const { numbers, verdicts } of ofHits) {
    for (let row = 0; row < table.length; row++)
      if (!accepts(verdicts[numbers[row] ?? 0], isLenient)) isKept[row] = 0;
  }
  return isKept;
}

/** The dimensions whose values must be in a table for these questions. */
export function listColumns(filter: Filter, dimension?: Dimension): HitDimension[] {
  const asked = filter.map((condition) => condition.dimension);
  return [...new Set([...asked, ...(dimension === undefined ? [] : [dimension])].map(columnOf))];
}

/**
 * What a condition says about a value. What was folded into `OTHER` can be any value: it is kept only by a lenient choice, for the
 * upper end of a range.
 */
const NOT_MET = 0;
const MET = 1;
const UNKNOWN = 2;

/** Asks each value once, not each row. */
export function judge(texts: HitColumn["texts"], match: Match): Uint8Array {
  const verdicts = new Uint8Array(texts.length);
  texts.forEach((text, number) => {
    if (text === OTHER) verdicts[number] = UNKNOWN;
    else verdicts[number] = match(text) ? MET : NOT_MET;
  });
  return verdicts;
}

/** Whether a verdict keeps what it is about; if lenient, also what it may be about. */
export const accepts = (verdict = NOT_MET, isLenient = false) =>
  verdict === MET || (isLenient && verdict === UNKNOWN);

/** Drops the visits that do not meet a condition on them. */
function chooseVisits(
  { dimension, numbers, verdicts }: Judged,
  visits: Visits,
  isVisitKept: Uint8Array,
  isLenient: boolean,
): void {
  const rows = rowsOfValues(visits, dimension);
  for (let visit = 0; visit < visits.count; visit++)
    if (!accepts(verdicts[numbers[rows[visit] ?? 0] ?? 0], isLenient)) isVisitKept[visit] = 0;
}

/** Drops the visits without a hit that matches; with `isNot`, those that have one, or may have unless the choice is lenient. */
function chooseVisitsByHits(
  { isNot, numbers, verdicts }: Judged,
  table: HitTable,
  { count, ofRow }: Visits,
  isVisitKept: Uint8Array,
  isLenient: boolean,
): void {
  /** All verdicts about the visit's hits, as bits. */
  const found = new Uint8Array(count);
  for (let row = 0; row < table.length; row++) {
    const visit = ofRow[row] ?? 0;
    found[visit] = (found[visit] ?? 0) | (verdicts[numbers[row] ?? 0] ?? NOT_MET);
  }
  for (let visit = 0; visit < count; visit++) {
    const bits = found[visit] ?? 0;
    const isMet = isNot
      ? (isLenient ? bits & MET : bits) === NOT_MET
      : (bits & MET) !== 0 || accepts(bits, isLenient);
    if (!isMet) isVisitKept[visit] = 0;
  }
}
