import { AnalyticsError } from "../errors.ts";
import type { Call, CallOptions } from "../operations/call.ts";
import { sites } from "../operations/index.ts";
import { findDomain } from "../operations/site-name.ts";
import { NOT_LISTED } from "../operations/warning.ts";

/**
 * Runs a query for somebody who may not know the sites. `site` may be the name that its owner gave it, and may be left out
 * if a default site is set or the key has exactly one. Otherwise, and if the site is unknown, throws AnalyticsError `missing_parameter` or `site_not_found` with
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
    const { list, domains, reason } = await readDomains(call, options);
    const named = findDomain(list, String(site));
    if (named !== undefined && named !== site) return ask({ site: named, ...rest });
    const { createUnknownSiteError } = await import("./site-errors.ts");
    throw createUnknownSiteError(String(params.site), domains, error, reason);
  }
}

async function findOnlySite(call: Call, options: CallOptions): Promise<string> {
  const { domains, reason } = await readDomains(call, options);
  const [only] = domains;
  if (only !== undefined && domains.length === 1) return only;
  const { createNoSiteError } = await import("./site-errors.ts");
  throw createNoSiteError(domains, reason);
}

/** The sites that can be asked about, and why there is none, if the source says it. */
async function readDomains(call: Call, options: CallOptions) {
  const { sites: list, warnings = [] } = await call(sites, {}, options);
  const reason = warnings.find(({ code }) => code === NOT_LISTED)?.detail;
  return { list, domains: list.map(({ domain }) => domain), reason };
}
