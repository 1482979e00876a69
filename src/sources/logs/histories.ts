import { renameSync, rmSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import type { Environment } from "../../config/variables.ts";
import { AnalyticsError, quotePath } from "../../errors.ts";
import { countDays } from "../../operations/days.ts";
import { quoteForShell } from "../../operations/shell-command.ts";
import { formatCount } from "../../render/plural.ts";
import type { ListOwnSites, LocalContext } from "../source-types.ts";
import { DEFINITION } from "./counting/day-counts.ts";
import { listOwnSites } from "./counting/sites.ts";
import { openStore, readLogSettings } from "./open.ts";
import { readRealPattern } from "./reading/find-files.ts";
import {
  applyOptions,
  completeOptions,
  currentOptions,
  describeLosses,
  formatOptions,
  listChanges,
  listDifferent,
} from "./saved-options.ts";
import { formatPatterns, type LogSettings } from "./settings.ts";
import {
  findHistoriesFolder,
  findHistory,
  isPart,
  listLinks,
  nameHistoryFolder,
  type PartOfHistory,
} from "./store/find-history.ts";

import { inspectHistories, type ListedHistory } from "./store/inspect-history.ts";
import { takeLock } from "./store/lock.ts";
import { readManifest } from "./store/manifest.ts";
import { findFreeName } from "./store/put-aside.ts";

/** A history as it is listed. Dates are those of its timezone. */
export interface HistoryRow {
  /** The patterns of its log files; null if it cannot be read. */
  logs: string[] | null;
  /** As they are typed. */
  options: string[] | null;
  sites: number | null;
  first_day: string | null;
  last_day: string | null;
  bytes: number | null;
  /** Files that are damaged or missing, and why nothing can be read if so. */
  damaged: string[];
  /** Where damaged parts were put. */
  set_aside: string[];
  folder: string;
}

/** The histories of this user. Other users of the machine have their own. */
export const listHistoryRows = (environment: Environment): HistoryRow[] => {
  const folder = findHistoriesFolder(environment);
  return folder === undefined ? [] : inspectHistories(folder).map(describeHistory);
};

function describeHistory({ folder, logs, report, reason, aside }: ListedHistory): HistoryRow {
  return {
    logs: logs === undefined ? null : formatPatterns(logs.patterns),
    options: logs === undefined ? null : formatOptions(currentOptions(logs.options)),
    sites: report?.sites ?? null,
    first_day: report?.first ?? null,
    last_day: report?.last ?? null,
    bytes: report?.bytes ?? null,
    damaged: [...(reason === undefined ? [] : [reason]), ...(report?.damaged ?? [])],
    set_aside: aside,
    folder,
  };
}

/** A sentence for each history. */
export function describeHistories(rows: readonly HistoryRow[]): string[] {
  return rows.map(({ logs, options, first_day, last_day, bytes, damaged, set_aside, folder }) => {
    const days = first_day === null ? "no day" : `${first_day} to ${last_day}`;
    const size = bytes === null ? [] : [formatSize(bytes)];
    const parts = [days, ...size, ...(options ?? [])];
    const wrong = [
      ...damaged.map((text) => `damaged: ${text}`),
      ...set_aside.map((path) => `set aside: ${path}`),
    ];
    return [`${logs?.join(" ") ?? folder} (${parts.join(", ")})`, ...wrong].join("; ");
  });
}

export const formatSize = (bytes: number): string =>
  bytes < 1_000_000 ? `${Math.ceil(bytes / 1_000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;

/** The name of the user whose histories these are. */
export function nameUser(): string {
  try {
    return userInfo().username;
  } catch {
    // A container may run as a user without a name.
    return "this user";
  }
}

/** A history whose options were set. */
export interface ChangedHistory {
  row: HistoryRow;
  /** What has changed, and which days that holds for. */
  changes: string[];
}

/**
 * Saves options with the history of some logs, and counts again what can be counted. Throws AnalyticsError, also if these logs have no
 * history.
 */
export async function setOptions(context: LocalContext): Promise<ChangedHistory> {
  const { flags, environment, warn } = context;
  const asked = readLogSettings(flags, environment.ANALYTICS_SITE);
  const known = await findSavedOptions(asked, environment).catch(() => undefined);
  // What the lines call their site was said when they were first counted.
  const { settings, store } = openStore(context, { mayChange: true, ...(known && { onNamed: undefined }) });
  const { folder, notKept, partOf, logs } = await store.read();
  const row = listHistoryRows(environment).find((each) => each.folder === folder);
  if (notKept !== undefined) throw new AnalyticsError("usage", `Nothing can be saved: ${notKept.reason}.`);
  if (row === undefined) throw createNoHistoryError(settings, partOf);
  const before = known ?? completeOptions({});
  const { since, options } = logs.options.at(-1) ?? { since: "", options: before };
  for (const loss of describeLosses(before, options, formatPatterns(asked.files))) await warn?.(loss);
  const changes = listChanges(before, options);
  if (known === undefined) return { row, changes };
  const isCounted = listDifferent(options, before).some((key) => key !== "keep");
  const counted = isCounted ? describeCounted(row, since) : [];
  return {
    row,
    changes: changes.length === 0 ? ["Nothing has changed: it was saved before."] : [...changes, ...counted],
  };
}

/** Says which days of a history are counted by new options. @param since The first of them; empty for all. */
function describeCounted({ first_day, last_day }: HistoryRow, since: string): string[] {
  if (first_day === null || last_day === null) return [];
  const from = since > first_day ? since : first_day;
  const days = from > last_day ? "No day" : formatCount(countDays(from, last_day), "day");
  const verb = days === "1 day" || from > last_day ? "was" : "were";
  const rest = from > first_day ? `, from ${from} on. Earlier days stay as they were` : "";
  return [`${days} ${verb} counted again${rest}.`];
}

/** The options that are saved with the history of some logs; undefined if they have none. Throws what the system throws. */
export async function findSavedOptions(settings: LogSettings, environment: Environment) {
  const manifest = await findManifest(settings, environment);
  return manifest && currentOptions(manifest.logs.options);
}

/** Logs as questions count them: by the options of their history, where others are not given. */
export async function withSavedOptions(asked: LogSettings, environment: Environment): Promise<LogSettings> {
  const { options: saved } = await findSaved(asked, environment);
  return saved === undefined
    ? asked
    : { ...asked, ...applyOptions([{ since: "", options: { ...saved, ...asked.given } }]) };
}

/** The site that lines without one count for in the history of some logs, or of more; undefined if there is none. */
export const findSavedName = async (settings: LogSettings, environment: Environment) =>
  (await findSaved(settings, environment)).site;

/** What is saved with the history of some logs, or with one that has these and more. */
async function findSaved(
  settings: LogSettings,
  environment: Environment,
): Promise<Pick<PartOfHistory, "site" | "options">> {
  const folder = findHistoriesFolder(environment);
  if (folder === undefined) return {};
  try {
    const found = await findHistory(folder, settings);
    if (isPart(found)) return found;
    const logs = readManifestIn(found.folder)?.logs;
    return logs === undefined ? {} : { site: logs.names[0], options: currentOptions(logs.options) };
  } catch {
    return {};
  }
}

/** The sites that the history of some logs has; undefined if they have none. Throws AnalyticsError, or what the system throws. */
export async function recallSites({ flags, environment }: LocalContext): Promise<ListOwnSites | undefined> {
  const settings = readLogSettings(flags, environment.ANALYTICS_SITE);
  const manifest = await findManifest(settings, environment);
  if (manifest === undefined) return undefined;
  const sites = new Map(manifest.sites.map((site) => [site.domain, site]));
  return (selection) => listOwnSites(sites, settings, selection).map(({ domain }) => domain);
}

async function findManifest(settings: LogSettings, environment: Environment) {
  const folder = await findOwnFolder(settings, environment);
  return folder === undefined ? undefined : readManifestIn(folder);
}

const readManifestIn = (folder: string) => readManifest(join(folder, "manifest"), DEFINITION);

/** The folder of the history of some logs; undefined if they have none of their own. */
export async function findOwnFolder(
  settings: LogSettings,
  environment: Environment,
): Promise<string | undefined> {
  const folder = findHistoriesFolder(environment);
  const found = folder === undefined ? undefined : await findHistory(folder, settings);
  return found === undefined || isPart(found) ? undefined : found.folder;
}

/**
 * Removes the history of some logs, with what was set aside of it, if `confirm` agrees. Returns it; undefined if it was
 * kept. Throws AnalyticsError.
 */
export async function forgetHistory(
  settings: LogSettings,
  environment: Environment,
  confirm: (row: HistoryRow) => Promise<boolean>,
): Promise<HistoryRow | undefined> {
  const folder = findHistoriesFolder(environment);
  const found = folder === undefined ? undefined : await findHistory(folder, settings);
  const partOf = found && isPart(found) ? found.partOf : undefined;
  const listed =
    folder === undefined || found === undefined || isPart(found)
      ? undefined
      : inspectHistories(folder).find((each) => each.folder === found.folder);
  if (folder === undefined || listed === undefined) throw createNoHistoryError(settings, partOf);
  assertOwnName(listed, folder, settings);
  const row = describeHistory(listed);
  if (!(await confirm(row))) return undefined;
  const lock = takeLock(join(row.folder, "lock"));
  try {
    // In one step: if the process is killed after it, the history is gone, too, and the next --forget removes the rest.
    const removed = findFreeName(`${row.folder}.damaged`);
    renameSync(row.folder, removed);
    for (const path of [removed, ...row.set_aside, ...listLinks(folder, row.folder)])
      rmSync(path, { recursive: true, force: true });
  } finally {
    lock.release();
  }
  return row;
}

/** A history that these logs would continue is removed only by its own name. Throws AnalyticsError. */
function assertOwnName(listed: ListedHistory, folder: string, { files }: LogSettings): void {
  const patterns = listed.logs?.patterns ?? [];
  const known = new Set(patterns.map(({ glob }) => glob));
  const isNamed = files.every(({ glob }) => known.has(readRealPattern(glob)));
  if (isNamed || listed.folder === nameHistoryFolder(folder, files)) return;
  const [asked, own] = [files, patterns].map((each) => each.map(({ glob }) => quotePath(glob)).join(" "));
  throw new AnalyticsError("usage", `${asked} would continue the history of ${own}; nothing was removed.`, {
    hint: `To remove that one, for good: analytics-mcp logs --forget ${patterns.map(({ glob }) => quoteForShell(glob)).join(" ")}`,
  });
}

/** @param partOf The patterns of a history that has these files, and more. */
function createNoHistoryError({ files }: LogSettings, partOf?: readonly string[]): AnalyticsError {
  const names = files.map(({ glob }) => quotePath(glob)).join(" ");
  if (partOf === undefined)
    return new AnalyticsError("usage", `There is no history of ${names}.`, {
      hint: "analytics-mcp logs --list shows the histories that there are, with the files of each.",
    });
  const whole = partOf.map(quoteForShell).join(" ");
  return new AnalyticsError(
    "usage",
    `There is no history of ${names} alone: that of ${whole} has more files.`,
    {
      hint: `Name all of its files: ${whole}. Or remove it, for good: analytics-mcp logs --forget ${whole}`,
    },
  );
}
