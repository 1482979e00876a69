import type { Dimension } from "../../operations/dimensions.ts";

/*
 * What a visit, a bounce and a visitor are, for all sources that count in this process (docs/contract.md, "Numbers"):
 *
 * definition.ts     the rules
 * path-kinds.ts     which requests ask for a page
 * hit-table.ts      what a source has to turn its data into
 * visits.ts         finds the visits of a table
 * hit-filter.ts     chooses hits and visits
 * count.ts          counts what is kept: totals, values, visitors of the last minutes
 * hour-counts.ts    counts it by hour
 * steps.ts          counts visits that did one thing after the other
 * tallies.ts        the counts of the values of a dimension
 * ranking.ts        adds up days, and puts values in order
 *
 * This folder imports the contract, and nothing of a source. Sources import it, and decide none of this themselves.
 */

/** A visit ends after this many seconds without a hit. */
export const VISIT_GAP = 30 * 60;

/**
 * In seconds: an event that is no hit belongs to the visit that begins so soon after it. Servers write a line when the answer is
 * complete, and times are whole seconds.
 */
export const EVENT_LEAD = 1;

/** Whether a visit is a bounce, by the number of its hits, and the seconds from the first to the last of them. */
export const isBounce = ({ hits }: { hits: number; seconds: number }): boolean => hits === 1;

/** What a visit is, for sources that count in a database. */
export interface VisitRule {
  /**
   * What is a hit of a visit, which it can begin and extend: page views, also events, or also all else that a table has of its visitors.
   * An event that is no hit belongs to the visit last begun before it, or to the day's first one.
   */
  hits: "views" | "events" | "all";
  /** Whether a visit has a page view: what its visitor does without one is no visit, and they are no visitor. Its events count. */
  needsView: boolean;
  /** The same as `isBounce` in SQL, by the columns `hits`, `views` (of pages) and `seconds` of a visit. */
  isBounce: string;
}

/** The contract's rule, for all but logs. */
export const CONTRACT_RULE: VisitRule = { hits: "events", needsView: false, isBounce: "hits = 1" };

/** That of logs, whose events are downloads. */
export const LOG_RULE: VisitRule = { hits: "views", needsView: true, isBounce: "hits = 1" };

/**
 * Whether the hits of a visit differ in a dimension; all others are of whole visits. To the contract, hostnames are of hits, too
 * (`operations/filter.ts`), but here a visit has one, so that choosing its hits by it is choosing the visit.
 */
export const isOfHit = (dimension: Dimension): dimension is "pages" | "events" =>
  dimension === "pages" || dimension === "events";

/** In place of all values beyond the limits of what a source keeps. It stands for any value. */
export const OTHER = "(other)";
