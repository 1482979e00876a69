import { copyText } from "../copy-text.ts";
import { findDomain } from "../host-name.ts";
import type { LogSettings } from "../settings.ts";
import { type FileSite, listNamed } from "./request.ts";
import { createFindDay, createSiteLog, type FindDay, type SiteLog, type SiteLogs } from "./site-log.ts";

/** The sites that lines are about. */
export interface HostSites {
  /** By domain. */
  readonly logs: SiteLogs;
  /**
   * The site of a line, created if no line was about it before; undefined if its host is not a site.
   *
   * @param rawHost The host of the line.
   */
  find(file: FileSite, rawHost: string | undefined): HostSite | undefined;
}

export interface HostSite {
  log: SiteLog;
  findDay: FindDay;
}

/** By domain, the days of which lines are taken. */
export type OnlyDays = ReadonlyMap<string, ReadonlySet<string>>;

/** If there are more hosts than this, strangers made them up. */
export const MAX_SITES = 1_000;
/** The cache of raw hosts is emptied at this size; it only saves time. */
const MAX_HOSTS = 50_000;

/**
 * @param kept The sites that an earlier process collected.
 * @param onlyDays All days of all sites if absent.
 */
export function createHostSites(
  settings: LogSettings,
  kept: readonly SiteLog[] = [],
  onlyDays?: OnlyDays,
): HostSites {
  const { calendar, onlySite } = settings;
  const logs = new Map<string, SiteLog>();
  const entries = new Map<string, HostSite>();
  const hosts = new Map<string, HostSite | undefined>();
  const named = listNamed(settings);

  const addSite = (log: SiteLog): HostSite => {
    const entry = {
      log,
      findDay: createFindDay(log, onlyDays?.get(log.domain)),
    };
    entries.set(log.domain, entry);
    logs.set(log.domain, log);
    return entry;
  };
  for (const log of kept) addSite(log);

  /** Makes room for a new site among hosts that strangers made up. */
  const forgetUnvisited = () => {
    for (const [domain, { pageviews }] of logs) {
      if (pageviews > 0) continue;
      entries.delete(domain);
      logs.delete(domain);
    }
    hosts.clear();
  };

  const openSite = (domain: string): HostSite | undefined => {
    const known = entries.get(domain);
    if (known !== undefined) return known;
    if (onlyDays !== undefined && !onlyDays.has(domain)) return undefined;
    if (entries.size >= MAX_SITES) forgetUnvisited();
    if (entries.size >= MAX_SITES && !named.has(domain)) return undefined;
    return addSite(createSiteLog(domain, calendar));
  };

  return {
    logs,
    find: ({ site, hasHosts }, rawHost) => {
      const key = site === undefined ? `${hasHosts ? "h" : "n"}${rawHost ?? ""}` : `s${site}`;
      const known = hosts.get(key);
      if (known !== undefined || hosts.has(key)) return known;
      const domain = site ?? findDomain(rawHost, hasHosts ? undefined : onlySite);
      const entry = domain === undefined ? undefined : openSite(domain);
      if (hosts.size >= MAX_HOSTS) hosts.clear();
      hosts.set(copyText(key), entry);
      return entry;
    },
  };
}
