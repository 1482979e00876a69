import { statSync } from "node:fs";
import { join } from "node:path";
import { type DayCounts, DEFINITION } from "../counting/day-counts.ts";
import type { DayInProgress } from "../counting/open-day.ts";
import type { SiteLog } from "../counting/site-log.ts";
import type { DayFiles, DayHead, StoredDay } from "./day-files.ts";
import { atFile } from "./files.ts";
import { createJournalWriter, type JournalWriter } from "./journal-writer.ts";
import { readManifest } from "./manifest.ts";
import { type NamedDays, openDayFiles } from "./site-files.ts";

/**
 * The folder of a history, and what this process knows of the files there. load-history.ts and save-history.ts keep it
 * up to date.
 */
export interface HistoryFolder {
  readonly path: string;
  readonly timezone: string;
  /** Which file the manifest was when it was last read or written here; empty if there was none. */
  manifestFile: string;
  /** Its generation; 0 if there was none. */
  generation: number;
  /** By date, how much of the journal counts. */
  journals: Record<string, number>;
  /** By domain, what the manifest names. */
  sites: ReadonlyMap<string, NamedDays>;
  /** What the journals have of open days. */
  readonly journalWriter: JournalWriter;
  /** What is on disk of the counts of closed days. */
  readonly stored: WeakMap<DayCounts, StoredDay>;
  /** What the manifest names of days whose requests were not needed yet. */
  readonly named: WeakMap<DayInProgress, { salt: Uint8Array; parts: number }>;
}

export const createHistoryFolder = (path: string, timezone: string): HistoryFolder => ({
  path,
  timezone,
  manifestFile: "",
  generation: 0,
  journals: {},
  sites: new Map(),
  journalWriter: createJournalWriter(),
  stored: new WeakMap(),
  named: new WeakMap(),
});

export const manifestPath = ({ path }: HistoryFolder) => join(path, "manifest");
export const openFolder = (path: string) => join(path, "open");
export const nameJournal = (date: string) => `${date}.journal`;
export const journalPath = ({ path }: HistoryFolder, date: string) =>
  join(openFolder(path), nameJournal(date));
export const filesOf = ({ path }: HistoryFolder, site: string) => openDayFiles(path, site);

/** Which file the manifest is: each is a new file. Throws DamagedFile, or what the system throws. */
export function identifyManifest(folder: HistoryFolder): string {
  const path = manifestPath(folder);
  const stats = atFile(path, () => statSync(path, { throwIfNoEntry: false, bigint: true }));
  return stats === undefined ? "" : `${stats.ino} ${stats.mtimeNs} ${stats.size}`;
}

/** Throws DamagedFile, NewerFormat, or what the system throws. */
export const readCurrentManifest = (folder: HistoryFolder) => readManifest(manifestPath(folder), DEFINITION);

/** Whether another process has written since. Throws as `readCurrentManifest`. */
export const hasChanged = (folder: HistoryFolder): boolean =>
  (readCurrentManifest(folder)?.generation ?? 0) !== folder.generation;

/** What the file of a day says about itself and the site. */
export const describeDay = (
  { generation }: HistoryFolder,
  { domain, pageviews, fields, first, last, places }: SiteLog,
  date: string,
): DayHead => ({
  site: domain,
  date,
  generation,
  log: { pageviews, fields, first: first ?? null, last: last ?? null, places: [...places] },
});

/** Opens the counts of a closed day, and remembers that they are on disk. */
export function openStored(
  { stored }: HistoryFolder,
  files: DayFiles,
  date: string,
  day: StoredDay,
): DayCounts {
  const counts = files.open(date, day);
  stored.set(counts, day);
  return counts;
}
