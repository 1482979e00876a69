import type { Dimension } from "../../operations/dimensions.ts";

/** What is kept of a day: no address, no user agent, nothing about one person. */
export interface DayCounts {
  totals: { visitors: number; pageviews: number; events: number };
  tallies: Columns;
  /** What was left out because its sender is a scanner. */
  scanners: { senders: number; pageviews: number };
  /** Whether the addresses are a proxy's. */
  isProxied: boolean;
}

/** The values of a dimension on one day, as numbers of `values.ts`, with their counts. */
export interface Tallies {
  values: Uint32Array;
  visitors: Uint32Array;
  hits: Uint32Array;
}

export type Columns = Map<Dimension, Tallies>;
