import { AnalyticsError } from "../../../errors.ts";
import { createCollector } from "../counting/collector.ts";
import { openGeoip } from "../counting/geoip.ts";
import { createFileRegistry } from "../reading/file-registry.ts";
import type { LogContent } from "../reading/log-content.ts";
import type { LogSettings } from "../settings.ts";
import { createHitExport, type ExportedDay, type ExportOptions } from "./hit-export.ts";

export interface ExportSummary {
  /** The closed days, in the order in which they were written. */
  days: readonly ExportedDay[];
  /** Days that are still open, by site. */
  open: { site: string; date: string }[];
  /** Sites that were asked for, but that no line is about. */
  unknown: string[];
  /** Lines that came after their day was written. */
  late: number;
  /** Files whose reading ended early. */
  damaged: LogContent[];
}

/**
 * Reads logs and writes the hits of the days that are closed. Throws AnalyticsError as queries do, and `usage` if the
 * sites are not named: otherwise the hosts that count as sites could change from day to day.
 */
export async function exportHits(
  settings: LogSettings,
  clock: () => number,
  options: Omit<ExportOptions, "sites" | "acceptProxyAddresses">,
  signal?: AbortSignal,
): Promise<ExportSummary> {
  const sites = new Set([...settings.sites, ...settings.files.flatMap(({ site }) => site ?? [])]);
  if (sites.size === 0) {
    throw new AnalyticsError("usage", "Name the sites to export.", {
      hint: "Such as --site example.com, or example.com=/var/log/nginx/example.com.log",
    });
  }
  const { acceptProxyAddresses, geoip } = settings;
  const recorder = createHitExport({ ...options, sites, acceptProxyAddresses });
  const findPlace = geoip === undefined ? undefined : openGeoip(geoip.path);
  const collector = createCollector(settings, { recorder, findPlace, onClose: recorder.closeDay });
  const registry = createFileRegistry(settings, collector, clock);
  await registry.refresh(signal);
  const logs = [...collector.sites.values()].filter(({ domain }) => sites.has(domain));
  return {
    days: recorder.days,
    open: logs.flatMap(({ domain, open }) => [...open.keys()].map((date) => ({ site: domain, date }))),
    unknown: [...sites].filter((site) => collector.sites.get(site)?.first === undefined),
    late: logs.flatMap(({ late }) => [...late.values()]).reduce((sum, lines) => sum + lines, 0),
    damaged: [...registry.contents.values()].filter(({ damage }) => damage !== undefined),
  };
}
