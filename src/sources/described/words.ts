import type { Dimension } from "../../operations/dimensions.ts";

/*
 * The field's usual words for what a service counts and names. Each list is in ranks: a word of an earlier rank is a better
 * name, and words of one rank are equal, so that two of them in one answer are never chosen between.
 */

/** What an answer can have. */
export type Field =
  | "visitors"
  | "pageviews"
  | "events"
  | "active"
  | "date"
  | "value"
  | "label"
  | "total_rows"
  | "id"
  | "domain"
  | "name"
  | "timezone"
  | "created_at";

/** Words with commas between them, the best ones first. */
type Ranks = readonly string[];

const FIELDS: Readonly<Record<Field, Ranks>> = {
  visitors: [
    "visitors",
    "unique visitors, visitors unique, uniques, daily unique visitors, daily visitors, site visitors, web visitors",
    "users, unique users, people, unique people, persons, unique persons, uv, uvs, unique, daily users",
    "active users",
  ],
  pageviews: [
    "pageviews, page views",
    "views, views page, views pages, screen page views, page view events, site views",
    "page impressions, pages viewed, page loads, impressions, page hits, pv, pvs, screen views",
  ],
  events: ["events", "custom events, events custom, tracked events, goal events", "interactions"],
  active: [
    "active visitors, visitors, visitors active",
    "active, active users, users active, current visitors, visitors current, online, live, now, visitors now, visitors online, online visitors, live visitors, visitors live, realtime, realtime visitors, active now, current users, online users, users online, unique visitors, live users",
    "users, people, current, uniques, concurrent, concurrents, concurrent visitors, concurrent users",
  ],
  date: [
    "date",
    "day, time, timestamp, datetime, bucket, ts, date time, time bucket, labels, dates",
    "x, t, period, interval, start, from, key, label, axis, at, when, d, categories, name, starts at, time start, start date, value",
  ],
  value: [
    "value, code, country code, iso, iso code, key, item",
    "name",
    "label, title, display name, text",
    "dimension, dimension value, resource, entry, element, x",
  ],
  label: ["label, title, display name", "name", "text"],
  total_rows: [
    // Not `row count`, which may be that of the rows that are there.
    "total rows, rows total, total results, total count, results total, count total, rows in all, all rows",
  ],
  id: [
    "id",
    "site id, id site, uid, uuid, public id, identifier, website id, property id, project id, guid",
    "key, slug, token, code",
  ],
  domain: [
    "domain",
    "hostname, host, domain name, site domain, fqdn, cname",
    "url, site url, address, website, website url, base url, site, origin, main url, link",
  ],
  name: ["name", "title, label, display name, site name", "site, website"],
  timezone: [
    "timezone, time zone, tz",
    "timezone name, time zone name, timezone id, iana timezone, zone, reporting timezone",
  ],
  created_at: [
    "created at",
    "created, created on, created time, create time, creation time, added at, ts created",
    "added",
    "added on",
    "date added",
  ],
};

/** Words of a dimension in the singular, beside its own name. */
const DIMENSIONS: Readonly<Record<Dimension, Ranks>> = {
  pages: ["page", "path, url, page path, pathname, page url, top page"],
  entry_pages: ["entry page", "landing page, entry, entry path, landing path"],
  exit_pages: ["exit page", "exit, exit path, last page"],
  hostnames: ["hostname", "host, domain"],
  referrers: [
    "referrer, referer",
    "referring site, referring domain, referrer domain, referrer host",
    "source",
  ],
  channels: ["channel", "channel group, medium group, acquisition channel"],
  utm_sources: ["utm source", "campaign source"],
  utm_mediums: ["utm medium", "medium, campaign medium"],
  utm_campaigns: ["utm campaign", "campaign, campaign name"],
  utm_terms: ["utm term", "term, campaign term, keyword"],
  utm_contents: ["utm content", "campaign content"],
  countries: ["country", "country name, country code"],
  regions: ["region", "state, province, subdivision"],
  cities: ["city", "town, city name"],
  languages: ["language", "locale, lang, browser language"],
  devices: ["device", "device type, device category, device class, form factor"],
  browsers: ["browser", "browser name, user agent, client"],
  operating_systems: ["operating system, os", "os name, platform, system"],
  events: ["event", "event name, custom event, event type, goal"],
};

