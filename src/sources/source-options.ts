import { findTimezone } from "../config/services.ts";
import { AnalyticsError, quoteWord } from "../errors.ts";
import { normalizeSite } from "../operations/site-name.ts";
import { findNearest } from "../render/suggest.ts";
import { listTexts, splitSite } from "./named-sites.ts";

/** Reads `--timezone`; this machine's if it is absent. Throws AnalyticsError `usage`. */
export function readTimezone(name: unknown): string {
  if (name === undefined) return new Intl.DateTimeFormat().resolvedOptions().timeZone;
  const known = findTimezone(String(name));
  if (known !== undefined) return known;
  throw new AnalyticsError("usage", `--timezone: there is no timezone ${quoteWord(String(name))}.`, {
    hint: hintOnTimezone(String(name)),
  });
}

/** What to type in place of a name that is no timezone's: the one that was probably meant, which may be a city's alone. */
export function hintOnTimezone(name: string): string {
  const known = Intl.supportedValuesOf("timeZone");
  const word = name.trim().replaceAll(" ", "_");
  const nameCity = (zone: string) => zone.slice(zone.lastIndexOf("/") + 1);
  const nearest = findNearest(word, word.includes("/") ? known : known.map(nameCity));
  const meant = known.find((zone) => zone === nearest || nameCity(zone) === nearest);
  return `${meant === undefined ? "" : `Did you mean ${meant}? `}Use an IANA name, such as Europe/Berlin or UTC.`;
}

/**
 * Reads the domains of `--site`, each once. Ids are left out: they are of sites that a source already knows.
 *
 * @param defaultSite The site to use if none is named.
 */
export function readSites(given: unknown, defaultSite?: string): string[] {
  const named = [...listTexts(given), ...(given === undefined && defaultSite ? [defaultSite] : [])];
  const sites = named.map((text) => splitSite(text).site);
  return [...new Set(sites.filter((site) => !/^site_\w+$/.test(site)).map(normalizeSite))];
}
