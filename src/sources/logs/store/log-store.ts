/*
 * The way of counts to the disk and back:
 *
 * open-history.ts       finds the folder of these logs' history, or says why there is none
 * inspect-history.ts    says what a history has, and which of its files are damaged
 * history.ts            writes and reads it: what counts is what the manifest names
 *   lock.ts               one process writes at a time
 *   history-folder.ts     what this process knows of the files
 *   load-history.ts       reads the manifest and the lists of days, and the rest when it is needed
 *   save-history.ts       writes what has come since, then the manifest
 *   remove-unnamed.ts     removes what the manifest no longer names
 * manifest.ts           how far the logs are read, and what the other files are
 * journal-format.ts     open days: all that was read of them, with hashes in place of addresses
 *   journal-writer.ts     says what the journal lacks of a day
 *   read-journal.ts       puts the days together again
 *   hash-index.ts         finds the numbers of hashes
 * site-files.ts         the files of a site, and the list of its closed days
 *   day-files.ts          closed days: their sums, which are read when they are asked for, and their hits
 * day-hits.ts           the hits of a closed day as a Parquet file
 * read-hits.ts          reads it for questions with a filter
 * hit-memory.ts         the same files in memory, where there is no history
 * files.ts              files that are whole or not there
 * rebuild-days.ts       counts a closed day again when more of its lines come
 */

import { AnalyticsError } from "../../../errors.ts";
import { addDays } from "../../../operations/days.ts";
import { listClosedTooEarly } from "../counting/close-days.ts";
import { type Collector, type CollectorOptions, createCollector } from "../counting/collector.ts";
import { DEFINITION } from "../counting/day-counts.ts";
import { openGeoip } from "../counting/geoip.ts";
import { MAX_SITES } from "../counting/host-sites.ts";
import type { SiteLog } from "../counting/site-log.ts";
import { createOtherSiteError } from "../counting/sites.ts";
import { createFileRegistry, type FileRegistry } from "../reading/file-registry.ts";
import { findFiles, STDIN } from "../reading/find-files.ts";
import { currentOptions, listDifferent } from "../saved-options.ts";
import type { LogSettings } from "../settings.ts";
import { OutdatedDay } from "./day-files.ts";
import { formatHits } from "./day-hits.ts";
import { DamagedDay, DamagedFile } from "./files.ts";
import { isPart, type PartOfHistory } from "./find-history.ts";
import {
  applyLogs,
  beginLogs,
  continueLogs,
  isNamed,
  keepLogs,
  NO_LOGS,
  type SettledLogs,
} from "./history-logs.ts";
import { createHitMemory } from "./hit-memory.ts";
import type { KeptState } from "./load-history.ts";
import { isNotKept, type NotKept, type OpenHistory } from "./open-history.ts";
import { type Rebuild, rebuildDays } from "./rebuild-days.ts";
import { changeOptions, findCountable, isCountedOtherwise, recount } from "./recount.ts";

export interface LogStore {
  /** Reads what was written since the last time, saves it, and returns what was collected from all lines. */
  read(signal?: AbortSignal): Promise<ReadResult>;
  /**
   * Makes the next `read` start from what other processes have kept since.
   *
   * @returns Whether that can help against an error.
   */
  forget(error: unknown): boolean;
}

/** What was read, and by which options. */
export interface ReadResult extends CountedLogs {
  notKept?: NotKept | undefined;
  /** The patterns of a history that has more files than these logs, of which nothing is kept. */
  partOf?: readonly string[] | undefined;
  /** That of the history. */
  folder?: string | undefined;
}

interface CountedLogs extends SettledLogs {
  collector: Collector;
  registry: FileRegistry;
}

