import { statSync } from "node:fs";
import { join } from "node:path";
import { DEFINITION } from "../counting/day-counts.ts";
import type { createDayFiles } from "./day-files.ts";
import { hashFile, readOwn } from "./files.ts";
import { readManifest } from "./manifest.ts";
import { listPath, listSites } from "./site-files.ts";

/** What a history has, for the person who runs this program. */
export interface HistoryReport {
  sites: number;
  /** Its first and last day, `YYYY-MM-DD`; undefined if it has none. */
  first: string | undefined;
  last: string | undefined;
  bytes: number;
  /** Files that are missing or whose bytes have changed. */
  damaged: string[];
}

/**
 * Reads all files of a history. Undefined if there is none. Throws DamagedFile, NewerFormat, or what the system throws.
 */
export function inspectHistory(folder: string): HistoryReport | undefined {
  const manifest = readManifest(join(folder, "manifest"), DEFINITION);
  if (manifest === undefined) return undefined;
  const damaged: string[] = [];
  const dates = new Set<string>();
  let bytes = statSync(join(folder, "manifest")).size;
  for (const length of Object.values(manifest.journals)) bytes += length;
  for (const { files, named } of listSites(folder, manifest)) {
    if (named.hash !== null) bytes += statSync(listPath(files, named.hash)).size;
    for (const [date, day] of named.days) {
      dates.add(date);
      bytes += day.bytes;
      damaged.push(...findDamaged(files, date, day));
    }
  }
  for (const { open } of manifest.sites) for (const date of Object.keys(open)) dates.add(date);
  const sorted = [...dates].sort();
  return { sites: manifest.sites.length, first: sorted[0], last: sorted.at(-1), bytes, damaged };
}

type DayFiles = ReturnType<typeof createDayFiles>;

function findDamaged(files: DayFiles, date: string, day: Parameters<DayFiles["listFiles"]>[1]): string[] {
  return files.listFiles(date, day).filter((path) => {
    try {
      return !path.includes(hashFile(readOwn(path)));
    } catch {
      return true;
    }
  });
}
