import { join } from "node:path";
import type { DayCounts } from "../counting/day-counts.ts";
import type { SiteLog } from "../counting/site-log.ts";
import { type DamagedDay, makeFolder } from "./files.ts";
import {
  createHistoryFolder,
  describeDay,
  filesOf,
  hasChanged,
  identifyManifest,
  nameDay,
  noteDamage,
  openFolder,
  openStored,
  readCurrentManifest,
} from "./history-folder.ts";
import { type KeptState, loadHistory } from "./load-history.ts";
import { takeLock } from "./lock.ts";
import { hasLines, type LogState } from "./manifest.ts";
import { removeUnfinished } from "./remove-unnamed.ts";
import { saveHistory } from "./save-history.ts";

/** Keeps what was read in one folder: the next process continues where this one stopped. */
export interface History {
  folder: string;
  /** Undefined if nothing was kept yet. Throws EarlierFormat, NewerFormat, or what the system throws. */
  load(): KeptState | undefined;
  /**
   * Writes the state, all of it or nothing. False if another process has written since `load`: then this one has to load
   * again. Throws what the system throws, LockTimeout, or NewerFormat.
   *
   * @param now Seconds since 1970.
   */
  save(state: LogState, now: number): boolean;
  /** Whether another process has saved all lines of a state, which `save` refused. Throws as `load`. */
  hasAll(state: Pick<LogState, "contents" | "sites" | "logs">): boolean;
  /** Has `load` leave out what is damaged of a day. */
  noteDamage(day: DamagedDay): void;
  /** Whether no other process has written since `load` or `save`. */
  isCurrent(): boolean;
  /** Writes the files of a day that is closed. They count once the state is saved. Throws what the system throws. */
  writeDay(log: SiteLog, date: string, counts: DayCounts, hits: Uint8Array | undefined): DayCounts;
}

/** @param warn Tells the person who runs this program about damage. */
export function createHistory(path: string, warn: (text: string) => void): History {
  const folder = createHistoryFolder(path, warn);
  return {
    folder: path,
    load: () => loadHistory(folder),
    save: (state, now) => {
      makeFolder(openFolder(path));
      const lock = takeLock(join(path, "lock"));
      try {
        removeUnfinished(path);
        if (hasChanged(folder)) return false;
        return saveHistory(folder, state, { now, isLocked: lock.isHeld });
      } finally {
        lock.release();
      }
    },
    hasAll: (state) => {
      const manifest = readCurrentManifest(folder);
      return manifest !== undefined && hasLines(manifest, state);
    },
    noteDamage: (day) => void folder.damaged.set(nameDay(day.site, day.date), noteDamage(folder, day)),
    isCurrent: () => identifyManifest(folder) === folder.manifestFile,
    writeDay: (log, date, counts, hits) => {
      const files = filesOf(folder, log.domain);
      return openStored(folder, files, date, files.write(describeDay(folder, log, date), counts, hits));
    },
  };
}
