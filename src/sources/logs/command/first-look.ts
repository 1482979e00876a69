import { createCollector } from "../counting/collector.ts";
import { nameAnew } from "../counting/sites.ts";
import { parseSample, readHead } from "../reading/file-head.ts";
import { findFiles, STDIN } from "../reading/find-files.ts";
import { adviseOnRotated } from "../reading/named-logs.ts";
import type { LogSettings } from "../settings.ts";
import { createPageHosts } from "./page-hosts.ts";

/** Their beginnings are enough to find a name that was pasted. */
const MAX_FILES = 5;

/** What the person who names logs should know before they are counted. */
export async function lookFirst(settings: LogSettings): Promise<string[]> {
  const { files, onlySite } = settings;
  if (files.some(({ glob }) => glob === STDIN)) return [];
  const rotated = adviseOnRotated(files);
  // What cannot be read fails when it is counted.
  const called = await findCalled(settings).catch(() => undefined);
  return [
    ...(rotated ? [rotated] : []),
    ...(called
      ? [`The pages in these logs call their site ${called}, not ${onlySite}. ${nameAnew(files, called)}`]
      : []),
  ];
}

/** The site of lines that name none, as their pages call it, if it was named otherwise. */
async function findCalled(settings: LogSettings): Promise<string | undefined> {
  if (settings.onlySite === undefined) return undefined;
  const hosts = createPageHosts();
  const collector = createCollector({ ...settings, geoip: undefined });
  const named = (await findFiles({ ...settings, mayBeGone: true })).filter(({ site }) => site === undefined);
  for (const { site, ...file } of named.slice(0, MAX_FILES)) {
    const head = await readHead(file, settings.format);
    if (head.hasHosts) continue;
    for (const { line } of parseSample(head)) hosts.add(line, collector.add(line, { hasHosts: false, site }));
  }
  const called = hosts.likely();
  return called === null || settings.named.includes(called) ? undefined : called;
}
