import { findTimezone } from "../config/services.ts";
import { AnalyticsError, quoteWord } from "../errors.ts";
import { normalizeSite } from "../operations/site-name.ts";
import { findNearest } from "../suggest.ts";
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
  const offset = hintOnOffset(name);
  if (offset !== undefined) return offset;
  const known = Intl.supportedValuesOf("timeZone");
  const word = name.trim().replaceAll(" ", "_");
  const nameCity = (zone: string) => zone.slice(zone.lastIndexOf("/") + 1);
  const nearest = findNearest(word, word.includes("/") ? known : known.map(nameCity));
  const meant = known.find((zone) => zone === nearest || nameCity(zone) === nearest);
  return `${meant === undefined ? "" : `Did you mean ${meant}? `}Use an IANA name, such as Europe/Berlin or UTC.`;
}

/** `UTC+2` or `CET+1`: the names of zones with a fixed offset have the opposite sign. */
function hintOnOffset(name: string): string | undefined {
  const [, sign, hours = "", minutes = ""] = OFFSET.exec(name.trim()) ?? [];
  if (sign === undefined) return undefined;
  const city = `the zone of a city, such as ${sign === "+" ? "Europe/Berlin" : "America/New_York"}`;
  if (Number(hours) + Number(minutes) === 0) return `Did you mean UTC? Otherwise use ${city}.`;
  const zone = findTimezone(`Etc/GMT${sign === "+" ? "-" : "+"}${Number(hours)}`);
  if (zone === undefined || Number(minutes) > 0) return `Use ${city}.`;
  return `For UTC${sign}${Number(hours)} all year, use ${zone}. If the clocks change, use ${city}.`;
}

const OFFSET = /^(?:utc|gmt|[cewm]es?t|mes?z)?\s?([+-])(\d{1,2})(?::?(\d\d))?$/i;

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
