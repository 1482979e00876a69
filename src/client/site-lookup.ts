import { AnalyticsError, quoteWord } from "../errors.ts";
import type { Call, CallOptions } from "../operations/call.ts";
import { sites } from "../operations/index.ts";
import { listSites } from "../operations/site-name.ts";
import { NOT_LISTED } from "../operations/warning.ts";

const MAX_LISTED = 20;
const NO_SITES = "There are no sites yet.";

/**
 * Runs a query for somebody who may not know the sites. `site` may be left out if a default site is set or the key has
 * exactly one. Otherwise, and if the site is unknown, throws AnalyticsError `missing_parameter` or `site_not_found` with
 * the sites to choose from.
 */
export async function askForSite<T>(
  call: Call,
  input: Record<string, unknown>,
  options: CallOptions,
  ask: (params: Record<string, unknown>) => Promise<T>,
): Promise<T> {
  const { site = (await call.readSite?.()) ?? (await findOnlySite(call, options)), ...rest } = input;
  const params = { site, ...rest };
  try {
    return await ask(params);
  } catch (error) {
    if (!(error instanceof AnalyticsError) || error.code !== "site_not_found") throw error;
    const { domains, reason } = await readDomains(call, options);
    throw createUnknownSiteError(String(params.site), domains, error, reason);
  }
}

/** The error for a site that people do not have, with those that they have. */
export function createUnknownSiteError(
  site: string,
  domains: string[],
  cause?: AnalyticsError,
  reason = NO_SITES,
) {
  return new AnalyticsError("site_not_found", `You have no site ${quoteWord(site)}.`, {
    status: cause?.status,
    hint: domains.length === 0 ? reason : `Your sites are: ${listSites(domains, MAX_LISTED)}.`,
    parameters: [{ parameter: "site", detail: "is unknown", allowed: domains.slice(0, MAX_LISTED) }],
    cause,
  });
}

async function findOnlySite(call: Call, options: CallOptions): Promise<string> {
  const { domains, reason } = await readDomains(call, options);
  const [only] = domains;
  if (only !== undefined && domains.length === 1) return only;
  const isEmpty = domains.length === 0;
  const addSite = reason === undefined ? "Add a site in your analytics dashboard." : undefined;
  const message = isEmpty
    ? (reason ?? NO_SITES)
    : `Which site? You have ${domains.length}: ${listSites(domains, MAX_LISTED)}.`;
  throw new AnalyticsError("missing_parameter", message, {
    hint: isEmpty ? addSite : "Give one of them as site.",
    parameters: [{ parameter: "site", detail: "is required", allowed: domains.slice(0, MAX_LISTED) }],
  });
}

/** The sites that can be asked about, and why there is none, if the source says it. */
async function readDomains(call: Call, options: CallOptions) {
  const { sites: list, warnings = [] } = await call(sites, {}, options);
  const reason = warnings.find(({ code }) => code === NOT_LISTED)?.detail;
  return { domains: list.map(({ domain }) => domain), reason };
}
