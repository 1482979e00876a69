import { existsSync, readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { findStateFolder } from "../../../config/folders.ts";
import { readLogName } from "../../../config/log-names.ts";
import type { Environment } from "../../../config/variables.ts";
import { compareValues } from "../../../operations/row-order.ts";
import { DEFINITION } from "../counting/day-counts.ts";
import { readHead } from "../reading/file-head.ts";
import { createContentFinder } from "../reading/find-content.ts";
import { type FoundFile, findFiles, readRealPattern } from "../reading/find-files.ts";
import type { LogContent } from "../reading/log-content.ts";
import { applyOptions, currentOptions } from "../saved-options.ts";
import type { LogPattern, LogSettings, SavedOptions } from "../settings.ts";
import { hashFile, readOwn, writeWhole } from "./files.ts";
import { assertSameSite } from "./history-logs.ts";
import { loadContent } from "./load-history.ts";
import { type Manifest, readManifest } from "./manifest.ts";

/*
 * Which history some logs have. It belongs to the patterns of the log files, and to nothing else.
 */

/** The history of some patterns. */
export interface FoundHistory {
  folder: string;
  /** The patterns of other histories that have some of the same files. */
  others: readonly string[];
  /** The file that says that these patterns have the history of others, if it is still to be written. */
  newLink?: string;
}

/** The logs are a part of those of a history: it has more files. */
export interface PartOfHistory {
  partOf: string[];
  /** The site that lines without one count for there. */
  site?: string | undefined;
  /** What these logs are counted with there. */
  options?: SavedOptions | undefined;
}

export const isPart = (found: object): found is PartOfHistory => "partOf" in found;

/** The folder of all histories; undefined if this user has no state folder. */
export function findHistoriesFolder(environment: Environment): string | undefined {
  const folder = findStateFolder(environment);
  return folder === undefined ? undefined : join(folder, "logs");
}

/** Where the history of these patterns is if it is not that of others, whether it exists or not. */
export function nameHistoryFolder(folder: string, files: readonly LogPattern[]): string {
  const key = JSON.stringify(files.map(({ glob }) => readRealPattern(glob)).sort(compareValues));
  return join(folder, hashFile(key).slice(0, 32));
}

/**
 * Finds the history of some logs: their own, or that of other patterns if these match all of its files. If there is none, the
 * folder for a new one; nothing is to be kept of logs that are a part of a history's, unless all that this counted can be counted again.
 * Throws what the system throws.
 *
 * @param folder That of all histories.
 */
export async function findHistory(
  folder: string,
  settings: LogSettings,
): Promise<FoundHistory | PartOfHistory> {
  const own = nameHistoryFolder(folder, settings.files);
  if (existsSync(own)) return { folder: own, others: [] };
  const link = `${own}${LINK}`;
  const linked = readLink(link);
  if (linked !== undefined && existsSync(join(folder, linked, "manifest")))
    return { folder: join(folder, linked), others: [] };
  const files = await findFiles({ ...settings, mayBeGone: true });
  const related = await Promise.all(
    listHistories(folder).map(async ({ path, manifest }) => ({
      path,
      patterns: manifest.logs.patterns.map(({ glob }) => glob),
      options: currentOptions(manifest.logs.options),
      sites: [...manifest.logs.names, ...manifest.logs.patterns.flatMap(({ site }) => site ?? [])],
      relation: await compare(settings, files, manifest),
    })),
  );
  const listOf = (...relations: Relation[]) => related.filter(({ relation }) => relations.includes(relation));
  const [whole, ...more] = listOf("all");
  if (whole !== undefined && more.length === 0) return { folder: whole.path, others: [], newLink: link };
  const parts = listOf("part");
  if (parts.length > 0) {
    const [site, ...others] = new Set(parts.flatMap(({ sites }) => sites));
    return {
      partOf: parts.flatMap(({ patterns }) => patterns),
      ...(others.length === 0 && { site }),
      ...(parts.length === 1 && { options: parts[0]?.options }),
    };
  }
  // Two histories cannot become one.
  return { folder: own, others: listOf("all", "some").flatMap(({ patterns }) => patterns) };
}

/** The end of the name of a file that names the history of other patterns. */
const LINK = ".history";

function readLink(path: string): string | undefined {
  try {
    const name = readOwn(path).toString().trim();
    return HISTORY.test(name) ? name : undefined;
  } catch {
    return undefined;
  }
}

/** Remembers that patterns have the history of others. Throws what the system throws. */
export function writeLink({ folder, newLink }: FoundHistory): void {
  if (newLink !== undefined) writeWhole(newLink, `${basename(folder)}\n`);
}

/** The files that name a history. @param folder That of all histories. */
export const listLinks = (folder: string, history: string): string[] =>
  listNames(folder)
    .filter((name) => name.endsWith(LINK))
    .map((name) => join(folder, name))
    .filter((path) => readLink(path) === basename(history));

const HISTORY = /^[0-9a-f]{32}$/;

/** Whether a folder of this name is a history. */
export const isHistory = (name: string): boolean => HISTORY.test(name);

/** The histories that can be read. @param folder That of all histories. */
const listHistories = (folder: string): { path: string; manifest: Manifest }[] =>
  listNames(folder)
    .filter(isHistory)
    .flatMap((name) => {
      const path = join(folder, name);
      try {
        const manifest = readManifest(join(path, "manifest"), DEFINITION);
        return manifest === undefined ? [] : { path, manifest };
      } catch {
        return [];
      }
    });

/** What a folder has, in order; nothing if it cannot be read. */
export function listNames(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}

/** What some files are to a history: all of its files, only a part of them, some and others, or none. */
type Relation = "all" | "part" | "some" | "none";

/** Its own contents, recognized at another place, are enough to continue a history whose files are gone. */
const MIN_RECOGNIZED = 2;

async function compare(
  settings: LogSettings,
  files: readonly FoundFile[],
  manifest: Manifest,
): Promise<Relation> {
  const { patterns, names } = manifest.logs;
  const theirs = await findFiles({ files: patterns, mayBeGone: true }).catch(() => undefined);
  // They may not be read by now.
  if (theirs === undefined) return "none";
  if (theirs.length === 0)
    return (await listRecognized(settings, files, manifest)).size >= MIN_RECOGNIZED ? "all" : "none";
  const paths = new Set(files.map(({ path }) => path));
  const shared = theirs.filter(({ path }) => paths.has(path)).length;
  if (shared === theirs.length) {
    for (const { path, site = names[0] } of theirs)
      assertSameSite(site, files.find((file) => file.path === path)?.site, patterns);
    return "all";
  }
  if (shared === 0) return "none";
  if (shared < files.length) return "some";
  const others = theirs.filter(({ path }) => !paths.has(path));
  return hasOtherLogs(files, others) && (await isRepeatable(manifest, theirs)) ? "none" : "part";
}

/** Whether further files are of other logs: a rotated one is not. */
function hasOtherLogs(files: readonly FoundFile[], others: readonly FoundFile[]): boolean {
  const nameLog = ({ path }: FoundFile) => join(dirname(path), readLogName(basename(path)).log);
  const logs = new Set(files.map(nameLog));
  return !others.some((file) => logs.has(nameLog(file)));
}

/** Whether all lines that count in a history are still in files, so that nothing is only there. */
async function isRepeatable(manifest: Manifest, files: readonly FoundFile[]): Promise<boolean> {
  const read = manifest.contents.filter((content) => content.read > 0);
  const isLost = ({ settled, lost }: Manifest["sites"][number]) =>
    settled !== "" || Object.keys(lost).length > 0;
  if (read.length > files.length || read.some(({ damage }) => damage) || manifest.sites.some(isLost))
    return false;
  const found = await listRecognized({}, files, manifest);
  return read.every((content) => found.has(identify(content)));
}

const identify = ({ fingerprint, tail }: Pick<LogContent, "fingerprint" | "tail">) =>
  `${fingerprint} ${tail}`;

/** The contents of a history that these files have. */
async function listRecognized(
  { format }: Pick<LogSettings, "format">,
  files: readonly FoundFile[],
  { contents, logs }: Manifest,
): Promise<Set<string>> {
  const asked = format ?? applyOptions(logs.options).format;
  const read = (file: FoundFile) => readHead(file, asked);
  const { findRead } = createContentFinder(
    () => contents.map(loadContent),
    () => files,
    read,
  );
  const found = new Set<string>();
  for (const file of files) {
    const known = await read(file)
      .then((head) => (head.fingerprint === "" ? undefined : findRead(file, head)))
      .catch(() => undefined);
    if (known !== undefined && known.content.read > 0) found.add(identify(known.content));
  }
  return found;
}
