import { OTHER } from "../../measure/definition.ts";
import { copyText } from "../copy-text.ts";
import { readHost } from "../host-name.ts";
import type { Place } from "../settings.ts";
import type { BrowserAgent } from "./agents.ts";
import { chargeOrigin, chargeProfile, keyOf } from "./charge-values.ts";
import { append, type Column } from "./columns.ts";
import { limitText } from "./limits.ts";
import type { OriginValues, ProfileValues } from "./line-dimensions.ts";
import type { OpenDay } from "./open-day.ts";
import { CLUES, type Clues, createIsOwnHost, findChannel, hasCampaign, readOrigin } from "./origin.ts";
import { cleanPath } from "./page-path.ts";
import type { RequestTarget } from "./request.ts";

/** The caches of what lines say are emptied at this size; they only save time. */
const MAX_KEPT = 50_000;

/**
 * The number, within a day, of the page that a request asks for.
 *
 * @param names The query parameters that are part of a page.
 */
export function findPage(
  { values, rawPages, addedBy }: OpenDay,
  { path, query }: RequestTarget,
  names: readonly string[],
  sender: number,
): number {
  const kept = keepQuery(query, names);
  const raw = path + kept;
  let number = rawPages.get(raw);
  if (number === undefined) {
    const clean = limitText(cleanPath(path) + kept);
    const limited = values.limit("pages", clean, sender);
    values.add("pages", limited, sender);
    const pages = values.of("pages");
    number = pages.number(limited);
    noteAdded(addedBy.pages, pages.size - 1, sender);
    // Another sender may still add it.
    if (limited === OTHER) return number;
    if (rawPages.size >= MAX_KEPT) rawPages.clear();
    // Keeps one copy of the text, since raw and clean paths are nearly always equal.
    rawPages.set(clean === raw ? (pages.at(number) ?? raw) : copyText(raw), number);
  }
  return number;
}

/** Notes that a list has grown to this length for a sender, if it has. */
function noteAdded(addedBy: Column, length: number, sender: number): void {
  if (addedBy.length < length) append(addedBy, sender);
}

/** The page of a URL as it is counted, with the query parameters that are part of it. */
export const readPage = ({ path, query }: RequestTarget, names: readonly string[]): string =>
  limitText(cleanPath(path) + keepQuery(query, names));

/** The parameters of a query to count pages by, in the order in which they are named. */
function keepQuery(query: string, names: readonly string[]): string {
  if (names.length === 0 || query === "") return "";
  const params = new URLSearchParams(query);
  const kept = new URLSearchParams();
  for (const name of names) {
    const value = params.get(name);
    if (value !== null) kept.set(name, value.slice(0, 200));
  }
  return kept.size === 0 ? "" : `?${kept}`;
}

/**
 * The number, within a day, of what user agent and address say about a sender.
 *
 * @param sender The number that the sender will have.
 */
export function numberProfile(
  { profiles, values, rawProfiles, addedBy }: OpenDay,
  { id, browser, operatingSystem, device }: BrowserAgent,
  place: Place | undefined,
  sender: number,
): number {
  const known = place === undefined ? rawProfiles.get(id) : undefined;
  if (known !== undefined) return known;
  const { country = null, region = null, city = null } = place ?? {};
  const texts: ProfileValues = {
    countries: country,
    regions: region,
    cities: city,
    devices: device,
    browsers: values.limit("browsers", browser, sender),
    operating_systems: values.limit("operating_systems", operatingSystem, sender),
  };
  chargeProfile(values, texts, sender);
  const number = profiles.number(keyOf(texts), () => texts);
  noteAdded(addedBy.profiles, profiles.list.length, sender);
  // Another sender may still add what this one could not.
  if (place !== undefined || Object.values(texts).includes(OTHER)) return number;
  if (rawProfiles.size >= MAX_KEPT) rawProfiles.clear();
  rawProfiles.set(id, number);
  return number;
}

/** The number, within a day, of where a page view came from. */
export function findOrigin(
  domain: string,
  day: OpenDay,
  line: Clues,
  rawHost: string | undefined,
  query: string,
  sender: number,
): number {
  if (hasCampaign(query)) return numberOrigin(domain, day, line, rawHost, query, sender);
  let key = rawHost ?? "";
  for (const field of CLUES) key += ` ${line[field] ?? ""}`;
  let number = day.rawOrigins.get(key);
  if (number === undefined) {
    number = numberOrigin(domain, day, line, rawHost, query, sender);
    // Another sender may still add what this one could not.
    if (Object.values(day.origins.list[number] ?? {}).includes(OTHER)) return number;
    if (day.rawOrigins.size >= MAX_KEPT) day.rawOrigins.clear();
    day.rawOrigins.set(copyText(key), number);
  }
  return number;
}

function numberOrigin(
  domain: string,
  { origins, values, addedBy }: OpenDay,
  line: Clues,
  rawHost: string | undefined,
  query: string,
  sender: number,
): number {
  const host = readHost(rawHost) ?? domain;
  const origin = readOrigin(line, query, createIsOwnHost(domain, rawHost));
  const language = line.language === undefined ? null : readLanguage(line.language);
  const limit = (dimension: Exclude<keyof OriginValues, "channels">, value: string | null) =>
    values.limit(dimension, value === null ? null : limitText(value), sender);
  const texts: OriginValues = {
    hostnames: limit("hostnames", host),
    referrers: limit("referrers", origin.referrer),
    channels: findChannel(origin),
    utm_sources: limit("utm_sources", origin.source),
    utm_mediums: limit("utm_mediums", origin.medium),
    utm_campaigns: limit("utm_campaigns", origin.campaign),
    utm_terms: limit("utm_terms", origin.term),
    utm_contents: limit("utm_contents", origin.content),
    languages: limit("languages", language),
  };
  const key = keyOf(texts);
  const isKept = origins.has(key) || values.admits("origins", key, sender);
  const row = isKept ? texts : foldOrigin(texts);
  const number = origins.number(isKept ? key : keyOf(row), () => {
    chargeOrigin(values, row, sender);
    return row;
  });
  noteAdded(addedBy.origins, origins.list.length, sender);
  return number;
}

/** Values can be few, and their combinations many. */
function foldOrigin(texts: OriginValues): OriginValues {
  const folded = Object.entries(texts).map(([dimension, value]) => [
    dimension,
    value === null ? null : OTHER,
  ]);
  // The keys are those of `texts`.
  return { ...(Object.fromEntries(folded) as OriginValues), channels: texts.channels };
}

/** The language that a browser prefers, such as `de-DE`; null if it names none. */
function readLanguage(header: string): string | null {
  const [, tag] = /^\s*([a-z]{2,3}(?:-[a-z0-9]{2,8})*)(?=\s*(?:[,;]|$))/i.exec(header) ?? [];
  if (tag === undefined) return null;
  try {
    return Intl.getCanonicalLocales(tag)[0] ?? null;
  } catch {
    return null;
  }
}
