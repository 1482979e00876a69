import { join } from "node:path";
import { createDayFiles, type DayFiles, type StoredDay } from "./day-files.ts";
import { createShortener, type DimensionLists, lengthen, type ShortSummary } from "./day-summary.ts";
import { readNamed, syncFolder, writeNamed } from "./files.ts";
import type { KeptSite } from "./manifest.ts";

/*
 * The files of a site: those of its days, and the list of its closed days, which the manifest names by its hash.
 */

/** What the manifest names of a site's closed days, itself or in their list. */
export interface NamedDays {
  /** The hash of the list of closed days; null if there is none. */
  hash: string | null;
  days: ReadonlyMap<string, StoredDay>;
}

/** @param folder That of the history. */
export const openDayFiles = (folder: string, site: string): DayFiles =>
  createDayFiles(join(folder, "sites", nameFolder(site)));

/** A site is named after a host, which is a folder's name. Whatever else it is, it stays below the folder. */
const nameFolder = (site: string) => site.replaceAll(/[^a-z0-9.-]/gi, "_").replace(/^\.+/, "_");

export const listPath = (files: DayFiles, hash: string) => join(files.folder, `days.${hash}.json`);

/** Throws DamagedFile, or what the system throws. */
export function readNamedDays(files: DayFiles, { days: hash }: Pick<KeptSite, "days">): NamedDays {
  if (hash === null) return { hash, days: new Map() };
  const { dimensions, days }: DayList = JSON.parse(readNamed(listPath(files, hash), hash).toString());
  return {
    hash,
    days: new Map(Object.entries(days).map(([date, day]) => [date, lengthen(day, dimensions)])),
  };
}

/** The list of a site's closed days in its file. */
interface DayList {
  dimensions: DimensionLists;
  days: Record<string, Omit<StoredDay, "dimensions"> & ShortSummary>;
}

/** Writes the list of closed days. Returns its hash; null if there are none. Throws what the system throws. */
export function writeDayList(files: DayFiles, days: NamedDays["days"]): string | null {
  if (days.size === 0) return null;
  const { shorten, lists } = createShortener();
  const short = Object.fromEntries([...days].map(([date, day]) => [date, shorten(day)]));
  const list = `${JSON.stringify({ dimensions: lists, days: short })}\n`;
  const hash = writeNamed((name) => listPath(files, name), list);
  syncFolder(files.folder);
  return hash;
}

/** The paths of all files of a site. */
export const listFiles = (files: DayFiles, { hash, days }: NamedDays): string[] => [
  ...(hash === null ? [] : [listPath(files, hash)]),
  ...[...days].flatMap(([date, day]) => files.listFiles(date, day)),
];
