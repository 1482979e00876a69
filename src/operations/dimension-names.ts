import { type Dimension, dimensions } from "./dimensions.ts";

/** Names that people and models use for dimensions, beside the contract's own. */
const ALIASES = new Map([
  ...aliases("pages", "page", "path", "paths", "url", "urls"),
  ...aliases("entry_pages", "entry_page", "entry", "landing_page", "landing_pages"),
  ...aliases("exit_pages", "exit_page", "exit"),
  ...aliases("hostnames", "hostname", "host", "hosts"),
  ...aliases("referrers", "referrer", "referer", "referers", "source", "sources"),
  ...aliases("channels", "channel"),
  ...aliases("utm_sources", "utm_source"),
  ...aliases("utm_mediums", "utm_medium"),
  ...aliases("utm_campaigns", "utm_campaign", "campaign", "campaigns"),
  ...aliases("utm_terms", "utm_term"),
  ...aliases("utm_contents", "utm_content"),
  ...aliases("countries", "country"),
  ...aliases("regions", "region"),
  ...aliases("cities", "city"),
  ...aliases("languages", "language"),
  ...aliases("devices", "device"),
  ...aliases("browsers", "browser"),
  ...aliases("operating_systems", "operating_system", "os"),
  ...aliases("events", "event"),
]);

function aliases(name: string, ...others: string[]): [string, string][] {
  return others.map((other) => [other, name]);
}

/** A dimension by any of its names, such as `country` or `os`; any other text as it is. */
export const nameDimension = (name: string): string => {
  const known = name.trim().toLowerCase().replaceAll("-", "_");
  return ALIASES.get(known) ?? known;
};

/** The dimension that a word names; undefined if none. */
export const findDimension = (word: string): Dimension | undefined =>
  dimensions.find((known) => known === nameDimension(word));
