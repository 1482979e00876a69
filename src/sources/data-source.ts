import type { Dimension } from "../operations/dimensions.ts";
import type { Warning } from "../operations/period.ts";

/**
 * Where numbers come from inside this process: made-up visits, access logs, a database. It speaks of sites, days and
 * values, and knows nothing of HTTP, keys or caches: `answers.ts` turns it into the contract's answers, and `src/api/`
 * into the REST API.
 *
 * Days are `YYYY-MM-DD` in the site's timezone; instants are milliseconds since 1970. A method may be called at any time
 * and many times at once, and rejects with the signal's reason when it is aborted.
 */
export interface DataSource {
  /** In order of domain. */
  sites(signal?: AbortSignal): Promise<readonly SourceSite[]>;
  /** The totals of every day of the span, in order; zeros where nothing happened. */
  days(span: Span, signal?: AbortSignal): Promise<readonly DayTotals[]>;
  /** The first `limit` rows in the contract's order (`ranking.ts`), and how many there are. */
  breakdown(span: Span, dimension: Dimension, limit: number, signal?: AbortSignal): Promise<Ranking>;
  /** Distinct visitors with a page view or an event in (now - 5 minutes, now]. */
  active(site: SourceSite, now: number, signal?: AbortSignal): Promise<number>;
  /** What a reader must know of these days before using their numbers. */
  warnings?(span: Span, signal?: AbortSignal): Promise<readonly Warning[]>;
  /** The dimensions it can answer; absent, all of them. */
  readonly dimensions?: readonly Dimension[];
  /** How many days back from today it keeps, today included. */
  readonly daysKept: number;
}

export interface SourceSite {
  id: string;
  /** Without scheme and `www.`. */
  domain: string;
  name: string;
  /** IANA name: the site's days begin and end in it. */
  timezone: string;
  createdAt: number;
  /** The first day with data; null where nothing was ever recorded. */
  dataSince: string | null;
}

/** Days of a site from `from` to `to`, both included. `to` may be today, which is counted up to and including `now`. */
export interface Span {
  site: SourceSite;
  from: string;
  to: string;
  now: number;
}

export interface DayTotals {
  date: string;
  visitors: number;
  pageviews: number;
  events: number;
}

export interface Ranking {
  rows: readonly RankedRow[];
  totalRows: number;
}

export interface RankedRow {
  /** Null for none or unknown. */
  value: string | null;
  /** The value, for people. */
  label: string;
  /** Distinct visitors of each day with this value, summed over the days. */
  visitors: number;
  /** Page views; for the dimension `events`, events. */
  hits: number;
}
