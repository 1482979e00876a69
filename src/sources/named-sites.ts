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
