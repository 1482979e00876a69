import type { LocalContext } from "../source-types.ts";
import { findOnlyName, findProposed } from "./command/first-look.ts";
import { createNamelessError } from "./counting/sites.ts";
import { findSavedName, recallSites } from "./histories.ts";
import { readLogSettings } from "./open.ts";
import { readHead } from "./reading/file-head.ts";
import { findFiles } from "./reading/find-files.ts";
import { assertOneSite } from "./reading/named-logs.ts";

/**
 * Refuses logs of which nothing says the site, as every question about them would, before a server starts: only the first lines of each
 * file are read. What else may be wrong shows when the logs are read, since it can change meanwhile. Throws AnalyticsError `usage`.
 */
export async function assertNamed(context: LocalContext): Promise<void> {
  const settings = readLogSettings(context.flags, context.environment.ANALYTICS_SITE);
  const { sites, files, format } = settings;
  if (sites.length > 0 || files.some(({ site }) => site !== undefined)) return;
  if ((await recallSites(context).catch(() => undefined)) !== undefined) return;
  if ((await findSavedName(settings, context.environment)) !== undefined) return;
  const holders = new Map<string, { hasHosts: boolean; site: undefined }>();
  for (const file of await findFiles({ ...settings, mayBeGone: true }).catch(() => [])) {
    const head = await readHead(file, format).catch(() => undefined);
    if (head === undefined || head.fingerprint === "") continue;
    if (head.hasHosts) return;
    holders.set(file.path, { hasHosts: false, site: undefined });
  }
  assertOneSite(holders, settings);
  if (holders.size > 0 && (await findOnlyName(settings)) === undefined)
    throw createNamelessError({ ...settings, proposedSite: await findProposed(settings, true) });
}
