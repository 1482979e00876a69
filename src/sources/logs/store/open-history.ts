import { createHash } from "node:crypto";
import { existsSync, lstatSync, readdirSync, renameSync } from "node:fs";
import { join, resolve } from "node:path";
import { isWritableByOthers } from "../../../config/file-permissions.ts";
import { findStateFolder } from "../../../config/folders.ts";
import { explainSystemError } from "../../../config/system-error.ts";
import type { Environment } from "../../../config/variables.ts";
import { AnalyticsError } from "../../../errors.ts";
import { DEFINITION } from "../counting/day-counts.ts";
import type { LogSettings } from "../settings.ts";
import { DamagedFile, makeFolder } from "./files.ts";
import { createHistory, type History } from "./history.ts";
import type { KeptState } from "./load-history.ts";
import { LockTimeout } from "./lock.ts";
import { NewerFormat, readManifest } from "./manifest.ts";
import { findFreeName } from "./put-aside.ts";

/** The history of some logs, as far as it can be used. */
export interface OpenHistory extends Pick<History, "writeDay" | "isCurrent" | "noteDamage"> {
  folder: string;
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
 * Opens the history of these logs. A text says why nothing can be kept; undefined if there is no state folder at all.
 */
export function openHistoryOf(
  settings: LogSettings,
  environment: Environment,
  warn: (text: string) => void,
): OpenHistory | NotKept | undefined {
  const folder = findHistoryFolder(settings, environment);
  if (folder === undefined) return undefined;
  const notKept = (reason: string): NotKept => {
    warn(`The counts of these logs are not kept: ${reason}.`);
    return { reason };
  };
  const parents = [join(folder, "..", ".."), join(folder, "..")];
  const foreign = [...parents, folder].find((path) => existsSync(path) && isWritableByOthers(path));
  if (foreign !== undefined)
    return notKept(`other users could change ${foreign}. chmod 700 it, or remove it`);
  const open = () => {
    if (!existsSync(folder)) warnOfOtherOptions(folder, settings, warn);
    makeFolder(folder);
    if (lstatSync(folder).isSymbolicLink()) throw new TypeError("A history is no link.");
    const { timezone, keep } = settings;
    const logs = { patterns: listPatterns(settings), options: describeOptions(settings) };
    return guardHistory(createHistory({ folder, timezone, keep, logs, warn }), warn);
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

/** A history belongs to its options: with others, days whose log files are gone are in another one. */
function warnOfOtherOptions(folder: string, settings: LogSettings, warn: (text: string) => void): void {
  const parent = join(folder, "..");
  const patterns = JSON.stringify(listPatterns(settings));
  const others = existsSync(parent) ? readdirSync(parent).map((name) => join(parent, name)) : [];
  const earlier = others.find((other) => readPatterns(other) === patterns);
  if (earlier === undefined) return;
  warn(
    `With these options, the logs are counted again from the files that still exist. What was counted with other options stays in ${earlier}.`,
  );
}

/** The patterns of a history, as JSON; undefined if it cannot be read. */
function readPatterns(folder: string): string | undefined {
  try {
    const { logs } = readManifest(join(folder, "manifest"), DEFINITION) ?? {};
    return JSON.stringify(Object(logs).patterns);
  } catch {
    return undefined;
  }
}

const listPatterns = ({ files }: LogSettings): string[] => files.map(({ glob }) => resolve(glob));

/** Whether nothing can be kept. */
export const isNotKept = (history: OpenHistory | NotKept | boolean): history is NotKept =>
  typeof history === "object" && "reason" in history;

/** Loads a history, so that damage is found at once. */
function guardHistory(history: History, warn: (text: string) => void): OpenHistory {
  let first = history.load();
  let isLoaded = true;
  let isKept = true;
  return {
    folder: history.folder,
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

export function explain(error: unknown): string {
  if (error instanceof DamagedFile) return `${error.path}: ${error.message}`;
  const isKnown = [NewerFormat, LockTimeout].some((kind) => error instanceof kind);
  return isKnown ? (error as Error).message : explainSystemError(error);
}

/** The folder of these logs' history, whether it exists or not; undefined if this user has no state folder. */
export function findHistoryFolder(settings: LogSettings, environment: Environment): string | undefined {
  const folder = findStateFolder(environment);
  if (folder === undefined) return undefined;
  const places = settings.files.map(({ glob, site }) => [resolve(glob), site ?? null]);
  const key = JSON.stringify([places, describeOptions(settings)]);
  return join(folder, "logs", createHash("sha256").update(key).digest("hex").slice(0, 32));
}

/** The options that change what counts. */
function describeOptions({
  files: _,
  stdin: __,
  acceptProxyAddresses: ___,
  keep: ____,
  ...settings
}: LogSettings) {
  return { ...settings, format: settings.format?.name, geoip: settings.geoip?.name };
}
