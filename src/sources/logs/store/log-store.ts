/*
 * The way of counts to the disk and back:
 *
 * open-index.ts      finds the index of these logs, or says why there is none
 * index-file.ts      its tables
 * log-index.ts       writes and reads the state of the collector and the registry
 *   open-day-file.ts   open days, with hashes in place of addresses
 *   stored-tallies.ts  closed days, whose counts are read when they are asked for
 * rebuild-days.ts    counts a closed day again when more of its lines come
 */

import { wasClosedTooEarly } from "../counting/close-days.ts";
import { type Collector, type CollectorOptions, createCollector } from "../counting/collector.ts";
import { openGeoip } from "../counting/geoip.ts";
import { createOutcomes } from "../counting/outcomes.ts";
import { createFileRegistry, type FileRegistry } from "../reading/file-registry.ts";
import { findFiles, STDIN } from "../reading/find-files.ts";
import type { LogSettings } from "../settings.ts";
import type { KeptState, LogIndex } from "./log-index.ts";
import { type Rebuild, rebuildDays } from "./rebuild-days.ts";

export interface LogStore {
  /** Reads what was written since the last time, and returns what was collected from all lines. */
  read(signal?: AbortSignal): Promise<{ collector: Collector; registry: FileRegistry }>;
  /** Makes the next `read` start from what other processes have kept since. */
  forget(): void;
}

export interface LogStoreOptions {
  /** Milliseconds since 1970. */
  clock: () => number;
  /** Opens the index that an earlier process kept; undefined if nothing can be kept. */
  openIndex?: (() => Promise<LogIndex | undefined>) | undefined;
  /** Makes a thread read the logs and keep their counts in the same index; fails only if no thread can be started. */
  readInWorker?: ((signal?: AbortSignal) => Promise<void>) | undefined;
}

/** In bytes: fewer new ones are faster to read again than to save. */
const MIN_SAVED_BYTES = 1_000_000;
/** In bytes: fewer are read in little more time than it takes to start a thread. */
const MIN_WORKER_BYTES = 32_000_000;

/** Creates the store of what was collected from the logs: in memory, and in an index if there is one. */
export function createLogStore(
  settings: LogSettings,
  { clock, openIndex, readInWorker }: LogStoreOptions,
): LogStore {
  let index: LogIndex | undefined;
  let current: ReturnType<typeof start> | undefined;
  let saved = { bytes: 0, closed: 0 };
  /** When logs were last read, in seconds since 1970. */
  let latest = 0;
  const rebuilt = new Map<string, number>();
  let findPlace: CollectorOptions["findPlace"];

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
  const start = (kept: KeptState | undefined) => {
    findPlace ??= settings.geoip && openPlaces(settings.geoip.path);
    const collector = createCollector(settings, { kept, findPlace });
    const registry = createFileRegistry(settings, collector, clock, kept);
    return { collector, registry, older: kept?.older };
  };
  const load = async (signal?: AbortSignal): Promise<KeptState | undefined> => {
    const kept = index?.load(clock() / 1000);
    if (index === undefined || readInWorker === undefined) return kept;
    if ((await measureUnread(settings, kept)) < MIN_WORKER_BYTES) return kept;
    await readInWorker(signal).catch(() => {});
    signal?.throwIfAborted();
    return index.load(clock() / 1000);
  };
  const open = async (signal?: AbortSignal) => {
    current = undefined;
    index ??= await openIndex?.();
    const kept = await load(signal);
    current = start(kept);
    saved = kept === undefined ? { bytes: -MIN_SAVED_BYTES, closed: 0 } : measure(current);
    return current;
  };
  const hasClockGoneBack = () => {
    const [before, now] = [latest, clock() / 1000];
    latest = now;
    return (
      now < before &&
      [...(current?.collector.sites.values() ?? [])].some((log) => wasClosedTooEarly(log, now))
    );
  };
  const save = ({ collector, registry }: { collector: Collector; registry: FileRegistry }): boolean => {
    const now = measure({ collector, registry });
    if (index === undefined) return true;
    if (now.bytes - saved.bytes < MIN_SAVED_BYTES && now.closed === saved.closed) return true;
    saved = now;
    return index.save({
      contents: [...registry.contents.values()],
      marks: registry.keepMarks(clock() / 1000),
      sites: [...collector.sites.values()],
      outcomes: collector.outcomes,
      userAgents: collector.userAgents,
    });
  };
  const readAgain: Rebuild["readAgain"] = async (copies, onlyDays, signal) => {
    const kept = { sites: copies, outcomes: createOutcomes() };
    const collector = createCollector(settings, { findPlace, kept, onlyDays });
    // Standard input cannot be read again.
    const files = settings.files.filter(({ glob }) => glob !== STDIN);
    const registry = createFileRegistry({ ...settings, files }, collector, clock);
    await registry.refresh(signal);
    return { sites: collector.sites, files: registry };
  };
  const readOnce = async (signal?: AbortSignal) => {
    if (hasClockGoneBack()) current = undefined;
    const { collector, registry, older } = current ?? (await open(signal));
    try {
      await registry.refresh(signal);
    } catch (cause) {
      // There was no time to read everything: the next query goes on from here, even in another process.
      if (signal?.aborted) save({ collector, registry });
      throw cause;
    }
    if (older) keepOlder(collector, older);
    await rebuildDays({ sites: collector.sites, files: registry, readAgain, tried: rebuilt }, signal);
    return { collector, registry };
  };

  let running: Promise<unknown> = Promise.resolve();
  return {
    forget: () => {
      current = undefined;
    },
    read: (signal) => {
      const next = running.then(async () => {
        signal?.throwIfAborted();
        const read = await readOnce(signal);
        if (save(read)) return read;
        // Another process has written: load its state, and read from the files what it lacks.
        await open(signal);
        const again = await readOnce(signal);
        save(again);
        return again;
      });
      running = next.catch(() => {});
      return next;
    },
  };
}

/**
 * Roughly how many bytes of the files are unread, whatever the files are called; too low, even negative, if some were
 * compressed or are gone.
 */
async function measureUnread(settings: LogSettings, kept: KeptState | undefined): Promise<number> {
  const files = await findFiles(settings);
  return sum(files.map(({ size }) => size)) - sum((kept?.contents ?? []).map(({ read }) => read));
}

const sum = (numbers: Iterable<number>) => [...numbers].reduce((total, number) => total + number, 0);

function measure({ collector, registry }: { collector: Collector; registry: FileRegistry }) {
  return {
    bytes: sum([...registry.contents.values()].map(({ read }) => read)),
    closed: sum([...collector.sites.values()].map(({ closed }) => closed.size)),
  };
}

/**
 * Takes over days that were counted by an older definition if their lines are gone, all of them or the first ones.
 */
function keepOlder({ sites }: Collector, older: KeptState["older"]): void {
  for (const [domain, days] of older) {
    const log = sites.get(domain);
    if (log === undefined) continue;
    for (const [date, counts] of days) {
      const isGone = !log.open.has(date) && !log.closed.has(date);
      const isMore =
        (log.closed.get(date)?.totals.pageviews ?? Number.POSITIVE_INFINITY) < counts.totals.pageviews;
      if (isGone || isMore) log.closed.set(date, counts);
    }
  }
}