/** Other words for `unique`. */
const UNIQUE = new Set(["uniq", "distinct", "deduplicated", "dedup"]);

const words = (text: string): string[] => text.split(" ").map(singular);

/** What is no metric of ours, whatever stands beside it. */
const OTHER_METRICS = new Set(
  words(
    "visits sessions hits bounces requests bandwidth bytes duration revenue conversions clicks downloads orders signups engagement",
  ),
);

/** Parts of a name that say nothing: `total_visitors`, `visitors.value`, `visitorCount`. */
const DECORATIONS = new Set(
  words("total count number num nb n m no of the sum all overall value amount qty metric cnt tot"),
);

/** A number below such a name is of other days, of other people, or no count. */
const ASIDE = new Set([
  ...words(
    "previous prev prior before last earlier past old former compare compared comparison baseline history",
  ),
  ...words("change delta diff difference growth trend evolution forecast goal target projected"),
  ...words("rate ratio percent percentage pct share avg average mean median min max peak per best record"),
  ...words("new returning repeat first bot crawler excluded sampled estimated benchmark segment"),
  ...words("today yesterday lifetime alltime ever quota limit remaining usage plan billing"),
]);

const MAX_NAME_LENGTH = 100;

/** The parts of a name in snake, camel, kebab or plain form, in the singular and in lower case. */
export const splitName = (name: string): string[] =>
  name
    .slice(0, MAX_NAME_LENGTH)
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\d]+/u)
    .filter((part) => part !== "")
    .map(singular);

function singular(word: string): string {
  if (UNIQUE.has(word)) return "unique";
  if (word.length < 4 || word.endsWith("ss") || word.endsWith("us")) return word;
  if (word.endsWith("ies")) return `${word.slice(0, -3)}y`;
  return word.endsWith("s") ? word.slice(0, -1) : word;
}

/** A name without case, separators and plural: `pageViews` and `page_view` are one. */
const fold = (name: string): string => splitName(name).join("");

const index = (ranks: Ranks): ReadonlyMap<string, number> =>
  new Map(
    ranks.flatMap((list, rank) => list.split(", ").map((word) => [fold(word), rank] as const)).toReversed(),
  );

const fieldWords = new Map(Object.entries(FIELDS).map(([field, ranks]) => [field, index(ranks)]));
const dimensionWords = new Map(
  Object.entries(DIMENSIONS).map(([dimension, ranks]) => [dimension, index([dimension, ...ranks])]),
);

/** A name with decorations is worse than the same without. */
const DECORATED = 0.5;
/** So is one of several words that only each by itself is usual. */
const ONLY_PARTS = 5;
/** So is a name that only the description gives. */
export const DESCRIBED = 10;

function rankParts(parts: readonly string[], words: ReadonlyMap<string, number>): number | undefined {
  const plain = words.get(parts.join(""));
  if (plain !== undefined) return plain;
  const bare = parts.filter((part) => !DECORATIONS.has(part));
  const rank = bare.length === 0 || bare.length === parts.length ? undefined : words.get(bare.join(""));
  return rank === undefined ? undefined : rank + DECORATED;
}

/**
 * How well the names on the way to a number fit a field: 0 is best, undefined is not at all. The last name counts; if it says
 * nothing (`value`, `total`), the one before it does, too.
 */
export function rankName(names: readonly string[], field: Field): number | undefined {
  const words = fieldWords.get(field) ?? new Map();
  const split = names.map(splitName);
  const last = split.at(-1) ?? [];
  if (field !== "active" && isAside(names.slice(0, -1))) return undefined;
  const own = rankParts(last, words);
  if (own !== undefined) return own;
  // `onlineNow`, `peopleOnline`: each part says who is there.
  if (field === "active" && last.length > 1 && last.every((part) => words.has(part))) return ONLY_PARTS;
  const before = split.at(-2);
  if (before === undefined) return undefined;
  const isCurrent = last.length === 1 && (DECORATIONS.has(last[0] ?? "") || last[0] === "current");
  const joined = rankParts(isCurrent ? before : [...last, ...before], words);
  return joined === undefined ? undefined : joined + DECORATED;
}

