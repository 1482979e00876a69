import { basename } from "node:path";
import { quoteLogs } from "../../../config/found-logs.ts";
import { quote } from "../../../errors.ts";
import { readMember } from "../../../member.ts";
import type { Warning } from "../../../operations/warning.ts";
import { openGeoip } from "../counting/geoip.ts";
import { createOtherSiteError } from "../counting/sites.ts";
import { readRealPattern } from "../reading/find-files.ts";
import type { LogContent } from "../reading/log-content.ts";
import {
  applyOptions,
  completeOptions,
  createOptionsError,
  currentOptions,
  listDifferent,
  type OptionsSince,
} from "../saved-options.ts";
import { formatPatterns, type LogPattern, type LogSettings, type SavedOptions } from "../settings.ts";

/** What a history says about its logs. */
export interface HistoryLogs {
  /** Absolute, without symbolic links. */
  patterns: readonly LogPattern[];
  /** The sites that were named for files whose lines name no host. */
  names: readonly string[];
  /** By site that was named when there were too many hosts to count all: the first day on which it counts. */
  admitted: Readonly<Record<string, string>>;
  /** The oldest first. */
  options: readonly OptionsSince[];
  /** The patterns of other histories that have some of the same files. */
  others: readonly string[];
}

/** Those of a history whose manifest is lost: nobody knows them. */
export const NO_LOGS: HistoryLogs = { patterns: [], names: [], admitted: {}, options: [], others: [] };

/** What is asked, by what is saved. */
export interface SettledLogs {
  settings: LogSettings;
  logs: HistoryLogs;
}

/**
 * Logs that have no history yet, or none at all.
 *
 * @param options Those of a history that has these logs and more, for what nobody gave.
 * @param called Their site, if nobody named it.
 * @param proposed What it may be, if nothing says it.
 */
export function beginLogs(
  asked: LogSettings,
  {
    options: inherited,
    others = [],
    called,
    proposed,
  }: {
    options?: SavedOptions | undefined;
    others?: readonly string[] | undefined;
    called?: string | undefined;
    proposed?: string | undefined;
  } = {},
): SettledLogs {
  const options = [{ since: "", options: completeOptions({ ...inherited, ...asked.given }) }];
  const patterns = asked.files.map(({ glob, site }) => ({ glob: readRealPattern(glob), site }));
  const names = called === undefined ? asked.sites : [called];
  return {
    settings: {
      ...asked,
      ...applyOptions(options),
      onlySite: names[0],
      proposedSite: proposed,
      named: names,
    },
    logs: { patterns, names, admitted: {}, options, others },
  };
}

/** Logs that go on. Throws AnalyticsError `usage` if they were counted otherwise, unless `mayChange`. */
export function continueLogs(
  asked: LogSettings,
  { logs: kept, contents }: { logs: HistoryLogs; contents: readonly LogContent[] },
  mayChange = false,
): SettledLogs {
  const saved = currentOptions(kept.options);
  const patterns = joinPatterns(asked.files, kept);
  if (!mayChange && listDifferent(asked.given, saved).length > 0) {
    // A file that is missing is the first thing to say: nobody means to count with it.
    if (asked.given.geoip) openGeoip(asked.given.geoip.path);
    throw createOptionsError(asked, saved, formatPatterns(asked.files));
  }
  // Lines that were read without a name are counted before it applies to new ones.
  const names = kept.names.length > 0 || contents.some(isNamed) ? kept.names : asked.sites;
  return applyLogs(asked, { ...kept, patterns, names });
}

export const applyLogs = (asked: LogSettings, logs: HistoryLogs): SettledLogs => ({
  settings: {
    ...asked,
    ...applyOptions(logs.options),
    files: logs.patterns,
    mayBeGone: true,
    onlySite: logs.names[0],
    named: [...logs.names, ...Object.keys(logs.admitted)],
  },
  logs,
});

/** The patterns of a history and those that are asked for. Throws AnalyticsError `usage` if the same files have another site. */
function joinPatterns(asked: readonly LogPattern[], { patterns, names }: HistoryLogs): LogPattern[] {
  const joined = [...patterns];
  for (const { glob, site } of asked) {
    const real = readRealPattern(glob);
    const known = patterns.find((pattern) => pattern.glob === real);
    if (known === undefined) joined.push({ glob: real, site });
    else assertSameSite(known.site ?? names[0], site, patterns);
  }
  return joined;
}

/**
 * @param known The site of the files in the history; undefined if their lines name it.
 * @param patterns Those of the history.
 */
export function assertSameSite(
  known: string | undefined,
  asked: string | undefined,
  patterns: readonly LogPattern[],
): void {
  if (asked !== undefined && asked !== known)
    throw createOtherSiteError(known ?? "the hosts in their lines", asked, {
      files: patterns,
      isMeant: true,
    });
}

/** Whether lines of a file have the site that was named for them. */
export const isNamed = ({ hasHosts, site }: LogContent): boolean => !hasHosts && site === undefined;

/** What to save: names matter only where lines lack them. */
export const keepLogs = (logs: HistoryLogs, contents: readonly LogContent[]): HistoryLogs =>
  contents.some(isNamed) ? logs : { ...logs, names: [] };

/** What somebody who saves such logs should know. */
export const describePart = (partOf: readonly string[]): string =>
  `These files belong to a history that has more of them, so nothing is kept of these alone. To go on with it: ${quoteLogs(partOf)}`;

/** Says that the numbers are not those of another history that has some of the same files. Others see it: it names no folders. */
export function warnOfHistories({ others }: HistoryLogs, partOf: readonly string[] = []): Warning[] {
  const name = (patterns: readonly string[]) => {
    const names = [...new Set(patterns.map((pattern) => basename(pattern)))];
    // Of a whole folder, the name says nothing.
    const telling = names.filter((text) => /\w/.test(text));
    return (telling.length > 0 ? telling : names).map((text) => quote(text)).join(", ");
  };
  return [
    ...(partOf.length > 0
      ? [
          {
            code: "part_of_logs",
            detail: `These files belong to the history of ${name(partOf)}, so they were counted separately this time and nothing was kept. For the numbers of that history, ask with all of its files: \`analytics-mcp logs --list\` shows them.`,
          },
        ]
      : []),
    ...(others.length > 0
      ? [
          {
            code: "other_history",
            detail: `Some of these files also count in the history of ${name(others)}, whose numbers are separate: \`analytics-mcp logs --list\` shows all histories.`,
          },
        ]
      : []),
  ];
}

/** Says since when a site counts that was named late. @param from The first day of the answer. */
export function warnOfAdmission(domain: string, admitted: HistoryLogs["admitted"], from: string): Warning[] {
  const since = readMember(admitted, domain) ?? "";
  if (from >= since) return [];
  const detail = `${domain} counts from ${since} on: when it was named, earlier log files were gone.`;
  return [{ code: "site_since", detail, values: { since } }];
}
