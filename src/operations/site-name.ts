/**
 * A site as people write it, as the domain that it means: scheme, userinfo, port, path, `www.` and a trailing
 * dot fall away, letters are lower case and international names in their ASCII form. What is no domain (an
 * id) comes back trimmed and in its own case.
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
 * Why an answer is not about the site that was asked for, if so: neither its id nor its domain is what was asked, in
 * whatever spelling. A connection, a cache or a service that mixes answers up gives numbers that are right for
 * another site.
 */
export function verifySite(actual: { id: string; domain: string }, asked: string): string | undefined {
  const spellings = [actual.id, actual.domain].flatMap((each) => [fold(each), fold(normalizeSite(each))]);
  if ([fold(asked), fold(normalizeSite(asked))].some((each) => spellings.includes(each))) return undefined;
  return `it is about ${JSON.stringify(actual.domain)} where ${JSON.stringify(asked)} was asked for`;
}

const fold = (text: string) => text.trim().toLowerCase();