/** How well a name fits the values of a dimension, or a dimension's own name. */
export const rankDimension = (name: string, dimension: string): number | undefined =>
  rankParts(splitName(name), dimensionWords.get(dimension) ?? new Map());

/** Words that values of several dimensions are called by: they do not say which one it is. */
const SHARED_WORDS = new Set(words("url host hostname domain source client platform system term"));
const OF_PAGES: ReadonlySet<string> = new Set(["pages", "entry_pages", "exit_pages"]);

/** Whether all values of a dimension can begin with a slash. */
export const canBePaths = (dimension: string): boolean => OF_PAGES.has(dimension) || dimension === "events";

/** The dimension that a name is of, if it is not this one: `page`, where countries are sought. */
export function findOtherDimension(name: string, dimension: string): string | undefined {
  const parts = splitName(name);
  if (SHARED_WORDS.has(parts.join("")) || rankDimension(name, dimension) !== undefined) return undefined;
  const isOther = ([other, words]: [string, ReadonlyMap<string, number>]) =>
    rankParts(parts, words) !== undefined && !(OF_PAGES.has(other) && OF_PAGES.has(dimension));
  return [...dimensionWords].find(isOther)?.[0];
}

/** Whether names lead to numbers that are aside: of the days before, a percentage. */
export const isAside = (names: readonly string[]): boolean =>
  names.some((name) => splitName(name).some((part) => ASIDE.has(part)));

/** Parts of an answer that are about the answer. */
const BESIDE = new Set(
  words(
    "meta statistics query request pagination paging debug links info headers errors messages warnings notes notices tags",
  ),
);

/** Whether names lead to what an answer says of itself. */
export const isBeside = (names: readonly string[]): boolean =>
  names.some((name) => splitName(name).some((part) => BESIDE.has(part)));

const MAX_TEXT_LENGTH = 300;
type Metric = "visitors" | "pageviews" | "events";
const COUNTED: readonly Metric[] = ["visitors", "pageviews", "events"];

/** How well the title or description of a field fits: only if it speaks of this metric, of no other, and of nothing aside. */
export function rankText(text: string, field: Field): number | undefined {
  const parts = splitText(text.slice(0, MAX_TEXT_LENGTH));
  if (parts.some((part) => ASIDE.has(part) || OTHER_METRICS.has(part))) return undefined;
  const found = COUNTED.filter((metric) => mentions(parts, fieldWords.get(metric) ?? new Map()));
  return found.length === 1 && found[0] === field ? DESCRIBED : undefined;
}

const splitText = (text: string): string[] => text.split(/\s+/).flatMap(splitName);

/** Whether a text has one of the words, or two of its parts in a row make one. */
const mentions = (parts: readonly string[], words: ReadonlyMap<string, number>): boolean =>
  parts.some((part, at) => words.has(part) || words.has(`${part}${parts[at + 1] ?? " "}`));

/** Parts of names of numbers that count nothing: times, versions, settings, places in a list. */
const NO_COUNTS = new Set(
  words(
    "window minute second ms timestamp ts date time at since updated interval period ttl status code id page limit version took latency " +
      "duration refresh generated hour day week month year age offset epoch row read byte elapsed rank position index color order",
  ),
);

/** Whether a name is that of a number that counts nothing. */
export const isNoCount = (name: string): boolean =>
  findMetric(name) === undefined && splitName(name).some((part) => NO_COUNTS.has(part));

/** Whether a name is that of a metric that is none of ours, such as sessions. */
export const isOtherMetric = (name: string): boolean =>
  splitName(name).some((part) => OTHER_METRICS.has(part));

/** Which of our metrics a word such as `uniqueVisitors`, or the names on the way to a number, name; undefined if none. */
export const findMetric = (...names: readonly string[]): Metric | undefined =>
  COUNTED.find((field) => rankName(names, field) !== undefined);
