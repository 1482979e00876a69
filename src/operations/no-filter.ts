import { AnalyticsError } from "../errors.ts";
import type { Dimension } from "./dimensions.ts";

const DETAIL = "cannot be used: this service does not offer filters";

/** A list of a service without filters. */
export interface UnfilteredList {
  dimension: Dimension;
  /** Whether it is for so many days up to today. */
  has(days: number): boolean;
  /** Whether it is for the days of any period. */
  offersPeriods: boolean;
}

/** Nothing was asked: the service would have ignored the filter, or refused it in its own words. */
export class NoFilterError extends AnalyticsError {
  /** The list whose rows are totals by a filter like the one that was given. */
  readonly list: UnfilteredList | undefined;

  constructor(list?: UnfilteredList) {
    super("invalid_parameter", `filter ${DETAIL}.`, {
      hint: "Its lists rank the values of one dimension, such as pages.",
      next: [{ why: "Without it", params: { filter: undefined } }],
      parameters: [{ parameter: "filter", detail: DETAIL }],
    });
    this.list = list;
  }
}
