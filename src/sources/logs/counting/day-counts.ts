import type { Dimension } from "../../../operations/dimensions.ts";
import type { HourTally } from "../../measure/hour-counts.ts";
import type { HitTotals, Tallies } from "../../measure/tallies.ts";

/** The version of the counting rules. Increase it when the same lines would give other counts. */
export const DEFINITION = 5;

/** What is kept of a day: no address, no user agent, nothing about one person. */
export interface DayCounts extends DaySummary {
  /** Of an open day, they are counted when they are asked for; of a closed one in the history, they are read then. */
  tables: DayTables;
  /** Of a closed day: reads the file with its hits (`store/day-hits.ts`). Absent if it has none. Throws AnalyticsError. */
  readHits?: (() => Uint8Array) | undefined;
}

export interface DaySummary {
  /** The version of the definition that it was counted by. */
  definition: number;
  totals: HitTotals;
  /** The dimensions of which values were folded into `OTHER`. */
  folded: readonly Dimension[];
  /** What was left out because the sender is a scanner: all of them, those with a page view, and their page views. */
  scanners: { senders: number; viewers: number; pageviews: number };
  /** The downloads that are no events, because who asked for them viewed no page. Earlier versions did not count them. */
  strays?: number;
  /** Whether the addresses seem to be those of a proxy. If it is likely, the days before decide (`isProxied`). */
  proxy: "none" | "suspected" | "likely" | "certain";
  /** How many addresses have page views, and how many the first three of them have. */
  addresses: { count: number; most: readonly number[] };
  /** The dimensions that the program knew which recorded the day. A day says nothing about the others. */
  dimensions: readonly Dimension[];
  /** Set if the rest was lost with a file of the history: only the summary is left. */
  damage?: Damage | undefined;
}

/** What is wrong with a file of the history. */
export interface Damage {
  /** Its path within the history. */
  file: string;
  reason: string;
  /** Set if nobody knows which lines were counted, so that counting the present ones again does not make up for it. */
  isForGood?: true;
}

export interface DayTables {
  /** Undefined if nothing has a value of the dimension. */
  tallies(dimension: Dimension): Tallies | undefined;
  /** By name in `crawler-list.ts`. */
  crawlers(): ReadonlyMap<string, CrawlerTally>;
  notFound(): FailedTally;
  /** The same of requests that were answered 5xx, scanners included: the server failed, whoever asked. */
  serverErrors(): FailedTally;
  /** Of a closed day; undefined if only its hits tell. */
  hours(): HourTally | undefined;
}

/** What people asked for on a day and did not get. */
export interface FailedTally {
  /** Each once; `OTHER` for those beyond the limits. */
  paths: readonly string[];
  /** By path. */
  requests: readonly number[];
  visitors: readonly number[];
  /** The pages that led to a path, each once for the path. */
  referrers: {
    /** The index of the path. */
    paths: readonly number[];
    /** The path of one of the site's own pages, else a host; `OTHER` for those beyond the limits. */
    values: readonly string[];
    requests: readonly number[];
  };
  /** Such requests that no person sent. */
  excluded: { bots: number; scanners: number };
}

/** The requests of one crawler on a day. */
export interface CrawlerTally {
  requests: number;
  /** Distinct paths. */
  pages: number;
  /** Answered 4xx or 5xx. */
  errors: number;
  /** Seconds since 1970 of its last request. */
  lastSeen: number;
}
