import { accessSync, chmodSync, constants, mkdtempSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const MEMORY = "/dev/shm";
/** All tests together take less at any moment. */
const NEEDED = 2 ** 30;

/**
 * Runs once before all tests: what they write goes to one folder, which is removed after them. If Linux has room for it in memory, it
 * is there: the history and the stores sync to disk at every change. TMPDIR names another place.
 */
export function setup() {
  // Each project runs this.
  if (process.env.TEST_FOLDER !== undefined) return;
  const place = process.env.TMPDIR === undefined && hasRoom() ? MEMORY : tmpdir();
  const folder = mkdtempSync(join(place, "tests-"));
  // Web servers give up their rights and read files there.
  chmodSync(folder, 0o711);
  Object.assign(process.env, { TEST_FOLDER: folder, TMPDIR: folder });
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

function hasRoom() {
  try {
    accessSync(MEMORY, constants.W_OK);
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize >= NEEDED;
  } catch {
    return false;
  }
}
