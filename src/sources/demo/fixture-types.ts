/**
 * The content of the files in fixtures/, which the tests check. Days are counted from the dataset's anchor, the Monday of
 * the week in which the server started: -13 is the Tuesday of the week before last. A weight is any number from 0 up.
 */
export interface Fixtures {
  organizations: OrganizationProfile[];
  sites: SiteProfile[];
  sources: Record<string, Source>;
  places: Record<string, PlaceProfile>;
  technologies: Record<string, Technology>;
  /** By their `value` in `crawler-list.ts`. */
  crawlers: Record<string, CrawlerProfile>;
  /** By domain. Absent in `readFixtures`, since few queries need them: then they are those of `readDeadLinks`. */
  deadLinks?: Record<string, DeadLinksProfile>;
}

/** What people ask a site for and do not get. */
export interface DeadLinksProfile {
  /** Scanners on an average day. */
  scanners: number;
  links: DeadLink[];
  /** What the server failed to answer; nothing if absent. */
  failing?: DeadLink[];
}

export interface DeadLink {
  path: string;
  /** People who ask for it on an average day. */
  requests: number;
  /** The first and the last day; without them it was never there. */
  from?: number;
  until?: number;
  /** Weights by the page that led there: the path of one of the site's own, a host, or empty if there is none. */
  referrers: Record<string, number>;
}

export interface CrawlerProfile {
  /** Requests on an average day at the anchor, to a site of 900 visitors. */
  requests: number;
  /** Share of `requests` a year earlier. */
  from: number;
  /** Chance that a request is answered with 4xx or 5xx. */
  errors: number;
}

export interface OrganizationProfile {
  id: string;
  name: string;
  /** SHA-256 of each key, in hexadecimal; the keys themselves are not in the fixtures. */
  keys: { id: string; sha256: string }[];
  /** Ids of its sites. */
  sites: string[];
}

export interface SiteProfile {
  id: string;
  domain: string;
  name: string;
  timezone: string;
  /** How many days before the anchor the data starts; null if nothing was ever recorded. */
  data_since: number | null;
  /** How many days before the anchor the site was added. */
  added: number;
  /** Weights. */
  hostnames: Record<string, number>;
  /** Visitors on an average day at the anchor. */
  visitors: number;
  /** Share of `visitors` a year earlier. */
  growth_from: number;
  /** Factors from Monday to Sunday; 1 is average. */
  weekdays: number[];
  /** Weights by hour of the site's day. */
  hours: number[];
  pages_per_visit: number;
  /** Seconds from a page view to the next one, `to` excluded; 15 to 225 if absent. */
  view_pause?: { from: number; to: number };
  pages: PageProfile[];
  /** A weight, or the weight at the anchor and which share of it applied a year earlier. */
  sources: Record<string, number | { weight: number; from: number }>;
  /** Weights. */
  places: Record<string, number>;
  technologies: Record<string, number>;
  /** Chance that a visit triggers the event. */
  events: Record<string, number>;
  story: Chapter[];
}

export interface PageProfile {
  path: string;
  /** Weights as the first page of a visit, and as a later one. */
  entry: number;
  view: number;
  /** The first and last day of the page; without them it always exists. */
  from?: number;
  until?: number;
}

export interface Chapter {
  name: string;
  /** The first day. */
  from: number;
  days: number;
  /** The day's visitors are multiplied by this. */
  factor?: number;
  /** Additional visitors per day, all from one source to one page. */
  extra?: { visitors: number; source: string; path: string };
}

export interface Source {
  channel: string;
  referrer: string | null;
  /** The referrer's name, for people. */
  label?: string;
  utm: Utm;
}

export interface Utm {
  source: string | null;
  medium: string | null;
  campaign: string | null;
  term: string | null;
  content: string | null;
}

export interface PlaceProfile {
  country: string | null;
  region: string | null;
  region_label?: string;
  /** GeoNames id. */
  city: string | null;
  city_label?: string;
  language: string | null;
}

export interface Technology {
  device: string;
  browser: string;
  operating_system: string;
}
