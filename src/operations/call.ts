import { createParameterError } from "../errors.ts";
import type { Days } from "./days.ts";
import type { Dimension } from "./dimensions.ts";
import type { Filter } from "./filter.ts";
import type { AnswerOf, Operation, ParamsOf } from "./operation.ts";

export interface CallOptions {
  signal?: AbortSignal | undefined;
  /** Bypasses the cache, for several answers that must describe the same moment. */
  fresh?: boolean;
  /** The first day with data of each site in a list, where that takes a request for each. */
  withDates?: boolean;
  /**
   * The days to answer for, instead of those that end today; `params.days` is their number. Only for a source that
   * offers spans.
   */
  span?: Days;
  /**
   * What to count (`CallOptions` reaches every call of a report, so no part of it counts something else). Operations without
   * visitors ignore it. Throws AnalyticsError `invalid_parameter` if the source does not offer filters.
   */
  filter?: Filter;
}

/** The days with data of a site. */
export interface DataDays {
  /** The first; null if it has none. */
  since: string | null;
  /** The last that is complete, in a source that is loaded day by day. */
  until?: string | undefined;
}

/** All days of a site that a service answers for, where its list of sites does not say when the data begins. */
export interface AllDays extends Days {
  /** The first day with data, perhaps before these days; null if there is none, undefined if that is not known. */
  since: string | null | undefined;
}

/** Some days of a site, and conditions on pages and events, with `=`. */
export interface AskedSteps extends Days {
  site: string;
  steps: Filter;
}

/** Visits that took steps, one after the other: conditions on pages and events. */
export interface StepCounts {
  /** All visits. */
  visits: number;
  /** By step, how many took it and, in this order, all before it. */
  reached: readonly number[];
  /** By step, how many have such a hit, in any order. */
  met: readonly number[];
  /** The upper ends, if these are the lower ones: values that were folded may be what was asked for. */
  most?: Omit<StepCounts, "most">;
}

/**
 * Asks the data source, local or remote. It does not check the parameters: callers parse those that come from outside
 * (`parameters.ts`). Throws AnalyticsError for failures of the source.
 */
export interface Call {
  <O extends Operation>(operation: O, params: ParamsOf<O>, options?: CallOptions): Promise<AnswerOf<O>>;
  /** Returns the configured site, for queries without one. */
  readSite?(): Promise<string | undefined>;
  /** Whether the source answers an operation for any span of days. If absent, it does not. */
  offersSpans?(operation: { path: string }, options: CallOptions): Promise<boolean>;
  /** Whether the source can filter the answers of an operation. If absent, it cannot. */
  offersFilter?(operation: { path: string }, options: CallOptions): Promise<boolean>;
  /** Whether a source that can filter can list a dimension of what a filter keeps. If absent, it can. */
  answersFilter?(dimension: Dimension, filter: Filter): Promise<boolean>;
  /** Whether the source answers for hours. If absent, it does not. */
  offersHours?(options: CallOptions): Promise<boolean>;
  /** Whether the source offers an operation, or `hours`, as far as is known without a request. If absent, it may. */
  mayOffer?(operation: { name: string }): Promise<boolean>;
  /** Returns today's date at a site, by the source's clock. If absent or undefined, the time of a `/realtime` answer shows it. */
  today?(site: string, options: CallOptions): Promise<string | undefined>;
  /** Returns the dimensions that a service is known to list. If absent or undefined, it may list any. */
  listed?(options: CallOptions): Promise<readonly Dimension[] | undefined>;
  /** Whether an operation that counts days takes `days`. If absent, it does. */
  offersDays?(operation: { path: string }, options: CallOptions): Promise<boolean>;
  /** Returns the number of days nearest to some that an operation takes. If absent, it takes any. */
  fitDays?(operation: { path: string }, days: number, options: CallOptions): Promise<number>;
  /** Returns all days of a site for an operation. If absent or undefined, they follow from `data_since` of the site. */
  allDays?(operation: { path: string }, site: string, options: CallOptions): Promise<AllDays | undefined>;
  /** Returns the last of the days that `days` counts. If absent or undefined, it is today. */
  lastDay?(site: string, options: CallOptions): Promise<string | undefined>;
  /** Whether the visitors of the last `days`, day by day, add up to those of all. If absent, they do. */
  addsUp?(site: string, days: number, options: CallOptions): Promise<boolean>;
  /** Counts the visits of some days that took steps. Absent if the source cannot tell; else it throws AnalyticsError. */
  countSteps?(asked: AskedSteps, options: CallOptions): Promise<StepCounts>;
  /** Returns the first and the last day with data of a site. Absent if that would take a request to a service. */
  readDataDays?(site: string, options: CallOptions): Promise<DataDays>;
}

/** The refusal of steps by a source that cannot tell what a visit did one after the other. */
export const createNoStepsError = () =>
  createParameterError("steps", "cannot be used: this source does not tell the order of a visit's hits", {
    hint: "Access logs, ClickHouse and the demo do. Ask with goal for one of them alone.",
  });

/** The same call, with each request to the source run by `wrap`. */
export function wrapCall(call: Call, wrap: <T>(ask: () => Promise<T>) => Promise<T>): Call {
  const wrapped: Call = (...asked) => wrap(() => call(...asked));
  // Each member is a function that returns a promise.
  const members = Object.entries(call).map(([name, ask]) => [
    name,
    (...asked: unknown[]) => wrap(() => ask(...asked)),
  ]);
  return Object.assign(wrapped, Object.fromEntries(members));
}
