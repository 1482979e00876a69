import { existsSync, readdirSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { AnalyticsError, quotePath } from "../../../errors.ts";
import { DEFINITION } from "../counting/day-counts.ts";
import { hashFile, makeFolder, readOwn, syncFolder, writeWhole } from "./files.ts";
import { nameJournal, openFolder } from "./history-folder.ts";
import { takeLock } from "./lock.ts";
import { type KeptSite, type Manifest, readManifest, writeManifest } from "./manifest.ts";
import { listFiles, openDayFiles, readNamedDays } from "./site-files.ts";

/** What a backup has. */
export interface Backup {
  files: number;
  bytes: number;
  /** The days that can still grow: they are in it with their salts, or left out. */
  open: string[];
  /** Files of closed days that are missing or damaged, and so not in it. */
  damaged: string[];
}

/**
 * Copies a history to a folder, as of one moment: nothing is written to it meanwhile. Throws AnalyticsError if the folder is not empty
 * or there is no history, LockTimeout, DamagedFile, or what the system throws.
 *
 * @param closedOnly Leaves out the days that can still grow, and so all salts. What is known of how far the logs were read goes with
 * them: whoever restores it reads these days again.
 */
export function backUpHistory(folder: string, target: string, closedOnly: boolean): Backup {
  if (existsSync(target) && readdirSync(target).length > 0) {
    throw new AnalyticsError("usage", `${quotePath(target)} is not empty.`, { hint: "Name a new folder." });
  }
  const lock = existsSync(folder) ? takeLock(join(folder, "lock")) : undefined;
  try {
    const found = lock && readManifest(join(folder, "manifest"), DEFINITION);
    if (found === undefined)
      throw new AnalyticsError("usage", "Nothing is kept of these logs yet.", {
        hint: "Ask about them first.",
      });
    const manifest = closedOnly ? leaveOutOpen(found) : found;
    makeFolder(target);
    const { written, damaged } = copyDays(folder, target, manifest);
    written.push(...copyJournals(folder, target, manifest));
    // Without it, the rest does not count.
    writeManifest(join(target, "manifest"), manifest);
    syncFolder(target);
    return {
      files: written.length + 1,
      bytes: written.reduce((sum, bytes) => sum + bytes, 0),
      open: [...new Set(found.sites.flatMap(({ open }) => Object.keys(open)))].sort(),
      damaged,
    };
  } finally {
    lock?.release();
  }
}

/** Returns the sizes of what was copied. */
function copyDays(folder: string, target: string, { sites }: Manifest) {
  const [written, damaged]: [number[], string[]] = [[], []];
  for (const site of sites) {
    const files = openDayFiles(folder, site.domain);
    for (const path of listFiles(files, readNamedDays(files, site))) {
      const bytes = readWhole(path);
      if (bytes === undefined) {
        damaged.push(path);
        continue;
      }
      const copy = join(target, relative(folder, path));
      makeFolder(dirname(copy));
      writeWhole(copy, bytes);
      written.push(bytes.length);
    }
  }
  return { written, damaged };
}

/** Undefined if its bytes are not those that its name tells. */
function readWhole(path: string): Buffer | undefined {
  try {
    const bytes = readOwn(path);
    return path.includes(hashFile(bytes)) ? bytes : undefined;
  } catch {
    return undefined;
  }
}

function copyJournals(folder: string, target: string, { journals }: Manifest): number[] {
  return Object.entries(journals).map(([date, length]) => {
    const bytes = readOwn(join(openFolder(folder), nameJournal(date))).subarray(0, length);
    makeFolder(openFolder(target));
    writeWhole(join(openFolder(target), nameJournal(date)), bytes);
    return bytes.length;
  });
}

/** The closed days alone. Their lines are known to be counted, whichever files have them. */
const leaveOutOpen = (manifest: Manifest): Manifest => ({
  ...manifest,
  contents: [],
  journals: {},
  compared: [],
  dimensions: [],
  sites: manifest.sites.flatMap((site) => (site.days === null ? [] : settle(site))),
});

function settle(site: KeptSite): KeptSite {
  const [, last = ""] = site.closed.at(-1)?.split("/") ?? [];
  return { ...site, open: {}, late: {}, settled: last > site.settled ? last : site.settled };
}
