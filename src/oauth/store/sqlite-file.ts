import { closeSync, constants, lstatSync, mkdirSync, openSync, type Stats, statSync } from "node:fs";
import { userInfo } from "node:os";
import { dirname } from "node:path";
import { AnalyticsError } from "../../errors.ts";
import { describeFailure } from "./store-failure.ts";

/** What SQLite puts beside a file; whoever could place one there could change what the file says. */
const COMPANIONS = ["", "-wal", "-shm", "-journal"];

/**
 * Makes a store's file (0600) and its folder (0700) where they are absent, and refuses those that others than
 * their owner can read or replace: AnalyticsError `usage`. SQLite gives `-wal` and `-shm` the file's own mode.
 * The folder is looked at first: where nobody else may write in it, nobody changes the rest after the look.
 * Folders above it are the operator's. Root may open what is another's, so that its admin commands work.
 */
export function prepareFile(path: string): void {
  const folder = dirname(path);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    refuseUnsafe(statSync(folder), "folder", 0o022);
    for (const suffix of COMPANIONS) {
      const stats = lstatSync(`${path}${suffix}`, { throwIfNoEntry: false });
      if (stats) refuseUnsafe(stats, "file", 0o077);
    }
    const { O_CREAT, O_RDWR, O_NOFOLLOW } = constants;
    closeSync(openSync(path, O_CREAT | O_RDWR | (O_NOFOLLOW ?? 0), 0o600));
  } catch (error) {
    if (error instanceof AnalyticsError) throw error;
    const code = String(Reflect.get(Object(error), "code"));
    const wrong = WRONG_PLACES[code];
    if (wrong) {
      throw new AnalyticsError("usage", `The store cannot be opened: ${wrong}.`, {
        hint: "Name another file with --store.",
      });
    }
    throw describeFailure(code === "ENOSPC" ? "its disk is full" : "its file cannot be opened", code);
  }
}

/** What no waiting helps against. */
const WRONG_PLACES: Record<string, string> = {
  EACCES: "its file may not be opened by the user that runs this",
  EROFS: "its disk is read-only",
  EISDIR: "its path is that of a folder",
  ENOTDIR: "a folder of its path is a file",
  EEXIST: "a folder of its path is a file",
};

function refuseUnsafe(stats: Stats, what: "file" | "folder", forbidden: number): void {
  const refuse = (reason: string, hint: string) =>
    new AnalyticsError("usage", `The store's ${what} ${reason}.`, { hint });
  if (what === "file" && (!stats.isFile() || stats.nlink > 1)) {
    throw refuse("is a link, or no regular file", "Name the file itself with --store.");
  }
  const { uid } = userInfo();
  // Windows has neither owners nor modes of this kind.
  if (uid === -1) return;
  const trusted = what === "folder" ? [uid, 0] : [uid];
  if (uid !== 0 && !trusted.includes(stats.uid)) {
    throw refuse("belongs to another user", "Run this as its owner, or name another file with --store.");
  }
  if ((stats.mode & forbidden) === 0) return;
  throw what === "file"
    ? refuse("can be read or written by others", "Take that away: chmod 600 on it, its -wal and its -shm.")
    : refuse(
        "can be written by others",
        "Name a new folder in it with --store: it is made for its owner alone.",
      );
}

/**
 * Notices that the file that is open is no longer the one at its path. SQLite would go on with what has no
 * name any more, and everything acknowledged would be gone at the next start.
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
    throw describeFailure(
      "its file was removed or replaced, and the server must be started again",
      undefined,
    );
  };
}
