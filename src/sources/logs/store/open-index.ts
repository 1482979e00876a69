import { createHash } from "node:crypto";
import { existsSync, renameSync } from "node:fs";
import { join, resolve } from "node:path";
import { isWritableByOthers } from "../../../config/file-permissions.ts";
import { findStateFolder } from "../../../config/folders.ts";
import { explainSystemError } from "../../../config/system-error.ts";
import type { Environment } from "../../../config/variables.ts";
import { AnalyticsError } from "../../../errors.ts";
import { findDriver, readResultCode } from "../../../sqlite/driver.ts";
import type { LogSettings } from "../settings.ts";
import { ForeignIndex, openIndexFile } from "./index-file.ts";
import { createLogIndex, type KeptState, type LogIndex } from "./log-index.ts";

/**
 * Opens the index of these logs. Undefined if there is none: this machine has no SQLite, or no folder for it, or its file
 * cannot be used, which `warn` reports.
 *
 * @param now Seconds since 1970.
 */
export async function openIndexOf(
  settings: LogSettings,
  environment: Environment,
  warn: (text: string) => void,
  now: number,
): Promise<LogIndex | undefined> {
  const folder = findStateFolder(environment);
  const open = folder === undefined ? undefined : await findDriver();
  if (folder === undefined || open === undefined) return undefined;
  const foreign = [folder, join(folder, "logs")].find((path) => existsSync(path) && isWritableByOthers(path));
  if (foreign !== undefined) {
    warn(
      `The counts of these logs are not kept: other users could change ${foreign}. chmod 700 it, or remove it.`,
    );
    return undefined;
  }
  const path = join(folder, "logs", `${nameIndex(settings)}.sqlite`);
  const openHere = () => guardIndex(createLogIndex(openIndexFile(path, open)), path, warn, now);
  try {
    return openHere();
  } catch (error) {
    if (!isDamage(error)) {
      warn(`The counts of these logs are not kept: ${path} cannot be used, because ${explainIndex(error)}.`);
      return undefined;
    }
    renameSync(path, `${path}.damaged`);
    warn(
      `The index of these logs was damaged and is now ${path}.damaged. Days whose files are gone are missing.`,
    );
    return openHere();
  }
}

/**
 * Loads an index, so that damage is found at once. If it can no longer be written, answers stay right: the next process reads
 * more from the files.
 */
function guardIndex(index: LogIndex, path: string, warn: (text: string) => void, now: number): LogIndex {
  let first = loadOrClose(index, now);
  let isLoaded = true;
  let isKept = true;
  return {
    ...index,
    load: (later) => {
      const kept = isLoaded ? first : loadAgain(index, later);
      isLoaded = false;
      first = undefined;
      return kept;
    },
    save: (state) => {
      try {
        const isSaved = index.save(state);
        isKept = true;
        return isSaved;
      } catch (error) {
        // It is tried again when there is more to keep: a disk is not full for ever, and logs are deleted one day.
        if (isKept) warn(`The counts of these logs cannot be kept in ${path}: ${explainIndex(error)}.`);
        isKept = false;
        return true;
      }
    },
  };
}

/** Other processes have written since the index was opened. */
function loadAgain(index: LogIndex, now: number): KeptState | undefined {
  try {
    return index.load(now);
  } catch (cause) {
    const message =
      cause instanceof ForeignIndex
        ? "A newer version of this program counts these logs now."
        : `The index of these logs cannot be read: ${explainIndex(cause)}.`;
    throw new AnalyticsError("unavailable", message, { hint: "Start this one again.", cause });
  }
}

function loadOrClose(index: LogIndex, now: number): KeptState | undefined {
  try {
    return index.load(now);
  } catch (error) {
    index.close();
    throw error;
  }
}

/** SQLite's result codes (https://sqlite.org/rescode.html) for a damaged file, and for a file that is no database. */
const DAMAGED = new Set([11, 26]);
const REASONS: Record<number, string> = {
  5: "another process has locked it",
  8: "it is read-only",
  10: "its disk cannot be read or written",
  11: "it is damaged",
  13: "the disk is full",
  14: "it cannot be opened",
  26: "it is damaged",
};

/** If neither SQLite nor the system failed, the content cannot be read. */
function isDamage(error: unknown): boolean {
  const code = readResultCode(error);
  if (code !== undefined) return DAMAGED.has(code);
  return !(error instanceof ForeignIndex) && Object(error).syscall === undefined;
}

function explainIndex(error: unknown): string {
  if (error instanceof ForeignIndex) return error.message;
  return REASONS[readResultCode(error) ?? 0] ?? explainSystemError(error);
}

/** Settings that change the counts get an index of their own. */
function nameIndex({ acceptProxyAddresses: _, stdin: __, ...counted }: LogSettings): string {
  const { format, files, geoip, ...settings } = counted;
  const places = files.map(({ glob, site }) => [resolve(glob), site ?? null]);
  const key = JSON.stringify([places, format?.name ?? null, geoip?.name ?? null, settings]);
  return createHash("sha256").update(key).digest("hex").slice(0, 32);
}
