import { type Dimension, dimensions } from "./dimensions.ts";

/** Names that people and models use for dimensions, beside the contract's own. The first is that of a single value. */
const OTHER_NAMES: Readonly<Record<Dimension, readonly string[]>> = {
  pages: ["page", "path", "paths", "url", "urls"],
  entry_pages: ["entry_page", "entry", "landing_page", "landing_pages"],
  exit_pages: ["exit_page", "exit"],
  hostnames: ["hostname", "host", "hosts"],
  referrers: ["referrer", "referer", "referers", "source", "sources"],
  channels: ["channel"],
  utm_sources: ["utm_source"],
  utm_mediums: ["utm_medium"],
  utm_campaigns: ["utm_campaign", "campaign", "campaigns"],
  utm_terms: ["utm_term"],
  utm_contents: ["utm_content"],
  countries: ["country"],
  regions: ["region"],
  cities: ["city"],
  languages: ["language"],
  devices: ["device"],
  browsers: ["browser"],
  operating_systems: ["operating_system", "os"],
  events: ["event"],
};

/** A dimension by any of its names, such as `country` or `os`; any other text as it is. */
export const nameDimension = (name: string): string => {
  const known = name.trim().toLowerCase().replaceAll("-", "_");
  return dimensions.find((dimension) => OTHER_NAMES[dimension].includes(known)) ?? known;
};

/** What some values of a dimension are called: `page` of 1, `pages` of others. */
export const nameValues = (count: number, dimension: string): string =>
  (count === 1
    ? dimensions.flatMap((known) => (known === dimension ? OTHER_NAMES[known][0] : []))[0]
    : undefined) ?? dimension;

/** The list that a word means in place of a dimension: of dead links, or of crawlers; undefined if none. */
export function findOtherList(word: string): "not-found" | "crawlers" | undefined {
  const name = nameDimension(word.slice(0, 40));
  if (
    /^(4\d\d|5\d\d|[45]xx|not_?found|(dead|broken|missing)_?(links?|pages?)|errors?|status(_codes?)?)$/.test(
      name,
    )
  )
    return "not-found";
  return /^(crawlers?|(ai_)?bots?)$/.test(name) ? "crawlers" : undefined;
}

/** What else dimensions are called: `country` of `countries`. */
export const listOtherNames = (names: readonly string[]): string[] =>
  dimensions.flatMap((dimension) => (names.includes(dimension) ? OTHER_NAMES[dimension] : []));

/** Names to complete, with what else dimensions are called where only that begins so: `sour` is a `source`. */
export function completeNames(names: readonly string[], begun: string): readonly string[] {
  const isBegun = (name: string) => name.startsWith(begun);
  return names.some(isBegun) ? names : [...names, ...listOtherNames(names).filter(isBegun)];
}

/** The dimension that a word names; undefined if none. */
export const findDimension = (word: string): Dimension | undefined =>
  dimensions.find((known) => known === nameDimension(word));

/** Why a service of one's own refuses a dimension that it does not list. */
export const NO_LIST = "this service has no such list";