export interface LogStoreOptions {
  /** Milliseconds since 1970. */
  clock: () => number;
  /** Opens the history that earlier processes kept; absent or undefined if nothing is to be kept. */
  openHistory?: (() => Promise<OpenHistory | PartOfHistory | NotKept | undefined>) | undefined;
  /** Called when logs were read that have no history yet, or whose options may change. */
  onNamed?: ((partOf?: readonly string[]) => Promise<() => Promise<void>>) | undefined;
  /** Called when logs were counted again by another name, with the one before. */
  onRenamed?: ((before: string, name: string, isCalled: boolean) => void) | undefined;
  /** Finds what the pages of these logs call their site; with `isOnly`, only if that is enough to name it. */
  findCalled?: ((isOnly: boolean) => Promise<string | undefined>) | undefined;
  /** Finds a site to propose for logs that nothing names. */
  findProposed?: (() => Promise<string | undefined>) | undefined;
  /** Makes a thread read the logs and keep their counts in the same history; fails only if no thread can be started. */
  readInWorker?: ((signal?: AbortSignal) => Promise<void>) | undefined;
  /** Whether options other than those of the history change it; else they are refused. */
  mayChange?: boolean | undefined;
}

/** In bytes: fewer are read in little more time than it takes to start a thread. */
const MIN_WORKER_BYTES = 32_000_000;

