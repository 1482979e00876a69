import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";

/**
 * Reads a file that only a file can stand for. Anything else at its path is refused: a pipe waits for a writer and a device may
 * never end, whatever a look before opening has said. Throws Node's own error, with the code EISDIR for a folder and ENXIO for the rest.
 */
export function readRegularFile(path: string): Buffer {
  // Windows has no such flag, and no pipes among its files.
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const stats = fstatSync(file);
    if (stats.isFile() || stats.isDirectory()) return readFileSync(file);
    throw createNotAFileError();
  } finally {
    closeSync(file);
  }
}

/** As the system says it of a socket. */
export const createNotAFileError = () => Object.assign(new Error("This is not a file."), { code: "ENXIO" });
