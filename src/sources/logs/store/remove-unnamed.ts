import { existsSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import type { DayFiles } from "./day-files.ts";
import { UNFINISHED } from "./files.ts";
import { nameJournal, openFolder } from "./history-folder.ts";
import { listFiles, type NamedDays, openDayFiles } from "./site-files.ts";

/*
 * Removes files of a history that its manifest does not name. Only the holder of the lock may. All of these throw what the
 * system throws; a file that is gone already is no error.
 */

/** By domain, what a manifest names. */
type NamedSites = ReadonlyMap<string, NamedDays>;

/** Removes the manifests that writers which were killed have begun: they have salts. */
export function removeUnfinished(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (name.startsWith("manifest.") && name.endsWith(UNFINISHED))
      rmSync(join(folder, name), { force: true });
  }
}

/** Removes the journals of days that are closed. */
export function removeJournals(folder: string, openDates: readonly string[]): void {
  const used = openDates.map(nameJournal);
  for (const name of readdirSync(openFolder(folder))) {
    if (!used.includes(name)) rmSync(join(openFolder(folder), name), { force: true });
  }
}

/** Removes the files of sites that the manifest named before, and names no longer. */
export function removeReplaced(folder: string, before: NamedSites, now: NamedSites): void {
  for (const [domain, named] of before) {
    const replaced = listReplaced(openDayFiles(folder, domain), named, now.get(domain));
    for (const path of replaced) rmSync(path, { force: true });
  }
}

function listReplaced(files: DayFiles, before: NamedDays, now: NamedDays | undefined): string[] {
  if (now?.hash === before.hash) return [];
  const used = new Set(now === undefined ? [] : listFiles(files, now));
  return listFiles(files, before).filter((path) => !used.has(path));
}

/** Another process may be about to name a file that it has just written. */
const MAX_WRITING_MS = 24 * 3_600_000;

/**
 * Removes the files of sites that processes which were killed have left.
 *
 * @param now Seconds since 1970.
 */
export function removeLeftovers(folder: string, sites: NamedSites, now: number): void {
  for (const [domain, named] of sites) {
    const files = openDayFiles(folder, domain);
    if (!existsSync(files.folder)) continue;
    const used = new Set(listFiles(files, named));
    for (const name of readdirSync(files.folder)) {
      const path = join(files.folder, name);
      if (used.has(path)) continue;
      const stats = statSync(path, { throwIfNoEntry: false });
      if (stats?.isFile() && 1000 * now - stats.mtimeMs > MAX_WRITING_MS) rmSync(path, { force: true });
    }
  }
}
