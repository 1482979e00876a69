import { readdirSync, realpathSync, statSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import picomatch from "picomatch";
import * as tinyglobby from "tinyglobby";
import { adviseOnGroup, findReaders } from "../../../config/found-logs.ts";
import { explainSystemError } from "../../../config/system-error.ts";
import { AnalyticsError, quotePath, readErrorCode } from "../../../errors.ts";
import type { LogSettings } from "../settings.ts";
import type { LogFile } from "./log-file.ts";
import { adviseOnOthers } from "./named-logs.ts";

export interface FoundFile extends LogFile {
  /** Absolute, without symbolic links; `-` for standard input. */
  path: string;
  site?: string | undefined;
  size: number;
  /** Milliseconds since 1970. */
  modified: number;
  /** The number of the file on its disk, which it keeps when it is renamed. */
  inode: number;
}

/**
 * Finds the files that globs name; a folder stands for the files in it. Each file is found once. Throws AnalyticsError
 * `usage` if a glob finds none, or if a file may not be read.
 */
export async function findFiles({
  files,
  stdin,
  mayBeGone = false,
}: Pick<LogSettings, "files" | "stdin" | "mayBeGone">): Promise<FoundFile[]> {
  const found = new Map<string, FoundFile>();
  // Standard input comes first.
  for (const { glob: path, site } of files) {
    if (path === STDIN)
      found.set(path, { path, site, size: 0, modified: 0, inode: 0, open: stdin ?? throwStdinError });
  }
  for (const { glob: pattern, site } of files) {
    if (pattern === STDIN) continue;
    const paths = await resolvePattern(pattern);
    if (paths.length === 0 && !mayBeGone)
      throw createNoFileError(pattern, statIfThere(resolve(pattern))?.isDirectory());
    for (const path of paths) {
      const file = readFile(path, site);
      if (file !== undefined && !found.has(file.path)) found.set(file.path, file);
    }
  }
  return [...found.values()];
}

/** In place of a path: standard input. */
export const STDIN = "-";

function throwStdinError(): never {
  throw new AnalyticsError("usage", "Logs cannot be read from standard input here.", {
    hint: "Only a command can, when a log is piped into it: zcat access.log.*.gz | analytics-mcp stats --logs - --site example.com",
  });
}

/** A pattern as an absolute path. Of what exists of its folder, symbolic links are resolved. */
export function readRealPattern(glob: string): string {
  const path = resolve(glob);
  for (let folder = isFolder(path) ? path : dirname(path); ; folder = dirname(folder)) {
    try {
      return join(realpathSync(folder), relative(folder, path));
    } catch {
      if (folder === dirname(folder)) return path;
    }
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

async function resolvePattern(pattern: string): Promise<string[]> {
  const path = resolve(pattern);
  // A name may contain brackets: if such a file exists, it is meant literally.
  const known = statIfThere(path);
  if (known?.isDirectory()) return listFolder(path);
  if (known !== undefined) return [path];
  // Globs have slashes on every system.
  const slashed = sep === "/" ? pattern : pattern.replaceAll(sep, "/");
  const { isGlob, negated, base, glob } = picomatch.scan(slashed);
  const folder = resolve((isGlob ? base : dirname(base)).replaceAll(/\\(.)/g, "$1"));
  // In its folder: for an absolute path, tinyglobby reads all folders from / to the working directory, and misses files in the latter.
  const options = { cwd: folder, absolute: true, dot: true, expandDirectories: false };
  const found = isGlob && !negated ? await tinyglobby.glob(glob.replace(/^!(?!\()/, "\\!"), options) : [];
  // Says so if nothing matches because the folder may not be read.
  if (found.length === 0) listFolder(folder);
  return found.sort();
}

function statIfThere(path: string) {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (cause) {
    // A part of the path is a file.
    if (readErrorCode(cause) === "ENOTDIR") return undefined;
    throw createUnreadableError(path, cause);
  }
}

function listFolder(folder: string): string[] {
  try {
    return readdirSync(folder)
      .sort()
      .map((name) => join(folder, name))
      .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile());
  } catch (cause) {
    if (readErrorCode(cause) === "ENOENT") return [];
    throw createUnreadableError(folder, cause);
  }
}

function readFile(path: string, site: string | undefined): FoundFile | undefined {
  try {
    const stats = statSync(path);
    if (!stats.isFile()) return undefined;
    const { size, mtimeMs: modified, ino: inode } = stats;
    return { path: realpathSync(path), site, size, modified, inode };
  } catch (cause) {
    // It was rotated after it was found.
    if (readErrorCode(cause) === "ENOENT") return undefined;
    throw createUnreadableError(path, cause);
  }
}

function createNoFileError(pattern: string, isFolder = false): AnalyticsError {
  if (isFolder) {
    return new AnalyticsError("usage", `${quotePath(pattern)} is a folder without files.`, {
      hint: `A folder stands for the files in it, not for those in its folders: ${quotePath(join(pattern, "*", "access.log*"))} matches these, or name one folder for each site.`,
    });
  }
  return new AnalyticsError("usage", `No log file matches ${quotePath(pattern)}.`, {
    hint:
      adviseOnOthers([{ glob: pattern }]) ??
      `Check the path.${/^\/var\/log\/(?:nginx|apache2)\//.test(pattern) ? "" : " Debian keeps logs in /var/log/nginx and /var/log/apache2."}`,
  });
}

export function createUnreadableError(path: string, cause: unknown): AnalyticsError {
  // Debian's logs belong to adm.
  const group = findReaders(path) ?? (path.startsWith("/var/log/") ? "adm" : undefined);
  return new AnalyticsError("usage", `${path} cannot be read: ${explainSystemError(cause)}.`, {
    hint: `To read it, ${adviseOnGroup({ group })}.`,
    cause,
  });
}
