import { AnalyticsError, quoteWord } from "../errors.ts";
import { normalizeSite } from "../operations/site-name.ts";

/** Reads `--timezone`; this machine's if it is absent. Throws AnalyticsError `usage`. */
export function readTimezone(name: unknown): string {
  if (name === undefined) return new Intl.DateTimeFormat().resolvedOptions().timeZone;
  try {
    return new Intl.DateTimeFormat("en", { timeZone: String(name) }).resolvedOptions().timeZone;
  } catch {
    throw new AnalyticsError("usage", `--timezone: there is no timezone ${quoteWord(String(name))}.`, {
      hint: "Use an IANA name, such as Europe/Berlin or UTC.",
    });
  }
}

/** The values of an option that may be repeated. */
export const listTexts = (value: unknown): string[] =>
  value === undefined ? [] : (Array.isArray(value) ? value : [value]).map(String);

/** Splits what names an id in a source's data, `example.com=7`. Another text is a domain, or an id of this package. */
export function splitSite(text: string): { site: string; key?: string } {
  const [, site, key] = /^([\w.-]+)=(.+)$/s.exec(text) ?? [];
  return site === undefined || key === undefined ? { site: text } : { site, key };
}

/** Those values of `--site` that name an id. */
export const listNamedSites = (given: unknown): string[] =>
  listTexts(given).filter((text) => splitSite(text).key !== undefined);

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
