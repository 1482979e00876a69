import { copyFileSync, existsSync, lstatSync, renameSync } from "node:fs";
import { basename, join } from "node:path";
import { makeFolder } from "./files.ts";

/** The folder, within a history, with what could not be read. */
const ASIDE = "damaged";

/**
 * Puts aside what stands in the place of a file of the history. A journal also stays where it is, since parts of other days may be
 * whole. Nothing is kept of a manifest, which has salts. Throws what the system throws.
 */
export function putAside(folder: string, path: string): void {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  const name = basename(path);
  if (stats === undefined || (stats.isFile() && name.startsWith("manifest"))) return;
  makeFolder(join(folder, ASIDE));
  const aside = findFreeName(join(folder, ASIDE, name));
  if (stats.isFile() && name.endsWith(".journal")) copyFileSync(path, aside);
  else renameSync(path, aside);
}

export function findFreeName(path: string): string {
  for (let number = 1; ; number++) {
    const name = number === 1 ? path : `${path}-${number}`;
    if (!existsSync(name)) return name;
  }
}
