import type { VisitTotals } from "../data-source.ts";
import type { HitColumn } from "./hit-table.ts";
import type { Visits } from "./visits.ts";

export interface HitTotals extends VisitTotals {
  visitors: number;
  pageviews: number;
  events: number;
}

/** The values of a dimension on one day, with their counts. */
export interface Tallies {
  values: readonly (string | null)[];
  visitors: ArrayLike<number>;
  /** Page views; for the dimension `events`, events. */
  hits: ArrayLike<number>;
  /** Absent for pages and events, which single hits have. */
  ofVisits?: VisitTallies | undefined;
}

/** By value, as `values`. */
export type VisitTallies = Readonly<Record<keyof VisitTotals, ArrayLike<number>>>;

/**
 * Counts values by their numbers in a column. Visitors come one after the other.
 *
 * @param measured The visits that are counted with their values; absent for values of single hits.
 */
export function createTally(texts: HitColumn["texts"], measured?: Visits) {
  const create = () => new Uint32Array(texts.length);
  const [visitors, hits, last] = [create(), create(), create()];
  const size = measured === undefined ? 0 : texts.length;
  const [visits, bounces] = [new Uint32Array(size), new Uint32Array(size)];
  // All visits of a large day together can have more seconds than 32 bits hold.
  const visitSeconds = new Float64Array(size);
  return {
    addHits: (value: number, visitor: number, more: number) => {
      hits[value] = (hits[value] ?? 0) + more;
      if (last[value] === visitor) return;
      last[value] = visitor;
      visitors[value] = (visitors[value] ?? 0) + 1;
    },
    addVisit: (value: number, visit: number) => {
      visits[value] = (visits[value] ?? 0) + 1;
      bounces[value] = (bounces[value] ?? 0) + (measured?.bounces[visit] ?? 0);
      visitSeconds[value] = (visitSeconds[value] ?? 0) + (measured?.seconds[visit] ?? 0);
    },
    /** Undefined if nothing was added. */
    finish: (): Tallies | undefined => {
      const used = Array.from(visitors.keys()).filter((value) => visitors[value] !== 0);
      if (used.length === 0) return undefined;
      const pick = (counts: Uint32Array | Float64Array) => used.map((value) => counts[value] ?? 0);
      return {
        values: used.map((value) => texts[value] ?? null),
        visitors: pick(visitors),
        hits: pick(hits),
        ...(measured && {
          ofVisits: { visits: pick(visits), bounces: pick(bounces), visitSeconds: pick(visitSeconds) },
        }),
      };
    },
  };
}
