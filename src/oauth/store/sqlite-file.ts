import { closeSync, constants, lstatSync, mkdirSync, openSync, type Stats, statSync } from "node:fs";
import { dirname } from "node:path";
import { readUserId } from "../../config/file-permissions.ts";
import { AnalyticsError, readErrorCode } from "../../errors.ts";
import { readMember } from "../../member.ts";
import { createStoreError } from "./store-failure.ts";

/** Files that SQLite reads together with the store's; whoever can create one can change the store. */
const SUFFIXES = ["", "-wal", "-shm", "-journal"];

/**
 * Creates a store's file (0600) and its folder (0700) if they are missing. Throws AnalyticsError `usage` if other
 * users can read or replace them. SQLite gives `-wal` and `-shm` the mode of the file. The folder is checked first: if
 * nobody else can write to it, nobody can change the files after their check. Folders above it are the operator's
 * concern. Root may open another user's file, so that its admin commands work.
 */
export function prepareFile(path: string): void {
  const folder = dirname(path);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    assertSafe(statSync(folder), "folder", 0o022);
    for (const suffix of SUFFIXES) {
      const stats = lstatSync(`${path}${suffix}`, { throwIfNoEntry: false });
      if (stats) assertSafe(stats, "file", 0o077);
    }
    const { O_CREAT, O_RDWR, O_NOFOLLOW } = constants;
    closeSync(openSync(path, O_CREAT | O_RDWR | (O_NOFOLLOW ?? 0), 0o600));
  } catch (error) {
    if (error instanceof AnalyticsError) throw error;
    const code = readErrorCode(error);
    const wrong = readMember(WRONG_PLACES, code ?? "");
    if (wrong) {
      throw new AnalyticsError("usage", `The store cannot be opened: ${wrong}.`, {
        hint: "Name another file with --store.",
      });
    }
    throw createStoreError(code === "ENOSPC" ? "its disk is full" : "its file cannot be opened", code);
  }
}

/** Failures that last: the operator has to choose another place. */
const WRONG_PLACES: Record<string, string> = {
  EACCES: "this user has no permission to open its file",
  EROFS: "its disk is read-only",
  EISDIR: "its path is a folder",
  ENOTDIR: "a folder in its path is a file",
  EEXIST: "a folder in its path is a file",
};

function assertSafe(stats: Stats, what: "file" | "folder", forbidden: number): void {
  const createError = (reason: string, hint: string) =>
    new AnalyticsError("usage", `The store's ${what} ${reason}.`, { hint });
  if (what === "file" && (!stats.isFile() || stats.nlink > 1)) {
    throw createError("is a link or not a regular file", "Name the file itself with --store.");
  }
  const uid = readUserId();
  // Windows has no such owners and modes.
  if (uid === undefined) return;
  const trusted = what === "folder" ? [uid, 0] : [uid];
  if (uid !== 0 && !trusted.includes(stats.uid)) {
    throw createError("belongs to another user", "Run this as its owner, or name another file with --store.");
  }
  if ((stats.mode & forbidden) === 0) return;
  throw what === "file"
    ? createError("can be read or written by others", "Run chmod 600 on it and on its -wal and -shm files.")
    : createError(
        "can be written by others",
        "Name a new folder inside it with --store; it will be created with private permissions.",
      );
}

/**
 * Returns a check that the open file is still the one at its path. SQLite would keep writing to a deleted file, and
 * all of that would be lost at the next start.
 */
export function createFileWatch(path: string): () => void {
  const read = () => {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    return stats && `${stats.dev}:${stats.ino}`;
  };
  const opened = read();
  return () => {
    const current = read();
    if (current === opened && current !== undefined) return;
    throw createStoreError("its file was removed or replaced; restart the server", undefined);
  };
}
