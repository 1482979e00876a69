import { copyText } from "../copy-text.ts";
import type { LogLine } from "../reading/log-line.ts";
import type { Place } from "../settings.ts";
import type { BrowserAgent } from "./agents.ts";
import type { OriginValues, ProfileValues } from "./line-dimensions.ts";
import type { OpenDay } from "./open-day.ts";
import { findChannel, type Origin, readOrigin } from "./origin.ts";
import { cleanPath } from "./page-path.ts";
import { type RequestTarget, readHost, withoutWww } from "./request.ts";
import type { SiteValues, Values } from "./values.ts";

/** The caches of raw texts are emptied at this size; they only save time. */
const MAX_KEPT = 50_000;

/** The number of the page that a request asks for. */
export type FindPage = (target: RequestTarget) => number;

/** @param names The query parameters that are part of a page. */
export function createFindPage(pages: Values, names: readonly string[]): FindPage {
  const numbers = new Map<string, number>();
  return ({ path, query }) => {
    const kept = names.length === 0 || query === "" ? "" : keepQuery(query, names);
    const raw = path + kept;
    let number = numbers.get(raw);
    if (number === undefined) {
      const clean = cleanPath(path) + kept;
      number = pages.number(clean);
      if (numbers.size >= MAX_KEPT) numbers.clear();
      // Keeps one copy of the text, since raw and clean paths are nearly always equal.
      numbers.set(clean === raw ? (pages.at(number) ?? raw) : copyText(raw), number);
    }
    return number;
  };
}

/** The parameters of a query to count pages by, in the order in which they are named. */
function keepQuery(query: string, names: readonly string[]): string {
  const params = new URLSearchParams(query);
  const kept = new URLSearchParams();
  for (const name of names) {
    const value = params.get(name);
    if (value !== null) kept.set(name, value.slice(0, 200));
  }
  return kept.size === 0 ? "" : `?${kept}`;
}

/** The number, within a day, of what user agent and address say about a sender. */
export function numberProfile(
  { profiles }: OpenDay,
  values: SiteValues,
  agent: BrowserAgent,
  place: Place | undefined,
): number {
  const { browser, operatingSystem, device } = agent;
  const { country = null, region = null, city = null } = place ?? {};
  return profiles.number(
    JSON.stringify([browser, operatingSystem, device, country, region, city]),
    (): ProfileValues => ({
      browsers: values("browsers").number(browser),
      operating_systems: values("operating_systems").number(operatingSystem),
      devices: values("devices").number(device),
      countries: values("countries").number(country),
      regions: values("regions").number(region),
      cities: values("cities").number(city),
    }),
  );
}

/** The site that visitors came to. */
interface LinkedSite {
  domain: string;
  values: SiteValues;
}

/** The number, within a day, of where a page view came from. */
export function findOrigin(
  site: LinkedSite,
  day: OpenDay,
  line: LogLine,
  rawHost: string | undefined,
  query: string,
): number {
  const hasCampaign = /utm_|clid|braid/.test(query);
  if (hasCampaign) return numberOrigin(site, day, line, rawHost, query);
  const key = `${rawHost ?? ""} ${line.language ?? ""} ${line.referrer ?? ""}`;
  let number = day.rawOrigins.get(key);
  if (number === undefined) {
    number = numberOrigin(site, day, line, rawHost, query);
    if (day.rawOrigins.size >= MAX_KEPT) day.rawOrigins.clear();
    day.rawOrigins.set(copyText(key), number);
  }
  return number;
}

function numberOrigin(
  site: LinkedSite,
  { origins }: OpenDay,
  line: LogLine,
  rawHost: string | undefined,
  query: string,
): number {
  const host = readHost(rawHost) ?? site.domain;
  const isOwn = (name: string) => name === site.domain || name === withoutWww(host);
  const origin = readOrigin(line, query, isOwn);
  const language = line.language === undefined ? null : readLanguage(line.language);
  return origins.number(JSON.stringify([origin, host, language]), () =>
    numberOriginValues(site.values, origin, host, language),
  );
}

function numberOriginValues(
  values: SiteValues,
  origin: Origin,
  host: string,
  language: string | null,
): OriginValues {
  return {
    hostnames: values("hostnames").number(host),
    languages: values("languages").number(language),
    referrers: values("referrers").number(origin.referrer),
    channels: values("channels").number(findChannel(origin)),
    utm_sources: values("utm_sources").number(origin.source),
    utm_mediums: values("utm_mediums").number(origin.medium),
    utm_campaigns: values("utm_campaigns").number(origin.campaign),
    utm_terms: values("utm_terms").number(origin.term),
    utm_contents: values("utm_contents").number(origin.content),
  };
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
