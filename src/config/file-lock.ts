import { closeSync, openSync, rmSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { AnalyticsError, readErrorCode } from "../errors.ts";

const RETRY_MS = 25;
const TRIES = 120;

/**
 * Does something while no other process does it to the same file. Whoever waits for three seconds is refused: a process
 * that was killed leaves its lock behind, and only a person knows that. Throws AnalyticsError `usage`, or Node's own error.
 */
export async function withFileLock<T>(file: string, work: () => T): Promise<T> {
  const lock = `${file}.lock`;
  for (let left = TRIES; !tryLock(lock); left--) {
    if (left === 0) throw createLockedError(file, lock);
    await sleep(RETRY_MS);
  }
  try {
    return work();
  } finally {
    rmSync(lock, { force: true });
  }
}

function tryLock(lock: string): boolean {
  try {
    closeSync(openSync(lock, "wx", 0o600));
    return true;
  } catch (cause) {
    if (readErrorCode(cause) === "EEXIST") return false;
    throw cause;
  }
}

function createLockedError(file: string, lock: string): AnalyticsError {
  return new AnalyticsError("usage", `Another process is changing ${file}.`, {
    hint: `Try again. If none is, one was killed and left its lock: remove ${lock}`,
  });
}
