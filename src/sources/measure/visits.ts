import type { Dimension } from "../../operations/dimensions.ts";
import { EVENT_LEAD, isBounce, VISIT_GAP } from "./definition.ts";
import type { HitTable } from "./hit-table.ts";

/** The visits of a table by number, in the order of their first page views in it. */
export interface Visits {
  readonly count: number;
  /** By visit, the rows of its first and its last page view. */
  readonly first: Uint32Array;
  readonly last: Uint32Array;
  /** By visit, from its first hit to its last. */
  readonly seconds: Uint32Array;
  /** By visit, 1 if it is a bounce. */
  readonly bounces: ArrayLike<number>;
  /** By row, the visit that it belongs to. */
  readonly ofRow: Uint32Array;
}

/**
 * Numbers the visits of each visitor by the pauses between page views, for a source in which events are no hits: they neither
 * begin nor extend a visit. A visitor's rows are by time.
 */
export function numberVisits({
  length,
  visitors,
  times,
  events,
}: Pick<HitTable, "length" | "visitors" | "times" | "events">): Uint32Array {
  const visits = new Uint32Array(length);
  let [visitor, number, last] = [0, 0, 0];
  for (let row = 0; row < length; row++) {
    if (events[row] !== 0) continue;
    const time = times[row] ?? 0;
    if (visitors[row] !== visitor) {
      visitor = visitors[row] ?? 0;
      number = 1;
    } else if (time - last > VISIT_GAP) number++;
    last = time;
    visits[row] = number;
  }
  return visits;
}

const found = new WeakMap<HitTable, Visits>();

/** Finds the visits of a table once, whatever is asked about it. */
export function findVisits(table: HitTable): Visits {
  const visits = found.get(table) ?? summarizeVisits(table);
  found.set(table, visits);
  return visits;
}

function summarizeVisits(table: HitTable): Visits {
  const { count, ofRow } = assignVisits(table);
  const { visits, times, events } = table;
  const [first, last] = [new Uint32Array(count), new Uint32Array(count)];
  const [hits, seconds] = [new Uint32Array(count), new Uint32Array(count)];
  for (let row = 0; row < table.length; row++) {
    if (visits[row] === 0) continue;
    const visit = ofRow[row] ?? 0;
    if (hits[visit] === 0) first[visit] = row;
    if (events[row] === 0) last[visit] = row;
    hits[visit] = (hits[visit] ?? 0) + 1;
    seconds[visit] = (times[row] ?? 0) - (times[first[visit] ?? 0] ?? 0);
  }
  const bounces = hits.map((count, visit) => Number(isBounce({ hits: count, seconds: seconds[visit] ?? 0 })));
  return { count, first, last, seconds, bounces, ofRow };
}

/**
 * Numbers the visits of all visitors, and finds the rows of each. An event that is no hit of a visit belongs to the one that its
 * visitor began last before it, or at most `EVENT_LEAD` after it, else to their first one.
 */
function assignVisits({ length, visitors, visits, times }: HitTable): Pick<Visits, "count" | "ofRow"> {
  const ofRow = new Uint32Array(length);
  let count = 0;
  /** Of the visitor: the first row, and the visit's number among theirs. */
  let [visitor, start, current] = [0, 0, 0];
  for (let row = 0; row < length; row++) {
    if (visitors[row] !== visitor) {
      visitor = visitors[row] ?? 0;
      start = row;
      current = 0;
    }
    const number = visits[row] ?? 0;
    if (number !== 0 && number !== current) {
      const from = current === 0 ? start : findLead(times, row, start);
      for (let at = row - 1; at >= from && visits[at] === 0; at--) ofRow[at] = count;
      count++;
      current = number;
    }
    if (current !== 0) ofRow[row] = count - 1;
  }
  return { count, ofRow };
}

/** The first row, from `start` on, whose events may belong to a visit that begins with a row. */
function findLead(times: Uint32Array, row: number, start: number): number {
  const earliest = (times[row] ?? 0) - EVENT_LEAD;
  let first = row;
  while (first > start && (times[first - 1] ?? 0) >= earliest) first--;
  return first;
}

/** By visit, the row that has its value of a dimension. */
export const rowsOfValues = ({ first, last }: Visits, dimension: Dimension): Uint32Array =>
  dimension === "exit_pages" ? last : first;
