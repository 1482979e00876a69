import type { Dimension } from "../../operations/dimensions.ts";

/**
 * Hits of one day, as sources give them to be counted: all hits of its visitors, each of whom has a page view.
 *
 * @example
 * // Two visits of one visitor: a page view and an event that is a hit of the visit, and later another page view.
 * const table = {
 *   length: 3,
 *   visitors: Uint32Array.of(1, 1, 1),
 *   visits: Uint32Array.of(1, 1, 2),
 *   times: Uint32Array.of(60, 70, 9_000),
 *   events: Uint8Array.of(0, 1, 0),
 *   column: () => ({ numbers: Uint32Array.of(1, 1, 2), texts: [null, "/", "/pricing"] }),
 * };
 * countKept(keepAll(table)).totals; // { visitors: 1, pageviews: 2, events: 1, visits: 2, bounces: 1, visitSeconds: 10 }
 */
export interface HitTable {
  readonly length: number;
  /** By row: a number above 0. All rows of a visitor follow each other. */
  readonly visitors: Uint32Array;
  /**
   * By row: the number, from 1, of the visit among those of the visitor; 0 for an event that is no hit of a visit (`numberVisits`).
   * All hits of a visit follow each other by time, and the first one is a page view.
   */
  readonly visits: Uint32Array;
  /** By row, in seconds since the same instant. */
  readonly times: Uint32Array;
  /** By row: 1 for an event, 0 for a page view. */
  readonly events: Uint8Array;
  column(dimension: HitDimension): HitColumn;
}

/** Entry and exit page are pages, of the first and the last page view of a visit. */
export type HitDimension = Exclude<Dimension, "entry_pages" | "exit_pages">;

/** What a source knows of whole visits, whose pages are those of their hits. */
export type VisitDimension = Exclude<HitDimension, "pages" | "events">;

export interface HitColumn {
  /**
   * By row, the number of its value; shorter if the rest is 0. What a whole visit has in common may be only in the row of its
   * first page view.
   */
  readonly numbers: Uint32Array;
  /** By number, each once. If there is one alone, all rows have it. */
  readonly texts: readonly (string | null)[];
}

/** The column that has the values of a dimension. */
export const columnOf = (dimension: Dimension): HitDimension =>
  dimension === "entry_pages" || dimension === "exit_pages" ? "pages" : dimension;

/** The text of each thing, with each text once: several things, such as origins, have the same. */
export function numberTexts(list: readonly (string | null)[]): HitColumn {
  const known = new Map<string | null, number>();
  const numbers = new Uint32Array(list.length);
  for (const [row, text] of list.entries()) {
    const number = known.get(text) ?? known.size;
    if (number === known.size) known.set(text, number);
    numbers[row] = number;
  }
  if (known.size > 1) return { numbers, texts: [...known.keys()] };
  return oneText(list[0] ?? null);
}

/** A column in which all rows have the same. */
export const oneText = (text: string | null): HitColumn => ({ numbers: new Uint32Array(0), texts: [text] });
