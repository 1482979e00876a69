import { randomBytes } from "node:crypto";
import {
  closeSync,
  lstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { hostname } from "node:os";
import { kill, pid as ownPid } from "node:process";
import { readErrorCode } from "../../../errors.ts";
import { DamagedFile, readOwn } from "./files.ts";

/** A process that writes here holds this lock from reading the manifest to replacing it: some milliseconds. */
export interface Lock {
  /** Whether another process has taken it meanwhile, which can happen only if this one slept for minutes. */
  isHeld(): boolean;
  release(): void;
}

/** Another process is writing and does not stop. */
export class LockTimeout extends Error {}

interface Holder {
  process: number;
  /** When the process started, as its system states it; null where that is not known. */
  started: string | null;
  host: string;
  /** Tells two locks of one process apart. */
  id: string;
}

const MAX_WAIT_MS = 3_000;
const STEP_MS = 10;
/** Of a process on another machine nothing is known but how old its lock is. */
const MAX_FOREIGN_AGE_MS = 10 * 60_000;

/** Waits for the lock. Throws LockTimeout, DamagedFile, or what the system throws. */
export function takeLock(path: string): Lock {
  const own = JSON.stringify(describeSelf());
  const start = performance.now();
  while (!tryTake(path, own)) {
    if (removeIfAbandoned(path)) continue;
    if (performance.now() - start > MAX_WAIT_MS) throw new LockTimeout("another process is writing");
    Atomics.wait(sleeper, 0, 0, STEP_MS);
  }
  const isHeld = () => readIfThere(path) === own;
  return {
    isHeld,
    release: () => {
      if (isHeld()) rmSync(path, { force: true });
    },
  };
}

const sleeper = new Int32Array(new SharedArrayBuffer(4));

function tryTake(path: string, own: string): boolean {
  let file: number;
  try {
    file = openSync(path, "wx", 0o600);
  } catch (error) {
    if (readErrorCode(error) === "EEXIST") return false;
    throw error;
  }
  try {
    writeFileSync(file, own);
    return true;
  } catch (error) {
    // The disk is full: others would wait for an empty lock.
    rmSync(path, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
}

/** Removes the lock of a process that has ended. */
function removeIfAbandoned(path: string): boolean {
  const found = readIfThere(path);
  if (found === undefined) return true;
  if (!isAbandoned(path, found)) return false;
  // Another process may be removing the same lock, and a third one may have taken a new one already.
  const taken = `${path}.${randomBytes(6).toString("hex")}`;
  try {
    renameSync(path, taken);
  } catch (error) {
    if (readErrorCode(error) === "ENOENT") return true;
    throw error;
  }
  const isWrong = readIfThere(taken) !== found;
  if (isWrong) renameSync(taken, path);
  else rmSync(taken, { force: true });
  return !isWrong;
}

function isAbandoned(path: string, text: string): boolean {
  const holder = parseHolder(text);
  const age = () => Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0);
  // It was just created and is not written yet, or its writer was killed at that moment.
  if (holder === undefined) return age() > MAX_WAIT_MS / 2;
  if (holder.host !== hostname()) return age() > MAX_FOREIGN_AGE_MS;
  return !isRunning(holder.process) || holder.started !== readStart(holder.process);
}

function parseHolder(text: string): Holder | undefined {
  try {
    const { process, started, host, id } = JSON.parse(text);
    return typeof process === "number" && typeof host === "string"
      ? { process, started, host, id }
      : undefined;
  } catch {
    return undefined;
  }
}

const describeSelf = (): Holder => ({
  process: ownPid,
  started: readStart(ownPid),
  host: hostname(),
  id: randomBytes(6).toString("hex"),
});

function isRunning(pid: number): boolean {
  try {
    kill(pid, 0);
    return true;
  } catch (error) {
    // It runs, but belongs to another user.
    return readErrorCode(error) === "EPERM";
  }
}

/** Another process may get the same number later (proc_pid_stat(5): the 22nd field is the time of its start). */
function readStart(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? null;
  } catch {
    return null;
  }
}

function readIfThere(path: string): string | undefined {
  try {
    return readOwn(path).toString();
  } catch (error) {
    if (readErrorCode(error) !== "ENOENT") throw error;
    // It can be neither taken nor removed as somebody's.
    if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink())
      throw new DamagedFile(path, "it is a link to nothing");
    return undefined;
  }
}
