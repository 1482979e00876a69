import { type Collector, type CollectorOptions, createCollector } from "./collector.ts";
import { findFiles } from "./find-files.ts";
import { openGeoip } from "./geoip.ts";
import { createLogBook, type LogBook } from "./log-book.ts";
import type { KeptState, LogIndex } from "./log-index.ts";
import { rebuildDays } from "./rebuild-days.ts";
import type { LogSettings } from "./settings.ts";
import { isClosedEarly } from "./site-log.ts";

export interface LogStore {
  /** Reads what was written since the last time, and returns what was collected from all lines. */
  read(signal?: AbortSignal): Promise<{ collector: Collector; book: LogBook }>;
  /** Makes the next `read` start from what other processes have kept since. */
  forget(): void;
}

export interface LogStoreOptions {
  /** Milliseconds since 1970. */
  clock: () => number;
  /** Opens the index that an earlier process kept; undefined if nothing can be kept. */
  openIndex?: (() => Promise<LogIndex | undefined>) | undefined;
  /** Makes a thread read the logs and keep their counts in the same index; fails only if no thread can be started. */
  readApart?: ((signal?: AbortSignal) => Promise<void>) | undefined;
}

/** In bytes: fewer new ones are faster to read again than to save. */
const WORTH_SAVING = 1_000_000;
/** In bytes: fewer are read in little more time than it takes to start a thread. */
const WORTH_A_THREAD = 32_000_000;

/** Creates the store of what was collected from the logs: in memory, and in an index if there is one. */
export function createLogStore(
  settings: LogSettings,
  { clock, openIndex, readApart }: LogStoreOptions,
): LogStore {
  let index: LogIndex | undefined;
  let current: ReturnType<typeof start> | undefined;
  let saved = { bytes: 0, sealed: 0 };
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
    const book = createLogBook(settings, collector, clock, undefined, kept);
    return { collector, book, older: kept?.older };
  };
  const load = async (signal?: AbortSignal): Promise<KeptState | undefined> => {
    const kept = index?.load(clock() / 1000);
    if (index === undefined || readApart === undefined) return kept;
    if ((await measureUnread(settings, kept)) < WORTH_A_THREAD) return kept;
    await readApart(signal).catch(() => {});
    signal?.throwIfAborted();
    return index.load(clock() / 1000);
  };
  const open = async (signal?: AbortSignal) => {
    current = undefined;
    index ??= await openIndex?.();
    const kept = await load(signal);
    current = start(kept);
    saved = kept === undefined ? { bytes: -WORTH_SAVING, sealed: 0 } : measure(current);
    return current;
  };
  const hasClockGoneBack = () => {
    const [before, now] = [latest, clock() / 1000];
    latest = now;
    return (
      now < before && [...(current?.collector.sites.values() ?? [])].some((log) => isClosedEarly(log, now))
    );
  };
  const save = ({ collector, book }: { collector: Collector; book: LogBook }): boolean => {
    const now = measure({ collector, book });
    if (index === undefined) return true;
    if (now.bytes - saved.bytes < WORTH_SAVING && now.sealed === saved.sealed) return true;
    saved = now;
    return index.save({
      contents: [...book.contents.values()],
      marks: book.keepMarks(clock() / 1000),
      sites: [...collector.sites.values()],
      outcomes: collector.outcomes,
      userAgents: collector.userAgents,
    });
  };
  const readOnce = async (signal?: AbortSignal) => {
    if (hasClockGoneBack()) current = undefined;
    const { collector, book, older } = current ?? (await open(signal));
    try {
      await book.refresh(signal);
    } catch (cause) {
      // There was no time to read everything: the next query goes on from here, even in another process.
      if (signal?.aborted) save({ collector, book });
      throw cause;
    }
    if (older) keepOlder(collector, older);
    await rebuildDays({ settings, collector, book, clock, findPlace, tried: rebuilt }, signal);
    return { collector, book };
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

const sum = (numbers: Iterable<number>) => [...numbers].reduce((total, each) => total + each, 0);

function measure({ collector, book }: { collector: Collector; book: LogBook }) {
  return {
    bytes: sum([...book.contents.values()].map(({ read }) => read)),
    sealed: sum([...collector.sites.values()].map(({ sealed }) => sealed.size)),
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
      const isGone = !log.open.has(date) && !log.sealed.has(date);
      const isMore =
        (log.sealed.get(date)?.totals.pageviews ?? Number.POSITIVE_INFINITY) < counts.totals.pageviews;
      if (isGone || isMore) log.sealed.set(date, counts);
    }
  }
}
