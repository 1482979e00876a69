import { hash, randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { platform } from "node:process";
import { createNotAFileError, readRegularFile } from "../../../config/read-regular-file.ts";
import { explainSystemError } from "../../../config/system-error.ts";
import { readErrorCode } from "../../../errors.ts";

/** What is in a file is not what this program wrote there. */
export class DamagedFile extends Error {
  readonly path: string;

  constructor(path: string, reason: string) {
    super(reason);
    this.path = path;
  }
}

/** A part of a day whose lines can still come. */
export class DamagedDay extends DamagedFile {
  readonly site: string;
  readonly date: string;

  constructor({ path, message }: DamagedFile, day: { site: string; date: string }) {
    super(path, message);
    this.site = day.site;
    this.date = day.date;
  }
}

/** What stands in the place of a file that this program wrote, or above it. */
const NOT_A_FILE: readonly unknown[] = ["EISDIR", "ENOTDIR", "ELOOP", "ENXIO"];

/** Does something with a file. Throws DamagedFile if there is something else in its place. */
export function atFile<T>(path: string, use: () => T): T {
  try {
    return use();
  } catch (error) {
    if (NOT_A_FILE.includes(readErrorCode(error))) throw new DamagedFile(path, explainSystemError(error));
    throw error;
  }
}

/** Reads a file. Throws DamagedFile if there is something else in its place, or what the system throws. */
export const readOwn = (path: string): Buffer => atFile(path, () => readRegularFile(path));

export const hashFile = (bytes: Uint8Array | string): string => hash("sha256", bytes, "hex");

/**
 * Returns the first folder that was missing. Each is made alone: Node's own way tries without end where the system says ENOENT, as
 * below /proc.
 */
function makeFolders(path: string): string | undefined {
  const missing: string[] = [];
  for (let folder = path; !existsSync(folder); folder = dirname(folder)) missing.unshift(folder);
  for (const folder of missing) {
    try {
      mkdirSync(folder, { mode: 0o700 });
    } catch (error) {
      // Another process may have made it just now.
      if (readErrorCode(error) !== "EEXIST" || !existsSync(folder)) throw error;
    }
  }
  return missing[0];
}

/** Makes a folder for this user alone, which survives a power failure. */
export function makeFolder(path: string): void {
  const first = makeFolders(path);
  if (first === undefined) return;
  for (let folder = path; folder.length >= first.length; folder = dirname(folder))
    syncFolder(dirname(folder));
}

/** Writes a file for this user alone: a reader finds all of it or nothing, also after a power failure. */
export function writeWhole(path: string, bytes: Uint8Array | string): void {
  const unfinished = `${path}.${randomBytes(6).toString("hex")}${UNFINISHED}`;
  try {
    const file = openOwn(unfinished, constants.O_CREAT | constants.O_EXCL);
    try {
      writeAll(file, typeof bytes === "string" ? Buffer.from(bytes) : bytes, 0);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(unfinished, path);
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw error;
  }
}

/** The end of the names of files that a process was writing when it was killed. */
export const UNFINISHED = ".unfinished";

export interface Appender {
  append(bytes: Uint8Array): void;
  /** Makes sure that all of it survives a power failure. Returns the length of the file, in bytes. */
  finish(): number;
  close(): void;
}

/**
 * Appends to a file. What comes after `length` is the rest of an earlier attempt, and is overwritten.
 *
 * @param length How many bytes of the file count.
 */
export function openAppender(path: string, length: number): Appender {
  let end = length;
  let file: number | undefined;
  return {
    append: (bytes) => {
      if (file === undefined) {
        file = openOwn(path, constants.O_CREAT);
        ftruncateSync(file, length);
      }
      writeAll(file, bytes, end);
      end += bytes.length;
    },
    finish: () => {
      if (file !== undefined) fsyncSync(file);
      return end;
    },
    close: () => {
      if (file !== undefined) closeSync(file);
    },
  };
}

function openOwn(path: string, flags: number): number {
  const ownOnly = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
  return atFile(path, () => {
    const file = openSync(path, constants.O_WRONLY | ownOnly | flags, 0o600);
    try {
      if (!fstatSync(file).isFile()) throw createNotAFileError();
      fchmodSync(file, 0o600);
      return file;
    } catch (error) {
      closeSync(file);
      throw error;
    }
  });
}

function writeAll(file: number, bytes: Uint8Array, from: number): void {
  for (let done = 0; done < bytes.length; ) {
    done += writeSync(file, bytes, done, bytes.length - done, from + done);
  }
}

/** Makes sure that the names of new files in a folder survive a power failure. */
export function syncFolder(path: string): void {
  // Windows has no way to do this, and does not need it.
  if (platform === "win32") return;
  const folder = openSync(path, constants.O_RDONLY);
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

/** Writes a file whose name contains the SHA-256 of its bytes. Returns the hash. */
export function writeNamed(nameFor: (hash: string) => string, bytes: Uint8Array | string): string {
  const name = hashFile(bytes);
  const path = nameFor(name);
  try {
    writeWhole(path, bytes);
  } catch (error) {
    if (readErrorCode(error) !== "ENOENT") throw error;
    makeFolder(dirname(path));
    writeWhole(path, bytes);
  }
  return name;
}

/** Reads a file whose name contains the SHA-256 of its bytes. Throws DamagedFile, or what the system throws. */
export function readNamed(path: string, name: string): Buffer {
  const bytes = readOwn(path);
  if (hashFile(bytes) !== name) throw new DamagedFile(path, "its bytes have changed");
  return bytes;
}
