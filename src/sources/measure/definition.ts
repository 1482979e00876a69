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
 * tallies.ts        the counts of the values of a dimension
 * ranking.ts        adds up days, and puts values in order
 *
 * This folder imports the contract, and nothing of a source. Sources import it, and decide none of this themselves.
 */

/** A visit ends after this many seconds without a hit. */
export const VISIT_GAP = 30 * 60;

/** In place of all values beyond the limits of what a source keeps. It stands for any value. */
export const OTHER = "(other)";
