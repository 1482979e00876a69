import { statSync } from "node:fs";
import { join } from "node:path";
import { readMember } from "../../../member.ts";
import { DEFINITION } from "../counting/day-counts.ts";
import { createCalendar } from "../day-span.ts";
import { listZones } from "../saved-options.ts";
import type { createDayFiles } from "./day-files.ts";
import { hashFile, readOwn } from "./files.ts";
import { isHistory, listNames } from "./find-history.ts";
import { nameJournal, openFolder } from "./history-folder.ts";
import type { HistoryLogs } from "./history-logs.ts";
import { copyOf, type Manifest, readManifest, readNamedDay, readOne } from "./manifest.ts";
import { explain } from "./open-history.ts";
import { readJournal } from "./read-journal.ts";
import { listPath, openDayFiles, readNamedDays } from "./site-files.ts";

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

/** A history of this user, whether it can be read or not. */
export interface ListedHistory {
  folder: string;
  /** Undefined if it cannot be read. */
  logs?: HistoryLogs;
  report?: HistoryReport;
  /** Why it cannot be read. */
  reason?: string;
  /** Where damaged parts of it are now. */
  aside: string[];
}

/** Lists the histories in a folder. */
export const inspectHistories = (folder: string): ListedHistory[] => {
  const names = listNames(folder);
  return names.filter(isHistory).map((name) => {
    const path = join(folder, name);
    const aside = names
      .filter((other) => other.startsWith(`${name}.damaged`))
      .map((other) => join(folder, other));
    try {
      const manifest = readManifest(join(path, "manifest"), DEFINITION);
      const report = inspectHistory(path);
      if (manifest === undefined || report === undefined) return { folder: path, aside };
      return { folder: path, logs: manifest.logs, report, aside };
    } catch (error) {
      return { folder: path, reason: explain(error), aside };
    }
  });
};

/**
 * Reads all files of a history. Undefined if there is none. Throws DamagedFile, NewerFormat, or what the system throws.
 */
export function inspectHistory(folder: string): HistoryReport | undefined {
  const path = join(folder, "manifest");
  const manifest = readManifest(path, DEFINITION);
  if (manifest === undefined) return undefined;
  const damaged = [path, copyOf(path)].filter((each) => !isWhole(() => readOne(each, DEFINITION)));
  damaged.push(...findDamagedJournals(folder, manifest));
  const dates = new Set<string>();
  let bytes = 2 * Buffer.byteLength(JSON.stringify(manifest));
  for (const length of Object.values(manifest.journals)) bytes += length;
  for (const site of manifest.sites) {
    const files = openDayFiles(folder, site.domain);
    const list = listPath(files, site.days ?? "");
    if (site.days !== null && !isWhole(() => statSync(list) && readNamedDays(files, site))) {
      damaged.push(list);
      continue;
    }
    const named = readNamedDays(files, site);
    if (named.hash !== null) bytes += statSync(list).size;
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

function isWhole(read: () => unknown): boolean {
  try {
    return read() !== undefined;
  } catch {
    return false;
  }
}

/** The journals of which a part cannot be read, which another process may replace at this moment. */
function findDamagedJournals(folder: string, { journals, sites, logs }: Manifest): string[] {
  const calendar = createCalendar(listZones(logs.options));
  return Object.entries(journals).flatMap(([date, length]) => {
    const path = join(openFolder(folder), nameJournal(date));
    const days = sites.flatMap(({ domain, open }) => {
      const day = readMember(open, date);
      return day === undefined ? [] : [[domain, readNamedDay(day)] as const];
    });
    const isWholeJournal = isWhole(() => {
      const journal = readJournal({ path, length, day: calendar.spanOf(date), days: new Map(days) });
      for (const [site] of days) journal.takeDay(site);
      return journal;
    });
    return isWholeJournal ? [] : path;
  });
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
