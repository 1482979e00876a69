import { readdirSync, realpathSync, statSync } from "node:fs";
import { join, resolve, sep } from "node:path";
import * as tinyglobby from "tinyglobby";
import { explainSystemError } from "../../config/system-error.ts";
import { AnalyticsError } from "../../errors.ts";
import type { LogSettings } from "./settings.ts";

export interface FoundFile {
  /** Absolute, without symbolic links. */
  path: string;
  site?: string | undefined;
  size: number;
  /** Milliseconds since 1970. */
  modified: number;
}

/**
 * Finds the files that globs name; a folder stands for the files in it. Each file is found once. Throws AnalyticsError
 * `usage` if a glob finds none, or if a file may not be read.
 */
export async function findFiles({ files }: Pick<LogSettings, "files">): Promise<FoundFile[]> {
  const found = new Map<string, FoundFile>();
  for (const { glob: pattern, site } of files) {
    const paths = await resolvePattern(pattern);
    if (paths.length === 0) throw refuseNone(pattern);
    for (const each of paths) {
      const file = readFile(each, site);
      if (file !== undefined && !found.has(file.path)) found.set(file.path, file);
    }
  }
  return [...found.values()];
}

async function resolvePattern(pattern: string): Promise<string[]> {
  const path = resolve(pattern);
  // A name may contain brackets: what exists is meant as it is.
  const known = statSync(path, { throwIfNoEntry: false });
  if (known?.isDirectory()) return listFolder(path);
  if (known !== undefined) return [path];
  // Globs have slashes on every system.
  const slashed = sep === "/" ? pattern : pattern.replaceAll(sep, "/");
  const found = tinyglobby.isDynamicPattern(slashed)
    ? await tinyglobby.glob(slashed, { absolute: true, dot: true, expandDirectories: false })
    : [];
  // A folder that may not be read has no files either.
  if (found.length === 0) listFolder(resolve(slashed.replace(/[^/]*[*?[{(!].*$/, "").replace(/[^/]*$/, "")));
  return found.sort();
}

function listFolder(folder: string): string[] {
  try {
    return readdirSync(folder)
      .sort()
      .map((name) => join(folder, name))
      .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile());
  } catch (cause) {
    if (Object(cause).code === "ENOENT") return [];
    throw refuseUnreadable(folder, cause);
  }
}

function readFile(path: string, site: string | undefined): FoundFile | undefined {
  try {
    const { size, mtimeMs, isFile } = statFile(path);
    return isFile ? { path: realpathSync(path), site, size, modified: mtimeMs } : undefined;
  } catch (cause) {
    // Rotated away since it was found.
    if (Object(cause).code === "ENOENT") return undefined;
    throw refuseUnreadable(path, cause);
  }
}

function statFile(path: string) {
  const stats = statSync(path);
  return { size: stats.size, mtimeMs: stats.mtimeMs, isFile: stats.isFile() };
}

function refuseNone(pattern: string): AnalyticsError {
  return new AnalyticsError("usage", `No log file matches ${JSON.stringify(pattern)}.`, {
    hint: "Check the path. Quote a pattern with * or ?, or the shell expands it. Debian keeps logs in /var/log/nginx and /var/log/apache2.",
  });
}

export function refuseUnreadable(path: string, cause: unknown): AnalyticsError {
  return new AnalyticsError("usage", `${path} cannot be read: ${explainSystemError(cause)}.`, {
    hint: "Debian's logs belong to the group adm: add yourself to it with sudo adduser $USER adm, and log in again.",
    cause,
  });
}
