import type { Dimension } from "../operations/dimensions.ts";

/**
 * A table of hits: one row for each page view, event, bot's request and request for what is not there, and one for each day
 * that is loaded. Access logs are exported as such rows, and a ClickHouse table of them is a data source. docs/clickhouse.md explains the columns.
 */
export interface Hit extends Partial<Record<TextColumn, string>> {
  /** Without scheme and `www.`. */
  site: string;
  /**
   * `day` marks a day as loaded; `scanner` are page views that do not count. `not_found` are what people asked for and did not get:
   * its `status` is 404, 410 or 5xx, and its `referrer` is a path, which begins with a slash, if one of the site's own pages led there.
   */
  kind: HitKind;
  /** `YYYY-MM-DD` at the site. */
  day: string;
  /** Seconds since 1970. */
  time: number;
  /** 64 bits in decimal. Identifies a sender on one day: the next day, the same person gets another. */
  visitor: string;
  /** 64 bits in decimal, the same whenever the same log is exported. */
  id: string;
  /** The order of a visitor's hits on a day, for those of the same second. */
  sequence?: number;
  /** The number of the visit among the visitor's visits of the day, from 1; 0 for hits outside of visits. */
  visit?: number;
  /** HTTP status of a bot's request, and of one for what is not there. */
  status?: number;
  /** Of `day`: how many page views the day has, to notice a day that is loaded only in part. */
  pageviews?: number;
  /** Of `day`: how many requests for what is not there bots and scanners sent. */
  bots_not_found?: number;
  scanners_not_found?: number;
  /** Of `day`: 64 bits in decimal that change when any value of its hits changes. */
  digest?: string;
  /** Of `day`: the version of the rules that it was counted by. */
  definition?: number;
  /** Of `day`: IANA name of the zone in which it begins and ends. */
  timezone?: string;
  /** Of `day`: the dimensions that its log does not have. */
  unrecorded?: readonly Dimension[];
}

export type HitKind = "pageview" | "event" | "bot" | "scanner" | "day" | "not_found";

const COLUMNS = {
  pages: "path",
  entry_pages: "entry_page",
  exit_pages: "exit_page",
  hostnames: "hostname",
  referrers: "referrer",
  channels: "channel",
  utm_sources: "utm_source",
  utm_mediums: "utm_medium",
  utm_campaigns: "utm_campaign",
  utm_terms: "utm_term",
  utm_contents: "utm_content",
  countries: "country",
  regions: "region",
  cities: "city",
  languages: "language",
  devices: "device",
  browsers: "browser",
  operating_systems: "operating_system",
  events: "event",
} as const;

/** The column of each dimension; empty for none. A visit's values are repeated in each of its page views. */
export const columnsOf: Readonly<Record<Dimension, (typeof COLUMNS)[keyof typeof COLUMNS]>> = COLUMNS;

/** `crawler`: the name with which a bot identifies itself, if it is a known crawler. */
export type TextColumn = (typeof columnsOf)[Dimension] | "crawler";
