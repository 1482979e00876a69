import type { Dimension } from "../../operations/dimensions.ts";
import { isOfHit } from "./definition.ts";
import type { KeptHits } from "./hit-filter.ts";
import { columnOf } from "./hit-table.ts";
import { createTally, type HitTotals, type Tallies } from "./tallies.ts";
import { rowsOfValues } from "./visits.ts";

/** What is counted of a table. */
export interface KeptCounts {
  totals: HitTotals;
  /** Counts the values of a dimension; undefined if there is nothing. */
  tally(dimension: Dimension): Tallies | undefined;
}

/** Counts the kept hits of a table, and the visits with such a hit, each as a whole. */
export function countKept(kept: KeptHits): KeptCounts {
  const { visits } = kept;
  const { totals, isVisitKept, views } = countRows(kept);
  for (let visit = 0; visit < visits.count; visit++) {
    if (isVisitKept[visit] === 0) continue;
    totals.visits++;
    totals.bounces += visits.bounces[visit] ?? 0;
    totals.visitSeconds += visits.seconds[visit] ?? 0;
  }
  return {
    totals,
    tally: (dimension) =>
      isOfHit(dimension)
        ? tallyHits(kept, dimension)
        : tallyVisits(kept, { totals, isVisitKept, views }, dimension),
  };
}

/** Distinct visitors with a kept hit after an instant. */
export function countActive({ table, isKept }: KeptHits, after: number): number {
  let [visitors, last] = [0, 0];
  for (let row = 0; row < table.length; row++) {
    if (isKept?.[row] === 0 || (table.times[row] ?? 0) <= after || table.visitors[row] === last) continue;
    visitors++;
    last = table.visitors[row] ?? 0;
  }
  return visitors;
}

/** By visit, whether it has a kept hit, and how many page views are kept. */
interface KeptVisits {
  totals: HitTotals;
  isVisitKept: Uint8Array;
  views: Uint32Array;
}

function countRows({ table, isKept, visits }: KeptHits): KeptVisits {
  const { length, visitors, events } = table;
  const totals = { visitors: 0, pageviews: 0, events: 0, visits: 0, bounces: 0, visitSeconds: 0 };
  const [isVisitKept, views] = [new Uint8Array(visits.count), new Uint32Array(visits.count)];
  let last = 0;
  for (let row = 0; row < length; row++) {
    if (isKept?.[row] === 0) continue;
    const visit = visits.ofRow[row] ?? 0;
    isVisitKept[visit] = 1;
    if (events[row] === 0) {
      totals.pageviews++;
      views[visit] = (views[visit] ?? 0) + 1;
    } else totals.events++;
    if (visitors[row] === last) continue;
    totals.visitors++;
    last = visitors[row] ?? 0;
  }
  return { totals, isVisitKept, views };
}

/** Counts the kept page views by page, or the kept events by name. */
function tallyHits({ table, isKept }: KeptHits, dimension: "pages" | "events"): Tallies | undefined {
  const { length, visitors, events } = table;
  const { numbers, texts } = table.column(dimension);
  const tally = createTally(texts);
  const kind = dimension === "events" ? 1 : 0;
  for (let row = 0; row < length; row++) {
    if (isKept?.[row] === 0 || events[row] !== kind) continue;
    tally.addHits(numbers[row] ?? 0, visitors[row] ?? 0, 1);
  }
  return tally.finish();
}

/** Counts the visits with a kept hit by a value that whole visits have. */
function tallyVisits(
  { table, visits }: KeptHits,
  { totals, isVisitKept, views }: KeptVisits,
  dimension: Dimension,
): Tallies | undefined {
  const { numbers, texts } = table.column(columnOf(dimension));
  if (texts.length === 1) return totals.visits === 0 ? undefined : tallyAll(texts, totals);
  const tally = createTally(texts, visits);
  const rows = rowsOfValues(visits, dimension);
  for (let visit = 0; visit < visits.count; visit++) {
    if (isVisitKept[visit] === 0) continue;
    const row = rows[visit] ?? 0;
    const value = numbers[row] ?? 0;
    tally.addHits(value, table.visitors[row] ?? 0, views[visit] ?? 0);
    tally.addVisit(value, visit);
  }
  return tally.finish();
}

/** All visits have the same value: of most logs, half of the dimensions. */
const tallyAll = (
  values: Tallies["values"],
  { visitors, pageviews, visits, bounces, visitSeconds }: HitTotals,
): Tallies => ({
  values,
  visitors: [visitors],
  hits: [pageviews],
  ofVisits: { visits: [visits], bounces: [bounces], visitSeconds: [visitSeconds] },
});
