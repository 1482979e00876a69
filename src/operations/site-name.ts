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
