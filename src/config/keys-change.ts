import { closeSync, mkdirSync, openSync, realpathSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { AnalyticsError, readErrorCode } from "../errors.ts";
import { formatKeys, type Organization, readKeysFile } from "./keys-file.ts";
import { replaceFile } from "./replace-file.ts";
import { explainSystemError } from "./system-error.ts";

const RETRY_MS = 25;
const TRIES = 120;

/** The organizations to write, and what to return. */
export interface KeysChange<T> {
  organizations: readonly Organization[];
  result: T;
}

/**
 * Changes the keys file, one process at a time. A missing file is an empty one. Throws AnalyticsError `usage`, as
 * `readKeysFile` and `change` do; then the file is as before.
 */
export async function changeKeysFile<T>(
  file: string,
  change: (organizations: readonly Organization[]) => KeysChange<T>,
): Promise<T> {
  try {
    const target = findTarget(file);
    return await withFileLock(target, () => {
      const isThere = statSync(target, { throwIfNoEntry: false }) !== undefined;
      const { organizations, result } = change(isThere ? readKeysFile(target) : []);
      replaceFile(target, formatKeys(organizations));
      return result;
    });
  } catch (cause) {
    if (cause instanceof AnalyticsError || readErrorCode(cause) === undefined) throw cause;
    throw new AnalyticsError(
      "usage",
      `The keys file ${file} cannot be written: ${explainSystemError(cause)}.`,
      {
        hint: "Name another with --keys, or ANALYTICS_KEYS_FILE.",
        cause,
      },
    );
  }
}

/** The file behind a link: that is replaced, not the link. */
function findTarget(file: string): string {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  try {
    return realpathSync(file);
  } catch (cause) {
    if (readErrorCode(cause) === "ENOENT") return file;
    throw cause;
  }
}

/**
 * Runs a function while no other process does so for the same file. Gives up after three seconds: a process that was killed
 * leaves its lock behind, which only a person can tell. Throws AnalyticsError `usage`, or Node's own error.
 */
async function withFileLock<T>(file: string, work: () => T): Promise<T> {
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

const createLockedError = (file: string, lock: string): AnalyticsError =>
  new AnalyticsError("usage", `Another process is changing ${file}.`, {
    hint: `Try again. If no other process is running, one was killed and left its lock behind: remove ${lock}`,
  });
