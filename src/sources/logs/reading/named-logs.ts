import { readdirSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { listWritten, quoteLogs } from "../../../config/found-logs.ts";
import { readLogName } from "../../../config/log-names.ts";
import { AnalyticsError } from "../../../errors.ts";
import { listSites } from "../../../operations/site-name.ts";
import { formatCount } from "../../../render/plural.ts";
import { withoutWww } from "../host-name.ts";
import { formatPatterns, type LogPattern, type LogSettings, quotePatterns } from "../settings.ts";
import type { LogContent } from "./log-content.ts";

/** By the site that the names of files have, a pattern of its files. */
export function listNamedLogs(paths: Iterable<string>): Map<string, string> {
  const logs = new Map<string, string>();
  for (const path of paths) {
    const { log, site } = readLogName(basename(path));
    if (site !== undefined) logs.set(withoutWww(site.toLowerCase()), join(dirname(path), `${log}*`));
  }
  return new Map([...logs].sort());
}

/**
 * Refuses files of several sites whose lines name none: all would count as one site. Throws AnalyticsError `usage`.
 *
 * @param holders By path, what the files have.
 */
export function assertOneSite(
  holders: ReadonlyMap<string, Pick<LogContent, "hasHosts" | "site">>,
  { named, onlySite, files }: Pick<LogSettings, "named" | "onlySite" | "files">,
): void {
  const nameless = [...holders].filter(([, { hasHosts, site }]) => !hasHosts && site === undefined);
  // Without a name for them, lines without a host count for nobody, and a report shows all of them.
  const isNamed = named.length > 0 || (onlySite === undefined && nameless.length === holders.size);
  if (!isNamed) return;
  const logs = listNamedLogs(nameless.map(([path]) => path));
  if (logs.size < 2) return;
  const [site] = named;
  const whole =
    site === undefined
      ? ""
      : ` If all of them are about ${site}: ${quoteLogs(formatPatterns(files.map(({ glob }) => ({ site, glob }))))}`;
  throw new AnalyticsError(
    "usage",
    `By their names, these files are of several sites: ${listSites([...logs.keys()], 3)}. Their lines do not say which.`,
    { hint: `Name the site of each: ${proposeNamed(logs, named)}.${whole}` },
  );
}

/** The options for some of the sites; for all if none of them has files. */
export function proposeNamed(logs: ReadonlyMap<string, string>, sites: readonly string[] = []): string {
  const asked = [...logs].filter(([site]) => sites.includes(site));
  return quoteLogs(
    formatPatterns((asked.length > 0 ? asked : [...logs]).map(([site, glob]) => ({ site, glob }))),
  );
}

/** Where logs are empty or missing: names those in the same folders that have lines. Undefined if there are none. */
export function adviseOnOthers(files: readonly LogPattern[]): string | undefined {
  const folders = new Set(files.map(({ glob }) => dirname(resolve(glob))));
  const others = [...folders].flatMap(listWritten);
  return others.length === 0 ? undefined : `Other logs there have lines: ${quoteLogs(others)}`;
}

/** A log of which only the current file is read. */
export interface Unrotated {
  pattern: LogPattern;
  /** What reads its rotated files, too. */
  whole: LogPattern;
  /** Says which these are. */
  detail: string;
}

/** The logs of which rotated files lie beside the one that is named. */
export const listUnrotated = (files: readonly LogPattern[]): Unrotated[] =>
  files.flatMap((pattern) => {
    const path = resolve(pattern.glob);
    const name = basename(path);
    const isWhole = files.some((other) => other !== pattern && resolve(other.glob).startsWith(path));
    if (isWhole) return [];
    const older = listOthers(path).filter(
      (other) => other !== name && other.startsWith(name) && readLogName(other).log === name,
    );
    if (older.length === 0) return [];
    const detail = `Beside ${name}, ${formatCount(older.length, "older file")} of the same log ${older.length === 1 ? "is" : "are"} not read.`;
    return [{ pattern, whole: { ...pattern, glob: `${pattern.glob}*` }, detail }];
  });

/** What lies in the folder of a file; nothing if that may not be read. */
function listOthers(path: string): string[] {
  try {
    return statSync(path).isFile() ? readdirSync(dirname(path)) : [];
  } catch {
    return [];
  }
}

/** Says which rotated files are not read, and what reads them; undefined if there are none. */
export function adviseOnRotated(files: readonly LogPattern[]): string | undefined {
  const [first] = listUnrotated(files);
  return first && `${first.detail} ${adviseOnWhole(first)}`;
}

export const adviseOnWhole = ({ whole }: Unrotated): string =>
  `A pattern reads them, too: --logs ${quotePatterns([whole])}`;
