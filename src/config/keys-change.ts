import { mkdirSync, realpathSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { AnalyticsError, readErrorCode } from "../errors.ts";
import { withFileLock } from "./file-lock.ts";
import { formatKeys, type Organization, readKeysFile } from "./keys-file.ts";
import { replaceFile } from "./replace-file.ts";
import { explainSystemError } from "./system-error.ts";

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
    const place = findPlace(file);
    return await withFileLock(place, () => {
      const isThere = statSync(place, { throwIfNoEntry: false }) !== undefined;
      const { organizations, result } = change(isThere ? readKeysFile(place) : []);
      replaceFile(place, formatKeys(organizations));
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

/** Behind a link is the file that is replaced, not the link. */
function findPlace(file: string): string {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  try {
    return realpathSync(file);
  } catch (cause) {
    if (readErrorCode(cause) === "ENOENT") return file;
    throw cause;
  }
}
