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

import { listClosedTooEarly } from "../counting/close-days.ts";
import { type Collector, type CollectorOptions, createCollector } from "../counting/collector.ts";
import { DEFINITION } from "../counting/day-counts.ts";
import { openGeoip } from "../counting/geoip.ts";
import type { SiteLog } from "../counting/site-log.ts";
import { createFileRegistry, type FileRegistry } from "../reading/file-registry.ts";
import { findFiles, STDIN } from "../reading/find-files.ts";
import type { LogSettings } from "../settings.ts";
import { OutdatedDay } from "./day-files.ts";
import { formatHits } from "./day-hits.ts";
import { DamagedDay, DamagedFile } from "./files.ts";
import { createHitMemory } from "./hit-memory.ts";
import type { KeptState } from "./load-history.ts";
import { isNotKept, type NotKept, type OpenHistory } from "./open-history.ts";
import { type Rebuild, rebuildDays } from "./rebuild-days.ts";

export interface LogStore {
  /** Reads what was written since the last time, saves it, and returns what was collected from all lines. */
  read(signal?: AbortSignal): Promise<{ collector: Collector; registry: FileRegistry; notKept?: NotKept }>;
  /**
   * Makes the next `read` start from what other processes have kept since.
   *
   * @returns Whether that can help against an error.
   */
  forget(error: unknown): boolean;
}

export interface LogStoreOptions {
  /** Milliseconds since 1970. */
  clock: () => number;
  /** Opens the history that earlier processes kept; absent or undefined if nothing is to be kept. */
  openHistory?: (() => OpenHistory | NotKept | undefined) | undefined;
  /** Makes a thread read the logs and keep their counts in the same history; fails only if no thread can be started. */
  readInWorker?: ((signal?: AbortSignal) => Promise<void>) | undefined;
}

/** In bytes: fewer are read in little more time than it takes to start a thread. */
const MIN_WORKER_BYTES = 32_000_000;

/** Creates the store of what was collected from the logs: in memory, and in their history if there is one. */
export function createLogStore(
  settings: LogSettings,
  { clock, openHistory, readInWorker }: LogStoreOptions,
): LogStore {
  let history: OpenHistory | undefined;
  let notKept: NotKept | undefined;
  let isOpened = false;
  let current: ReturnType<typeof start> | undefined;
  /** What was on disk after the last save. */
  let saved = "";
  /** How often days were counted again. */
  let rebuilds = 0;
  /** By site, the days that were counted by earlier rules, or of which something is missing. */
  let older = new Map<string, string[]>();
  const rebuilt = new Map<string, number>();
  let findPlace: CollectorOptions["findPlace"];
  /** Where there is no history. */
  const keptHits = createHitMemory();

  const openPlaces = (path: string): NonNullable<typeof findPlace> => {
    const find = openGeoip(path);
    return (address) => {
      try {
        return find(address);
      } catch (cause) {
        // It failed in the middle of a block, of which some lines were counted: the next query starts again.
        current = undefined;
        findPlace = undefined;
        throw cause;
      }
    };
  };
  const openOnce = () => {
    if (isOpened) return;
    isOpened = true;
    const found = openHistory?.();
    if (found === undefined) return;
    if (isNotKept(found)) notKept = found;
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
  const start = (kept: KeptState | undefined) => {
    findPlace ??= settings.geoip && openPlaces(settings.geoip.path);
    const collector = createCollector(settings, { kept, findPlace, onClose });
    const registry = createFileRegistry(settings, collector, clock, kept);
    return { collector, registry };
  };
  const load = async (signal?: AbortSignal): Promise<KeptState | undefined> => {
    const kept = history?.load();
    if (history === undefined || readInWorker === undefined) return kept;
    if ((await measureUnread(settings, kept)) < MIN_WORKER_BYTES) return kept;
    await readInWorker(signal).catch(() => {});
    signal?.throwIfAborted();
    return history.load();
  };
  const open = async (signal?: AbortSignal) => {
    current = undefined;
    openOnce();
    const kept = await load(signal);
    current = start(kept);
    saved = kept === undefined || kept.isRepaired ? "" : describeRead(current, rebuilds);
    older = new Map(
      [...current.collector.sites].map(([domain, log]) => [domain, [...listOlder(log), ...listDamaged(log)]]),
    );
    return current;
  };
  /** Whether the state is on disk, or cannot be; false if another process has written. */
  const save = (read: { collector: Collector; registry: FileRegistry }): boolean => {
    if (history === undefined) return true;
    const now = clock() / 1000;
    const state = describeRead(read, rebuilds);
    if (state === saved && notKept === undefined) return history.isCurrent();
    const result = history.save(
      {
        contents: [...read.registry.contents.values()],
        marks: read.registry.keepMarks(now),
        sites: [...read.collector.sites.values()],
      },
      now,
    );
    notKept = isNotKept(result) ? result : undefined;
    if (result === true) saved = state;
    return result !== false;
  };
  const hasAll = ({ collector, registry }: { collector: Collector; registry: FileRegistry }): boolean =>
    history?.hasAll({
      contents: [...registry.contents.values()],
      sites: [...collector.sites.values()],
    }) ?? false;
  const readAgain: Rebuild["readAgain"] = async (copies, onlyDays, signal) => {
    const collector = createCollector(settings, { findPlace, kept: { sites: copies }, onlyDays, onClose });
    // Standard input cannot be read again.
    const files = settings.files.filter(({ glob }) => glob !== STDIN);
    const registry = createFileRegistry({ ...settings, files }, collector, clock);
    await registry.refresh(signal);
    return { sites: collector.sites, files: registry };
  };
  const readOnce = async (signal?: AbortSignal) => {
    const { collector, registry } = current ?? (await open(signal));
    try {
      await registry.refresh(signal);
    } catch (cause) {
      // There was no time to read everything: the next query goes on from here, even in another process.
      if (signal?.aborted) save({ collector, registry });
      throw cause;
    }
    const now = clock() / 1000;
    const outdated = (log: SiteLog) => [...listClosedTooEarly(log, now), ...(older.get(log.domain) ?? [])];
    const given = { sites: collector.sites, files: registry, readAgain, tried: rebuilt, outdated };
    if (await rebuildDays(given, signal)) rebuilds++;
    return { collector, registry };
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

  let running: Promise<unknown> = Promise.resolve();
  return {
    forget,
    read: (signal) => {
      const next = running.then(async () => {
        signal?.throwIfAborted();
        const read = await readAndSave(signal);
        return { ...read, ...(notKept && { notKept }) };
      });
      running = next.catch(() => {});
      return next;
    },
  };
}

const MAX_ATTEMPTS = 10;

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

/** Changes whenever something was read, or a day was closed or counted again. */
function describeRead(
  { collector, registry }: { collector: Collector; registry: FileRegistry },
  rebuilds: number,
): string {
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
  ].join(" ");
}
