import { createCollector } from "../counting/collector.ts";
import { parseSample, readHead } from "../reading/file-head.ts";
import { findFiles } from "../reading/find-files.ts";
import { adviseOnRotated } from "../reading/named-logs.ts";
import type { LogSettings } from "../settings.ts";
import { createPageHosts, type PageHosts } from "./page-hosts.ts";

/** Their beginnings are enough to find what their pages call the site. */
const MAX_FILES = 5;
/** From how many requests on the pages' word is enough to name logs that nobody has named. */
const ENOUGH = 5;

/** What the person who names logs should know before they are counted. */
export async function lookFirst(settings: LogSettings): Promise<string[]> {
  const { files, onlySite, named } = settings;
  const rotated = adviseOnRotated(files);
  const find = onlySite === undefined ? findOnlyName : onlySite.includes(".") ? findCalled : findProposed;
  const called = await find(settings);
  return [
    ...(rotated ? [rotated] : []),
    ...(called === undefined || named.includes(called) ? [] : [describeCalled(called, onlySite)]),
  ];
}

const describeCalled = (called: string, onlySite: string | undefined): string =>
  onlySite === undefined
    ? `The lines of these logs name no site, so they count as ${called}, the name that their pages use.`
    : `The pages in these logs call their site ${called}, not ${onlySite}. To count them by that name: --site ${called}`;

/** The name of logs that nobody has named, if no line has a host and the pages leave no doubt. */
export const findOnlyName = async (settings: LogSettings): Promise<string | undefined> =>
  (await look(settings, true))?.likely(ENOUGH) ?? undefined;

/** What pages call the site of lines that name none; undefined if they do not say. */
export const findCalled = async (settings: LogSettings): Promise<string | undefined> =>
  (await look(settings))?.likely() ?? undefined;

/** The same, or what links between the pages say, which somebody must confirm. @param isOnly As in `look`. */
export const findProposed = async (settings: LogSettings, isOnly = false): Promise<string | undefined> =>
  (await look(settings, isOnly))?.proposed() ?? undefined;

/** @param isOnly Whether to find nothing if a line or an option names a site. */
async function look(settings: LogSettings, isOnly = false): Promise<PageHosts | undefined> {
  const hosts = createPageHosts();
  const collector = createCollector({ ...settings, onlySite: "localhost", geoip: undefined });
  // What cannot be read fails when it is counted.
  const files = await findFiles({ ...settings, mayBeGone: true }).catch(() => []);
  if (isOnly && files.some(({ site }) => site !== undefined)) return undefined;
  let read = 0;
  for (const { site, ...file } of files) {
    if (site !== undefined || (!isOnly && read >= MAX_FILES)) continue;
    const head = await readHead(file, settings.format).catch(() => undefined);
    if (head?.hasHosts && isOnly) return undefined;
    if (head === undefined || head.hasHosts || read++ >= MAX_FILES) continue;
    for (const { line } of parseSample(head)) hosts.add(line, collector.add(line, { hasHosts: false, site }));
  }
  return hosts;
}
