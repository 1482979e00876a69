import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from "node:fs";

/**
 * Replaces a file's content in one step: other programs see the old text or the new one, never a part, and only the
 * owner can read it. Throws Node's own error.
 */
export function replaceFile(file: string, text: string): void {
  const temporary = `${file}.${crypto.randomUUID()}`;
  const handle = openSync(temporary, "wx", 0o600);
  try {
    try {
      writeSync(handle, text);
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    renameSync(temporary, file);
  } catch (cause) {
    rmSync(temporary, { force: true });
    throw cause;
  }
}
