import type { VisitTotals } from "../data-source.ts";

export interface HitTotals extends VisitTotals {
  visitors: number;
  pageviews: number;
  events: number;
}

/** The values of a dimension on one day, with their counts. */
export interface Tallies {
  values: readonly (string | null)[];
  visitors: ArrayLike<number>;
  hits: ArrayLike<number>;
  /** Absent for pages and events, which single hits have. */
  ofVisits?: VisitTallies | undefined;
}

/** By value, as `values`. */
export type VisitTallies = Readonly<Record<keyof VisitTotals, ArrayLike<number>>>;
