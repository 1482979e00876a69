import { statSync } from "node:fs";
import { join, relative } from "node:path";
import { type Damage, type DayCounts, DEFINITION } from "../counting/day-counts.ts";
import type { DayInProgress } from "../counting/open-day.ts";
import type { SiteLog } from "../counting/site-log.ts";
import { createCalendar, type LogCalendar } from "../day-span.ts";
import type { DayFiles, DayHead, StoredDay } from "./day-files.ts";
import { atFile, DamagedFile } from "./files.ts";
import { createJournalWriter, type JournalWriter } from "./journal-writer.ts";
import { readManifest } from "./manifest.ts";
import { type NamedDays, openDayFiles } from "./site-files.ts";

/**
 * The folder of a history, and what this process knows of the files there. load-history.ts and save-history.ts keep it
 * up to date.
 */
export interface HistoryFolder {
  readonly path: string;
  /** That of the manifest, or of what is being saved. */
  calendar: LogCalendar;
  /** Which file the manifest was when it was last read or written here; empty if there was none. */
  manifestFile: string;
  /** Its generation; 0 if there was none. */
  generation: number;
  /** By date, how much of the journal counts. */
  journals: Record<string, number>;
  /** By domain, what the manifest names. */
  sites: ReadonlyMap<string, NamedDays>;
  /** By site and date, open days of which a part is damaged: they are not read again. */
  readonly damaged: Map<string, Damage>;
  /** Whether what was read makes up for damage, and is to be saved. */
  isRepaired: boolean;
  /** The paths of what cannot be read: it is put aside when the history is saved. */
  readonly aside: Set<string>;
  /** What was said to be damaged. */
  readonly told: Set<string>;
  /** Tells the person who runs this program about damage. */
  warn(text: string): void;
  /** What the journals have of open days. */
  readonly journalWriter: JournalWriter;
  /** What is on disk of the counts of closed days. */
  readonly stored: WeakMap<DayCounts, StoredDay>;
  /** What the manifest names of days whose requests were not needed yet. */
  readonly named: WeakMap<DayInProgress, { salt: Uint8Array; parts: number }>;
}

export const createHistoryFolder = (path: string, warn: (text: string) => void): HistoryFolder => ({
  path,
  calendar: createCalendar([]),
  manifestFile: "",
  generation: 0,
  journals: {},
  sites: new Map(),
  damaged: new Map(),
  isRepaired: false,
  aside: new Set(),
  told: new Set(),
  warn,
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

/** Which file the manifest is: each is a new file. Throws what the system throws. */
export function identifyManifest(folder: HistoryFolder): string {
  const path = manifestPath(folder);
  try {
    const stats = atFile(path, () => statSync(path, { throwIfNoEntry: false, bigint: true }));
    return stats === undefined ? "" : `${stats.ino} ${stats.mtimeNs} ${stats.size}`;
  } catch (error) {
    if (error instanceof DamagedFile) return error.message;
    throw error;
  }
}

/** Throws as `readManifest`. */
export const readCurrentManifest = (folder: HistoryFolder) =>
  readManifest(manifestPath(folder), DEFINITION, (damage) => void noteDamage(folder, damage));

/** Whether another process has written since. Throws as `readCurrentManifest`, but for damage. */
export function hasChanged(folder: HistoryFolder): boolean {
  try {
    return (readCurrentManifest(folder)?.generation ?? 0) !== folder.generation;
  } catch (error) {
    if (!(error instanceof DamagedFile)) throw error;
    return folder.generation !== 0;
  }
}

/** Says what is damaged, once, and has the history saved without it. */
export function noteDamage(folder: HistoryFolder, { path, message }: DamagedFile): Damage {
  folder.isRepaired = true;
  folder.aside.add(path);
  if (!folder.told.has(path)) {
    folder.told.add(path);
    folder.warn(
      `A file in the history of these logs is damaged (${path}: ${message}). What is whole is used. Answers name the days of which something is missing.`,
    );
  }
  return { file: relative(folder.path, path), reason: message };
}

/** The name of a site's day in `damaged`. */
export const nameDay = (site: string, date: string): string => `${site} ${date}`;

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
