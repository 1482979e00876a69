import { AnalyticsError } from "../../errors.ts";
import type { Collector } from "./collector.ts";
import type { LogSettings } from "./settings.ts";
import type { SiteLog } from "./site-log.ts";

/** A host is a site if it has at least this share of all page views. */
const LEAST_SHARE = 0.01;

/** The sites of the logs, by domain: those that were named, else the hosts that people visit. Throws AnalyticsError. */
export function listSites({ sites }: Collector, { sites: named, files }: LogSettings): SiteLog[] {
  const all = [...sites.values()].sort((a, b) => (a.domain < b.domain ? -1 : 1));
  const assigned = new Set([...named, ...files.flatMap(({ site }) => site ?? [])]);
  const total = all.reduce((sum, { pageviews }) => sum + pageviews, 0);
  const chosen = all.filter(({ domain }) => assigned.has(domain));
  if (chosen.length > 0) return chosen;
  // A name that the log does not have is mistyped: the error about it lists those that it has.
  const found = all.filter(({ pageviews }) => pageviews > 0 && pageviews >= LEAST_SHARE * total);
  if (found.length === 0 && all.every(({ pageviews }) => pageviews === 0)) throw refuseNameless();
  return found;
}

export function refuseNameless(): AnalyticsError {
  return new AnalyticsError("usage", "The logs do not say which site they are about.", {
    hint: "Name it: --site example.com. Or, for one file per site: --logs example.com=/var/log/nginx/example.com.log",
  });
}