/** Creates the store of what was collected from the logs: in memory, and in their history if there is one. */
export function createLogStore(
  asked: LogSettings,
  {
    clock,
    openHistory,
    readInWorker,
    mayChange,
    onNamed,
    onRenamed,
    findCalled,
    findProposed,
  }: LogStoreOptions,
): LogStore {
  let history: OpenHistory | undefined;
  let notKept: NotKept | undefined;
  let part: PartOfHistory | undefined;
  let isOpened = false;
  /** Says what was found when these logs were named. */
  let sayNamed: (() => Promise<void>) | undefined;
  /** The site of logs that have no history, if nobody named it and their pages leave no doubt. */
  let called: string | undefined;
  let proposed: string | undefined;
  let current: CountedLogs | undefined;
  /** What was on disk after the last save. */
  let saved = "";
  /** How often days were counted again. */
  let rebuilds = 0;
  /** By site, the days that were counted by earlier rules, or of which something is missing. */
  let older = new Map<string, string[]>();
  const rebuilt = new Map<string, number>();
  /** Sites that were named and have no line. */
  const absent = new Set<string>();
  let places: { path: string; find: NonNullable<CollectorOptions["findPlace"]> } | undefined;
  /** Where there is no history. */
  const keptHits = createHitMemory();

  const openPlaces = (path: string): NonNullable<CollectorOptions["findPlace"]> => {
    if (places?.path === path) return places.find;
    const search = openGeoip(path);
    const find: NonNullable<CollectorOptions["findPlace"]> = (address) => {
      try {
        return search(address);
      } catch (cause) {
        // It failed in the middle of a block, of which some lines were counted: the next query starts again.
        current = undefined;
        places = undefined;
        throw cause;
      }
    };
    places = { path, find };
    return find;
  };
  const openOnce = async () => {
    if (isOpened) return;
    const found = await openHistory?.();
    isOpened = true;
    if (found === undefined) return;
    if (isNotKept(found)) notKept = found;
    else if (isPart(found)) part = found;
    else history = found;
  };
  /** A day whose files cannot be written is kept in memory, and its counts are saved later. */
  const onClose: CollectorOptions["onClose"] = (log, day, { counts, table }) => {
    const hits = formatHits(day, table);
    if (history === undefined) return keptHits.keep(counts, hits);
    try {
      return history.writeDay(log, day.date, counts, hits);
    } catch {
      return undefined;
    }
  };
  const createCollectorOf = (settings: LogSettings, options: CollectorOptions) =>
    // Paths are left out when days are asked about.
    createCollector(
      { ...settings, excludePaths: [] },
      { findPlace: settings.geoip && openPlaces(settings.geoip.path), onClose, ...options },
    );
  const settle = (kept: KeptState | undefined) =>
    kept === undefined || kept.logs === NO_LOGS
      ? beginLogs(asked, { options: part?.options, others: history?.others, called, proposed })
      : continueLogs(asked, kept, mayChange);
  const start = (kept: KeptState | undefined): CountedLogs => {
    const { settings, logs } = settle(kept);
    // Without its manifest, a history does not know the timezone.
    for (const log of kept?.sites ?? []) log.calendar = settings.calendar;
    const collector = createCollectorOf(settings, { kept });
    const registry = createFileRegistry(settings, collector, clock, kept);
    return { settings, logs, collector, registry };
  };
  const load = async (signal?: AbortSignal): Promise<KeptState | undefined> => {
    const kept = history?.load();
    const isNamedNow = mayChange === true || (part === undefined && kept === undefined);
    // The beginning of standard input cannot be read again once all of it was.
    if (isNamedNow) sayNamed ??= await onNamed?.(part?.partOf);
    if (kept === undefined && asked.sites.length === 0) {
      called = part?.site ?? (await findCalled?.(true));
      if (called === undefined) proposed = await findProposed?.();
    }
    if (history === undefined || readInWorker === undefined) return kept;
    const { settings } = settle(kept);
    if ((await measureUnread(settings, kept)) < MIN_WORKER_BYTES) return kept;
    await readInWorker(signal).catch(() => {});
    signal?.throwIfAborted();
    return history.load();
  };
  const open = async (signal?: AbortSignal) => {
    current = undefined;
    await openOnce();
    const kept = await load(signal);
    current = start(kept);
    saved =
      kept === undefined || kept.isRepaired ? "" : describeRead({ ...current, logs: kept.logs }, rebuilds);
    older = new Map(
      [...current.collector.sites].map(([domain, log]) => [domain, [...listOlder(log), ...listDamaged(log)]]),
    );
    return current;
  };
  /** Whether the state is on disk, or cannot be; false if another process has written. */
  const save = (read: CountedLogs, sites: Iterable<SiteLog> = read.collector.sites.values()): boolean => {
    // A question that is refused for want of a site tells nothing.
    if (history === undefined || read.collector.sites.size === 0) return true;
    const now = clock() / 1000;
    const state = describeRead(read, rebuilds);
    if (state === saved && notKept === undefined) return history.isCurrent();
    const { registry } = read;
    const result = history.save(
      { ...describeState(read), marks: registry.keepMarks(now), sites: [...sites] },
      now,
    );
    notKept = isNotKept(result) ? result : undefined;
    if (result === true) saved = state;
    return result !== false;
  };
  const hasAll = (read: CountedLogs): boolean => history?.hasAll(describeState(read)) ?? false;
  const readAgainBy =
    (settings: LogSettings): Rebuild["readAgain"] =>
    async (copies, onlyDays, signal) => {
      const collector = createCollectorOf(settings, { kept: { sites: copies }, onlyDays });
      // Standard input cannot be read again.
      const files = settings.files.filter(({ glob }) => glob !== STDIN);
      const registry = createFileRegistry({ ...settings, files }, collector, clock);
      await registry.refresh(signal);
      return { sites: collector.sites, files: registry };
    };
  const readOnce = async (signal?: AbortSignal) => {
    const read = current ?? (await open(signal));
    const { collector, registry, settings } = read;
    try {
      await registry.refresh(signal);
    } catch (cause) {
      // There was no time to read everything: the next query goes on from here, even in another process.
      if (signal?.aborted) save(read);
      throw cause;
    }
    const now = clock() / 1000;
    const outdated = (log: SiteLog) => [...listClosedTooEarly(log, now), ...(older.get(log.domain) ?? [])];
    const readAgain = readAgainBy(settings);
    const given = { sites: collector.sites, files: registry, readAgain, tried: rebuilt, outdated };
    if (await rebuildDays(given, signal)) rebuilds++;
    return read;
  };
  /** Whether a line that names no site counts by another name now, which was asked for. Throws AnalyticsError if it must not. */
  const rename = async (read: CountedLogs, signal?: AbortSignal): Promise<boolean> => {
    const { collector, registry, settings, logs } = read;
    const change = findNameChange(read, asked);
    if (history === undefined || change === undefined) return false;
    const { known, name } = change;
    const now = clock() / 1000;
    const counted = { sites: collector.sites, files: registry };
    const countable = findCountable(counted, settings.calendar, now);
    const { first, since, isPart } = countable;
    const its = await findCalled?.(false);
    // At a login, the name is what the person says, whatever the pages do.
    if ((its !== name && !mayChange) || isPart) {
      const lost = isPart ? { from: first, to: addDays(since, -1) } : null;
      throw createOtherSiteError(known, name, { files: asked.files, called: its, lost, isMeant: mayChange });
    }
    const next = applyLogs(asked, { ...logs, names: [name] });
    const domains = [...collector.sites.keys(), name];
    const readAgain = readAgainBy(next.settings);
    const { options } = logs;
    const sites = await recount({ read: counted, domains, countable, options, now, readAgain }, signal);
    if (sites === undefined) return true;
    rebuilds++;
    // No line is left of the name before.
    const left = sites.filter((log) => log.first !== undefined);
    save({ ...read, ...next }, left);
    if (notKept !== undefined) throw createNotChangedError(notKept.reason);
    onRenamed?.(known, name, its === name);
    current = undefined;
    return true;
  };
  /** Counts anew by what has changed: other options, or a site that was named. False if nothing has. Else the logs must be opened again. */
  const change = async (read: CountedLogs, signal?: AbortSignal): Promise<boolean> => {
    const { collector, registry, settings, logs } = read;
    const hasOptions = listDifferent(asked.given, currentOptions(logs.options)).length > 0;
    const missing = listMissing(read, asked).filter((site) => !absent.has(site));
    if (history === undefined || (!hasOptions && missing.length === 0)) return false;
    const now = clock() / 1000;
    const counted = { sites: collector.sites, files: registry };
    const countable = findCountable(counted, settings.calendar, now);
    const options = changeOptions(logs.options, asked.given, countable);
    const names = logs.names.length > 0 ? logs.names : asked.sites;
    const admit = (found: readonly string[]) =>
      applyLogs(asked, {
        ...logs,
        options,
        names,
        admitted: {
          ...logs.admitted,
          ...Object.fromEntries(found.map((site) => [site, countable.isPart ? countable.since : ""])),
        },
      });
    const domains = isCountedOtherwise(logs.options, asked.given)
      ? [...collector.sites.keys(), ...missing]
      : missing;
    const readAgain = readAgainBy(admit(missing).settings);
    const sites = await recount({ read: counted, domains, countable, options, now, readAgain }, signal);
    if (sites === undefined) return true;
    const found = missing.filter((site) => sites.some(({ domain }) => domain === site));
    for (const site of missing) absent.add(site);
    if (!hasOptions && found.length === 0) return false;
    rebuilds++;
    save({ ...read, ...admit(found) }, sites);
    if (notKept !== undefined) throw createNotChangedError(notKept.reason);
    current = undefined;
    return true;
  };

  const forget = (error: unknown): boolean => {
    const isDamaged = error instanceof DamagedFile;
    const isOutdated = [error, Object(error).cause].some((each) => each instanceof OutdatedDay);
    if (!isDamaged && !isOutdated) return false;
    current = undefined;
    if (error instanceof DamagedDay) history?.noteDamage(error);
    return true;
  };
  /** If another process has written, loads its state and reads from the files what it lacks. */
  const readAndSave = async (signal?: AbortSignal) => {
    for (let attempt = 1; ; attempt++) {
      try {
        const isLoadedNow = current === undefined;
        const rebuildsBefore = rebuilds;
        const read = await readOnce(signal);
        if (save(read)) return read;
        // Another process was faster, and saved the same lines. Days that this one counted again are not told yet.
        const isSavedByOther = isLoadedNow && rebuilds === rebuildsBefore && hasAll(read);
        if (isSavedByOther) return read;
        if (attempt === MAX_ATTEMPTS) {
          notKept = { reason: "other processes keep writing" };
          return read;
        }
        current = undefined;
      } catch (error) {
        if (!forget(error) || attempt === MAX_ATTEMPTS) throw error;
      }
    }
  };

  /** The same, by the options and with the sites that were asked for. */
  const readAsked = async (signal?: AbortSignal) => {
    for (let attempt = 1; ; attempt++) {
      const read = await readAndSave(signal);
      if (!(await rename(read, signal)) && !(await change(read, signal))) return read;
      if (attempt === MAX_ATTEMPTS) throw createNotChangedError("the log files keep changing");
    }
  };

  let running: Promise<unknown> = Promise.resolve();
  return {
    forget,
    read: (signal) => {
      const next = running.then(async () => {
        signal?.throwIfAborted();
        const read = await readAsked(signal);
        await sayNamed?.();
        sayNamed = undefined;
        return { ...read, notKept, partOf: part?.partOf, folder: history?.folder };
      });
      running = next.catch(() => {});
      return next;
    },
  };
}

