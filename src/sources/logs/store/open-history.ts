import { existsSync, lstatSync, renameSync } from "node:fs";
import { join } from "node:path";
import { isWritableByOthers } from "../../../config/file-permissions.ts";
import { explainSystemError } from "../../../config/system-error.ts";
import type { Environment } from "../../../config/variables.ts";
import { AnalyticsError } from "../../../errors.ts";
import type { LogSettings } from "../settings.ts";
import { DamagedFile, makeFolder } from "./files.ts";
import {
  type FoundHistory,
  findHistoriesFolder,
  findHistory,
  isPart,
  type PartOfHistory,
  writeLink,
} from "./find-history.ts";
import { createHistory, type History } from "./history.ts";
import type { KeptState } from "./load-history.ts";
import { LockTimeout } from "./lock.ts";
import { NewerFormat } from "./manifest.ts";
import { findFreeName } from "./put-aside.ts";

/** The history of some logs, as far as it can be used. */
export interface OpenHistory extends Pick<History, "writeDay" | "isCurrent" | "noteDamage"> {
  folder: string;
  /** The patterns of other histories that have some of the same files. */
  others: readonly string[];
  /** Throws AnalyticsError `unavailable` if it can no longer be read. */
  load(): KeptState | undefined;
  /** As `History.hasAll`; false also if that cannot be told. */
  hasAll: History["hasAll"];
  /** As `History.save`, but returns why nothing could be written; throws only if a newer version of this program wrote. */
  save: (...given: Parameters<History["save"]>) => boolean | NotKept;
}

/** Why an answer's counts could not be saved. */
export interface NotKept {
  reason: string;
}

/**
 * Opens the history of these logs. Nothing is kept of logs that are a part of those of another history, and nothing can be if there
 * is a reason.
 */
export async function openHistoryOf(
  settings: LogSettings,
  environment: Environment,
  warn: (text: string) => void,
): Promise<OpenHistory | PartOfHistory | NotKept> {
  const notKept = (reason: string): NotKept => {
    warn(`The counts of these logs are not kept: ${reason}.`);
    return { reason };
  };
  const histories = findHistoriesFolder(environment);
  if (histories === undefined) return notKept("HOME is not set");
  const found = await findHistory(histories, settings).catch((error: unknown) => {
    if (error instanceof AnalyticsError) throw error;
    return notKept(`${histories} cannot be used, because ${explain(error)}`);
  });
  if ("reason" in found || isPart(found)) return found;
  const { folder } = found;
  const parents = [join(folder, "..", ".."), join(folder, "..")];
  const foreign = [...parents, folder].find((path) => existsSync(path) && isWritableByOthers(path));
  if (foreign !== undefined)
    return notKept(`other users could change ${foreign}. chmod 700 it, or remove it`);
  const open = () => {
    makeFolder(histories);
    const stats = lstatSync(folder, { throwIfNoEntry: false });
    if (stats?.isSymbolicLink()) throw new TypeError("A history is no link.");
    if (stats?.isDirectory() === false) throw new TypeError("A history is no file.");
    return guardHistory(createHistory(folder, warn), found, warn);
  };
  try {
    return open();
  } catch (error) {
    if (!(error instanceof DamagedFile))
      return notKept(`${folder} cannot be used, because ${explain(error)}`);
    moveAside(folder, error, warn);
    return open();
  }
}

function moveAside(folder: string, { path, message }: DamagedFile, warn: (text: string) => void): void {
  const aside = findFreeName(`${folder}.damaged`);
  renameSync(folder, aside);
  warn(
    `The history of these logs cannot be used (${path}: ${message}) and is now in ${aside}. Days whose log files are gone are missing until it is restored from a backup.`,
  );
}

/** Whether nothing can be kept. */
export const isNotKept = (history: OpenHistory | PartOfHistory | NotKept | boolean): history is NotKept =>
  typeof history === "object" && "reason" in history;

/** Loads a history, so that damage is found at once. */
function guardHistory(history: History, found: FoundHistory, warn: (text: string) => void): OpenHistory {
  let first = history.load();
  let isLoaded = true;
  let isKept = true;
  let isLinked = false;
  return {
    folder: history.folder,
    others: found.others,
    writeDay: history.writeDay,
    isCurrent: history.isCurrent,
    hasAll: (state) => {
      try {
        return history.hasAll(state);
      } catch {
        return false;
      }
    },
    noteDamage: history.noteDamage,
    load: () => {
      const kept = isLoaded ? first : loadAgain(history);
      isLoaded = false;
      first = undefined;
      return kept;
    },
    save: (state, now) => {
      try {
        const isSaved = history.save(state, now);
        if (isSaved && !isLinked) writeLink(found);
        isLinked ||= isSaved;
        isKept = true;
        return isSaved;
      } catch (error) {
        // What it counts would not agree with the newer one, whose files it cannot read.
        if (error instanceof NewerFormat) throw createUnreadableError(error);
        const reason = explain(error);
        // It is tried again with the next answer: a disk is not full for ever.
        if (isKept) warn(`The counts of these logs cannot be kept in ${history.folder}: ${reason}.`);
        isKept = false;
        return { reason };
      }
    },
  };
}

/** Other processes have written since the history was opened. */
function loadAgain(history: History): KeptState | undefined {
  try {
    return history.load();
  } catch (cause) {
    throw createUnreadableError(cause);
  }
}

function createUnreadableError(cause: unknown): AnalyticsError {
  const message =
    cause instanceof NewerFormat
      ? "A newer version of this program counts these logs now."
      : `The history of these logs cannot be read: ${explain(cause)}.`;
  return new AnalyticsError("unavailable", message, { hint: "Start this one again.", cause });
}

/** A clause about what prevents using a history. */
export function explain(error: unknown): string {
  if (error instanceof DamagedFile) return `${error.path}: ${error.message}`;
  const isKnown = [NewerFormat, LockTimeout].some((kind) => error instanceof kind);
  return isKnown ? (error as Error).message : explainSystemError(error);
}
