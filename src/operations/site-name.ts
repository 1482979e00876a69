import { quote, quoteIfNeeded } from "../errors.ts";

/**
 * Converts a site as people write it to its domain: removes scheme, userinfo, port, path, `www.` and a trailing dot,
 * and converts to lower case and ASCII (international names). Anything that is not a domain, such as an id, is only
 * trimmed.
 */
export function normalizeSite(site: string): string {
  const text = site.trim();
  const bare = text.replace(/^[a-z][a-z0-9+.-]*:\/\//i, "").replace(/^\/\//, "");
  if (!bare.includes(".")) return bare.replace(/[/?#].*$/, "");
  try {
    return new URL(`http://${bare}`).hostname.replace(/^www\./, "").replace(/\.$/, "");
  } catch {
    return bare.toLowerCase();
  }
}

/**
 * Returns why an answer is not about the requested site, or undefined if its id or domain matches in any spelling. A
 * connection, cache or service that mixes up answers would return another site's numbers.
 */
export function verifySite(actual: { id: string; domain: string }, asked: string): string | undefined {
  const spellings = [actual.id, actual.domain].flatMap((name) => [fold(name), fold(normalizeSite(name))]);
  if ([fold(asked), fold(normalizeSite(asked))].some((spelling) => spellings.includes(spelling)))
    return undefined;
  return `it is about ${quote(actual.domain)}, not ${quote(asked)}`;
}

/**
 * The site of a list that a person means: as it was named if that is its domain or id, else its domain. Undefined if there is
 * none.
 */
export function findListed(
  sites: readonly { id: string; domain: string; name: string }[],
  asked: string,
): string | undefined {
  if (sites.some(({ domain, id }) => domain === asked || id === asked)) return asked;
  const wanted = fold(normalizeSite(asked));
  const found = sites.find(({ id, domain }) => id === wanted || fold(normalizeSite(domain)) === wanted);
  return found?.domain ?? findDomain(sites, asked);
}

/** The domain of the only site that its owner gave this name; undefined if there is none, or more than one. */
export function findDomain(
  sites: readonly { domain: string; name: string }[],
  asked: string,
): string | undefined {
  const [first, ...others] = sites.filter(({ name }) => fold(name) === fold(asked));
  return others.length > 0 ? undefined : first?.domain;
}

/** The first of some sites in a sentence, and how many more there are. */
export function listSites(domains: readonly string[], maxListed: number): string {
  const more = domains.length > maxListed ? ` and ${domains.length - maxListed} more` : "";
  return `${domains.slice(0, maxListed).map(quoteIfNeeded).join(", ")}${more}`;
}

const fold = (text: string) => text.trim().toLowerCase();
