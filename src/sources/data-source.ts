import type { AnalyticsError } from "../errors.ts";
import type { StepCounts } from "../operations/call.ts";
import type { crawlerPurposes } from "../operations/crawlers.ts";
import type { Dimension } from "../operations/dimensions.ts";
import type { Filter } from "../operations/filter.ts";
import type { OperationName } from "../operations/index.ts";
import type { Failure } from "../operations/not-found.ts";
import type { Warning } from "../operations/warning.ts";

/**
 * The port for data inside this process: made-up visits, access logs, a database. It deals in sites, days and values, and
 * knows nothing about HTTP, keys or caches. `operation-answers.ts` turns it into the contract's results, and `src/api/`
 * into the REST API.
 *
 * Days are `YYYY-MM-DD` in the site's timezone; instants are milliseconds since 1970. Methods may be called at any time
 * and concurrently. They reject with the signal's reason when it is aborted.
 */
export interface DataSource {
  /** Ordered by domain. A source that asks for the first day of each site by itself does so only `withDates`. */
  sites(signal?: AbortSignal, withDates?: boolean): Promise<readonly SourceSite[]>;
  /** Sites that it has and `sites` lacks, because it cannot tell what a row needs. Absent if there can be none. */
  unlisted?(signal?: AbortSignal): Promise<readonly UnlistedSite[]>;
  /** The sites that alone are shown (`readSitePattern`), to be named if the source has none of them; absent if all are shown. */
  readonly selected?: readonly string[];
  /**
   * The site with this id or domain (`normalizeSite`); undefined if there is none. Absent if finding one costs no less than
   * listing all.
   */
  site?(name: string, signal?: AbortSignal): Promise<SourceSite | undefined>;
  /** The totals of each day of the span, in order; a day without visits has zeros. */
  days(span: Span, signal?: AbortSignal): Promise<readonly CountedDay[]>;
  /** The events of all days of the span, in a source that does not know them by day; undefined if it has none. */
  events?(span: Span, signal?: AbortSignal): Promise<number | undefined>;
  /**
   * The totals of each hour of the span, in order (`listHours`), today's up to the one that is going on; an hour without hits has
   * zeros. A visitor counts once in each hour, a visit in the hour in which it begins. Absent if the source does not know hours.
   */
  hours?(span: Span, signal?: AbortSignal): Promise<readonly HourTotals[]>;
  /** The first `limit` rows in the contract's order (`operations/row-order.ts`), and the number of all rows. */
  breakdown(span: Span, dimension: Dimension, limit: number, signal?: AbortSignal): Promise<Ranking>;
  /**
   * The visits that a filter on visits keeps, and those of them that took steps, in order: at least two conditions on pages or events,
   * with `=`. Absent if the source cannot tell.
   */
  steps?(span: Span, steps: Filter, signal?: AbortSignal): Promise<StepCounts>;
  /** Distinct visitors with a page view or an event in (now - 5 minutes, now], kept by the filter if there is one. */
  active(site: SourceSite, now: number, signal?: AbortSignal, filter?: Filter): Promise<number>;
  /** The first `limit` crawlers by requests, then value (`compareValues`). Absent if the source cannot know crawlers. */
  crawlers?(span: Span, limit: number, signal?: AbortSignal): Promise<CrawlerRanking>;
  /**
   * The first `limit` paths that people asked for in vain, by requests, then value (`compareValues`). Absent if the source
   * cannot know them. With `5xx`, those that the server failed to answer, whoever asked but bots.
   */
  notFound?(span: Span, limit: number, signal?: AbortSignal, status?: Failure): Promise<NotFoundRanking>;
  /** What a reader must know about these days before using their numbers. */
  warnings?(span: Span, signal?: AbortSignal): Promise<readonly Warning[]>;
  /** The same of their number of events. */
  eventWarnings?(span: Span, signal?: AbortSignal): Promise<readonly Warning[]>;
  /** The dimensions it records; all of them if absent. */
  dimensions?(site: SourceSite, signal?: AbortSignal): Promise<readonly Dimension[]>;
  /** The only events that it can have, if it cannot know others. */
  readonly onlyEvents?: readonly string[];
  /** Why no page of it can have this path, if it cannot, as the end of a sentence. */
  explainNoPage?(path: string): string | undefined;
  /** The option that makes the source record a dimension, if it was not given. */
  missingOption?(dimension: Dimension): string | undefined;
  /**
   * Whether it can answer for a part of the hits (`Span.filter`); a source that cannot is never asked. `any-values` if its
   * countries, channels and so on may be other texts than the contract's.
   */
  readonly filters?: true | "any-values";
  /** Whether it can list a dimension of what a filter keeps; it can list all if absent. */
  answersFilter?(dimension: Dimension, filter: Filter): boolean;
  /** How many days it keeps, today included. */
  readonly daysKept: number;
  /** False for a source that only answers for days until today. */
  readonly spans?: false;
  /** The operations that it cannot answer by the contract although it must, by name, each with why. */
  readonly lacks?: Readonly<Partial<Record<OperationName, string>>>;
}