const MAX_ATTEMPTS = 10;

const describeState = ({ collector, registry, logs }: CountedLogs) => {
  const contents = [...registry.contents.values()];
  const { unreadFiles } = registry;
  return { contents, unreadFiles, sites: [...collector.sites.values()], logs: keepLogs(logs, contents) };
};

/** The sites that were named and have no line, though some lines were not counted that may be theirs. */
function listMissing({ collector, registry, logs }: CountedLogs, { sites }: LogSettings): string[] {
  const isFull = collector.sites.size >= MAX_SITES;
  const isNameless = logs.names.length === 0 && [...registry.contents.values()].some(isNamed);
  return isFull || isNameless ? sites.filter((site) => !collector.sites.has(site)) : [];
}

/** Another name for lines without one. */
interface NameChange {
  known: string;
  name: string;
}

/** The name that is asked for, if lines without one have another. */
function findNameChange({ collector, logs }: CountedLogs, { sites }: LogSettings): NameChange | undefined {
  const [[name], [known]] = [sites, logs.names];
  if (name === undefined || known === undefined) return undefined;
  if (sites.some((site) => site === known || collector.sites.has(site))) return undefined;
  return { known, name };
}

const createNotChangedError = (reason: string): AnalyticsError =>
  new AnalyticsError("unavailable", `These logs could not be counted anew: ${reason}.`, {
    hint: "Ask again.",
  });

