import { AnalyticsError, quoteWord } from "../errors.ts";
import { listSites } from "../operations/site-name.ts";
import { suggestSite } from "../suggest.ts";

const MAX_LISTED = 20;
const NO_SITES = "There are no sites yet.";

/**
 * The error for a site that people do not have, with those that they have.
 *
 * @param reason Why they have none, if the source says it.
 */
export function createUnknownSiteError(
  site: string,
  domains: string[],
  cause?: AnalyticsError,
  reason = NO_SITES,
) {
  return new AnalyticsError("site_not_found", `You have no site ${quoteWord(site)}.`, {
    status: cause?.status,
    hint:
      domains.length === 0
        ? reason
        : `${suggestSite(site, domains)}Your sites are: ${listSites(domains, MAX_LISTED)}.`,
    parameters: [{ parameter: "site", detail: "is unknown", allowed: domains.slice(0, MAX_LISTED) }],
    cause,
  });
}

/** The error of a query that names no site, for people who have several, or none. */
export function createNoSiteError(domains: string[], reason: string | undefined) {
  const parameters = [{ parameter: "site", detail: "is required", allowed: domains.slice(0, MAX_LISTED) }];
  if (domains.length === 0) {
    const message = reason === undefined ? NO_SITES : "There is no site to ask about.";
    const hint = reason ?? "Add a site in your analytics dashboard.";
    return new AnalyticsError("missing_parameter", message, { hint, parameters });
  }
  const message = `Which site? You have ${domains.length}: ${listSites(domains, MAX_LISTED)}.`;
  return new AnalyticsError("missing_parameter", message, { hint: "Give one of them as site.", parameters });
}