/** A source that may lack operations: an API may know neither lists nor who is there now. */
export type PartialSource = Omit<DataSource, "breakdown" | "active"> &
  Partial<Pick<DataSource, "breakdown" | "active">>;

export interface SourceSite {
  id: string;
  /** Without scheme and `www.`. */
  domain: string;
  name: string;
  /** What the source itself calls the site, if that is not its domain. */
  key?: string;
  /** IANA name of the zone in which the site's days begin and end. */
  timezone: string;
  /** Absent only from a site that is not listed. */
  createdAt?: number;
  /** The first day with data; null if nothing was ever recorded. Undefined only in a list without dates. */
  dataSince: string | null | undefined;
  /** The last complete day of a source that is loaded day by day; absent if it is always up to date. */
  dataUntil?: string;
}

export interface UnlistedSite {
  domain: string;
  /** With what to do about it: the error of a question about the site. */
  reason: AnalyticsError;
}

/** A site's days from `from` to `to`, both included. If `to` is today, it is counted up to and including `now`. */
export interface Span {
  site: SourceSite;
  from: string;
  to: string;
  now: number;
  /** What to count: all hits if absent. Its dimensions are recorded. docs/contract.md, "Filters", says which hits it keeps. */
  filter?: Filter | undefined;
}

/**
 * The visits with a kept hit, each counted as a whole on the day on which it begins. Absent in a source that does not know
 * visits.
 */
export interface VisitTotals {
  visits: number;
  /** Visits with exactly one hit. */
  bounces: number;
  /** Sum over the visits of the last hit's time minus the first one's, in seconds. */
  visitSeconds: number;
}

export interface CountedDay extends Partial<VisitTotals> {
  date: string;
  visitors: number;
  pageviews: number;
  /** Absent in a source that does not know events by day: `DataSource.events` has those of all days. */
  events?: number;
  /** Set if the source has no data of the day, whose zeros are no counts. What is before `dataSince` need not be marked. */
  missing?: true;
  /** The upper ends, if values were folded that the filter may keep. */
  most?: Pick<DayTotals, "visitors" | "pageviews" | "events">;
}

export interface DayTotals extends CountedDay {
  events: number;
}

export interface HourTotals extends Partial<VisitTotals> {
  /** The first instant of the hour. */
  start: number;
  visitors: number;
  pageviews: number;
  /** As of a day. */
  missing?: true;
  /** As in `CountedDay`. */
  most?: { visitors: number; pageviews: number };
}

export interface Ranking {
  rows: readonly RankedRow[];
  totalRows: number;
  /** How many rows are missing that there may be, because values were folded that the filter may keep. */
  moreRows?: number;
  /** What a reader must know about these rows. */
  warnings?: readonly Warning[];
}

/** With the visits of the value, except for pages and events, which single hits have. */
export interface RankedRow extends Partial<VisitTotals> {
  /** Null if there is none, or if it is unknown. */
  value: string | null;
  /** The value, for people. */
  label: string;
  /** Distinct visitors of each day with this value, summed over the days. */
  visitors: number;
  /** Page views; for the dimension `events`, events. */
  hits: number;
  /** The upper ends, if values were folded that the filter may keep. */
  most?: { visitors: number; hits: number };
  /** Set if the row stands for all values beyond the limit of what the source keeps; `value` is null then. */
  other?: true;
}

export interface CrawlerRanking {
  rows: readonly CrawlerRow[];
  totalRows: number;
  /** The requests of all crawlers, including those beyond the limit. */
  totalRequests: number;
}

/** The requests of one crawler. Crawlers are not visitors: no other number counts them. */
export interface CrawlerRow {
  /** Null if it has no known name. */
  value: string | null;
  /** The value, for people. */
  label: string;
  /** Null if unknown. */
  operator: string | null;
  purpose: (typeof crawlerPurposes)[number];
  requests: number;
  /** Distinct paths of each day, summed over the days. */
  pages: number;
  /** Requests that were answered with 4xx or 5xx. */
  errors: number;
  /** The instant of its last request in the span. */
  lastSeen: number;
}

export interface NotFoundRanking {
  rows: readonly NotFoundRow[];
  totalRows: number;
  /** The requests of all rows, including those beyond the limit. */
  totalRequests: number;
  /** Such requests of senders who are not people. */
  excluded: { bots: number; scanners: number };
  /** Set if some paths, or pages that led there, were too many to be kept. */
  folded?: true;
}

/** A path that people asked for by GET and did not get (docs/contract.md, "Dead links"). */
export interface NotFoundRow {
  /** Null for all paths beyond the limit of what the source keeps; `other` is set then. */
  value: string | null;
  other?: true;
  requests: number;
  /** Distinct people of each day who asked for it, summed over the days. */
  visitors: number;
  /** The first three pages that led there, by requests, then value. */
  referrers: readonly { value: string; internal: boolean; requests: number }[];
}