/** The days of a site that were counted by earlier rules. */
const listOlder = ({ closed, open }: SiteLog): string[] =>
  [...closed, ...open].flatMap(([date, { definition }]) => (definition === DEFINITION ? [] : date));

/** The days of which something is missing. */
const listDamaged = ({ closed, lost }: SiteLog): string[] => [
  ...[...lost].flatMap(([date, { isForGood }]) => (isForGood ? [] : date)),
  ...[...closed].flatMap(([date, { damage }]) => (damage === undefined ? [] : date)),
];

/**
 * Roughly how many bytes of the files are unread, whatever the files are called; too low, even negative, if some were
 * compressed or are gone.
 */
async function measureUnread(settings: LogSettings, kept: KeptState | undefined): Promise<number> {
  const files = await findFiles(settings);
  return sum(files.map(({ size }) => size)) - sum((kept?.contents ?? []).map(({ read }) => read));
}

const sum = (numbers: Iterable<number>) => [...numbers].reduce((total, number) => total + number, 0);

/** Changes whenever something was read, or a day was closed or counted again, or the logs are described otherwise. */
function describeRead({ collector, registry, logs }: CountedLogs, rebuilds: number): string {
  const contents = [...registry.contents.values()];
  const sites = [...collector.sites.values()];
  return [
    contents.length,
    sum(contents.map(({ read }) => read)),
    sum(sites.map(({ closed }) => closed.size)),
    sum(sites.map(({ open }) => open.size)),
    sum(sites.flatMap(({ late }) => [...late.values()])),
    contents.filter(({ damage }) => damage !== undefined).length,
    rebuilds,
    JSON.stringify([...registry.unreadFiles]),
    JSON.stringify(keepLogs(logs, contents)),
  ].join(" ");
}
