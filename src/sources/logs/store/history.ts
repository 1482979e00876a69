import { existsSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { addDays } from "../../../operations/days.ts";
import { dateAt } from "../../calendar.ts";
import { countOpenDay } from "../counting/close-days.ts";
import { countDay } from "../counting/count-day.ts";
import type { DayCounts } from "../counting/day-counts.ts";
import { DEFINITION } from "../counting/day-counts.ts";
import { type DayInProgress, type OpenDay, openDay } from "../counting/open-day.ts";
import { createSiteLog, type SiteLog } from "../counting/site-log.ts";
import { spanOf } from "../day-span.ts";
import type { KeptMarks, NewMarks } from "../reading/compared-days.ts";
import type { LogContent } from "../reading/log-content.ts";
import { createDayFiles, type DayFiles, OutdatedDay, type StoredDay } from "./day-files.ts";
import {
  type Appender,
  DamagedFile,
  makeFolder,
  openAppender,
  readNamed,
  syncFolder,
  UNFINISHED,
  writeNamed,
} from "./files.ts";
import {
  createJournalDay,
  createJournalWriter,
  formatLine,
  type JournalLine,
  parseLines,
} from "./journal.ts";
import { takeLock } from "./lock.ts";
import { type KeptContent, type KeptSite, type Manifest, readManifest, writeManifest } from "./manifest.ts";

/** All that reading the logs has found. */
export interface LogState {
  contents: readonly LogContent[];
  /** For comparison with the lines of other contents. */
  marks: readonly NewMarks[];
  sites: readonly SiteLog[];
}

/** What earlier processes kept. */
export interface KeptState extends Omit<LogState, "marks"> {
  marks: readonly KeptMarks[];
}

/** Keeps what was read in one folder: the next process continues where this one stopped. */
export interface History {
  folder: string;
  /** Undefined if nothing was kept yet. Throws DamagedFile, NewerFormat, or what the system throws. */
  load(): KeptState | undefined;
  /**
   * Writes the state, all of it or nothing. False if another process has written since `load`: then this one has to load
   * again. Throws what the system throws, LockTimeout, or NewerFormat.
   *
   * @param now Seconds since 1970.
   */
  save(state: LogState, now: number): boolean;
  /** Whether no other process has written since `load` or `save`. */
  isCurrent(): boolean;
  /** Writes the files of a day that is closed. They count once the state is saved. Throws what the system throws. */
  writeDay(log: SiteLog, day: OpenDay, counts: DayCounts): DayCounts;
}

export interface HistoryOptions {
  folder: string;
  timezone: string;
  /** For people: which logs these are. */
  logs: unknown;
  /** How many days of a site to keep, today included; all if absent. */
  keep?: number | undefined;
}

/** Marks of lines in a journal. */
interface MarksLine {
  marks: string;
}

export function createHistory({ folder, timezone, logs, keep }: HistoryOptions): History {
  const manifestPath = join(folder, "manifest");
  const journalPath = (date: string) => join(folder, "open", nameJournal(date));
  const filesOf = (site: string) => openDayFiles(folder, site);

  let generation = 0;
  /** Which file the manifest was when it was last read or written here. */
  let manifestFile = "";
  /** By date, how much of the journal counts. */
  let lengths: Record<string, number> = {};
  /** By domain, what the manifest names. */
  let lists = new Map<string, NamedDays>();
  const journal = createJournalWriter();
  /** What is on disk of the counts of days. */
  const stored = new WeakMap<DayCounts, StoredDay>();
  /** The salts of days whose requests were not needed yet. */
  const salts = new WeakMap<DayInProgress, Uint8Array>();

  /** Each manifest is a new file. */
  const identifyManifest = () => {
    const stats = statSync(manifestPath, { throwIfNoEntry: false, bigint: true });
    return stats === undefined ? "" : `${stats.ino} ${stats.mtimeNs} ${stats.size}`;
  };
  const isCurrent = () => identifyManifest() === manifestFile;

  const loadSite = (kept: KeptSite, journals: Journals): SiteLog => {
    const { domain, pageviews, fields, first, last, late, places, open } = kept;
    const log: SiteLog = {
      ...createSiteLog(domain, timezone),
      pageviews,
      fields,
      first: first ?? undefined,
      last: last ?? undefined,
      late: new Map(Object.entries(late)),
      places: new Set(places),
    };
    const files = filesOf(domain);
    const named = nameDays(files, kept);
    for (const [date, day] of named.days) {
      const counts = files.open(date, day);
      stored.set(counts, day);
      log.closed.set(date, counts);
    }
    for (const [date, { salt, counts }] of Object.entries(open)) {
      log.open.set(
        date,
        keepInProgress(files, date, salt, counts, () => journals.find(date, domain)),
      );
    }
    lists.set(domain, named);
    return log;
  };

  /** A day whose requests are read from the journal when they are needed. */
  const keepInProgress = (
    files: DayFiles,
    date: string,
    saltText: string,
    kept: StoredDay,
    find: () => OpenDay | undefined,
  ): DayInProgress => {
    const { start, end } = spanOf(date, timezone);
    const salt = Buffer.from(saltText, "base64");
    let loaded: OpenDay | undefined;
    const load = () => {
      if (loaded === undefined) {
        loaded = find() ?? openDay(date, start, end);
        loaded.definition = kept.definition;
        loaded.counted = counts && { version: loaded.version, counts };
        journal.adopt(loaded, salt);
      }
      return loaded;
    };
    // An earlier version of this program counted no visits.
    const hasVisits = kept.totals.visits !== undefined;
    const counts = hasVisits ? files.open(date, kept, () => countDay(load()).tables) : undefined;
    if (counts !== undefined) stored.set(counts, kept);
    const day = { date, definition: kept.definition, start, end, counts, peek: () => loaded, load };
    salts.set(day, salt);
    return day;
  };

  const hasChanged = () => (readManifest(manifestPath, DEFINITION)?.generation ?? 0) !== generation;

  /** Reads what the manifest names. Throws OutdatedDay if another process has replaced it. */
  const readUnchanged = <T>(read: () => T): T => {
    try {
      const found = read();
      if (!hasChanged()) return found;
    } catch (error) {
      if (!hasChanged()) throw error;
    }
    throw new OutdatedDay();
  };

  const openJournals = ({ journals: lengths, sites }: Manifest): Journals => {
    const read = new Map<string, ReturnType<typeof readJournal>>();
    const readOnce = (date: string) => {
      let found = read.get(date);
      if (found === undefined) {
        found = readUnchanged(() =>
          readJournal(journalPath(date), lengths[date] ?? 0, date, timezone, sites),
        );
        read.set(date, found);
      }
      return found;
    };
    return {
      find: (date, site) => readOnce(date).days.get(site),
      marks: (date) => readOnce(date).marks,
    };
  };

  const load = (): KeptState | undefined => {
    // Before it is read: a manifest that is replaced in between is noticed later.
    manifestFile = identifyManifest();
    const manifest = readManifest(manifestPath, DEFINITION);
    generation = manifest?.generation ?? 0;
    lengths = manifest?.journals ?? {};
    lists = new Map();
    if (manifest === undefined) return undefined;
    const journals = openJournals(manifest);
    return {
      contents: manifest.contents.map(readContent),
      marks: manifest.compared.map(({ journal: date, salt, ...span }) => ({
        ...span,
        salt: Buffer.from(salt, "base64"),
        readMarks: () => (date in manifest.journals ? journals.marks(date) : new Float64Array(0)),
      })),
      sites: manifest.sites.map((site) => loadSite(site, journals)),
    };
  };

  /** While another process may write: it may have removed what the manifest named a moment ago. */
  const loadTogether = (): KeptState | undefined => {
    for (let attempt = 1; ; attempt++) {
      try {
        return load();
      } catch (error) {
        if (attempt === MAX_ATTEMPTS || !hasChanged()) throw error;
      }
    }
  };

  const writeDay: History["writeDay"] = ({ domain }, day, counts) => {
    const files = filesOf(domain);
    const kept = files.write(day, counts);
    const open = files.open(day.date, kept);
    stored.set(open, kept);
    return open;
  };

  /** Writes the counts of open days that have changed. */
  const writeOpen = (files: DayFiles, { open }: SiteLog) =>
    [...open.values()].map((day) => {
      const counts = countOpenDay(day);
      let kept = stored.get(counts);
      if (kept === undefined) {
        kept = files.writeOpen(day.date, counts);
        stored.set(counts, kept);
      }
      const loaded = day.peek();
      const salt = (loaded && journal.saltOf(loaded)) ?? salts.get(day) ?? new Uint8Array(0);
      return { date: day.date, salt: Buffer.from(salt).toString("base64"), counts: kept };
    });

  /** Writes the list of closed days if it has changed, and returns what the manifest is to name. */
  const writeSite = (log: SiteLog, oldest: string): SiteDays => {
    const { domain, closed } = log;
    const before = lists.get(domain);
    const files = filesOf(domain);
    const days = new Map<string, StoredDay>();
    for (const [date, counts] of [...closed].sort(([a], [b]) => (a < b ? -1 : 1))) {
      if (date < oldest) {
        closed.delete(date);
        continue;
      }
      let kept = stored.get(counts);
      if (kept === undefined) {
        kept = files.writeCounts(date, counts);
        const open = files.open(date, kept);
        stored.set(open, kept);
        closed.set(date, open);
      }
      days.set(date, kept);
    }
    const isSame =
      days.size === (before?.days.size ?? 0) &&
      [...days].every(([date, day]) => before?.days.get(date) === day);
    const open = writeOpen(files, log);
    if (isSame) return { hash: before?.hash ?? null, days, open, isNew: false };
    const hash =
      days.size === 0
        ? null
        : writeNamed((name) => listPath(files, name), `${JSON.stringify(Object.fromEntries(days))}\n`);
    if (hash !== null) syncFolder(files.folder);
    return { hash, days, open, isNew: true };
  };

  /** Appends what has come since the last save. It counts once the manifest names the new lengths. */
  const writeJournals = (sites: readonly SiteLog[], marks: readonly NewMarks[]) => {
    const confirms: (() => void)[] = [];
    const appenders = new Map<string, Appender>();
    const open = (date: string): Appender => {
      const known = appenders.get(date);
      if (known !== undefined) return known;
      const opened = openAppender(journalPath(date), lengths[date] ?? 0);
      appenders.set(date, opened);
      return opened;
    };
    try {
      for (const { domain, open: days } of sites) {
        for (const day of days.values()) {
          const loaded = day.peek();
          const news = loaded && journal.describe(domain, loaded);
          const file = open(day.date);
          if (news === undefined) continue;
          file.append(formatLine(news.line));
          confirms.push(news.confirm);
        }
      }
      const compared = marks.map(({ start, end, salt, marks: fresh, confirm }) => {
        const date = dateAt(start * 1000, timezone);
        const file = open(date);
        if (fresh.length > 0) file.append(formatLine({ marks: encodeMarks(fresh) }));
        confirms.push(confirm);
        return { start, end, salt: Buffer.from(salt).toString("base64"), journal: date };
      });
      const grown = Object.fromEntries([...appenders].map(([date, file]) => [date, file.finish()]));
      syncFolder(join(folder, "open"));
      const confirm = () => {
        for (const each of confirms) each();
      };
      return { grown, compared, confirm };
    } finally {
      for (const file of appenders.values()) file.close();
    }
  };

  const save: History["save"] = ({ contents, marks, sites }, now) => {
    makeFolder(join(folder, "open"));
    const lock = takeLock(join(folder, "lock"));
    try {
      removeUnfinished(folder);
      const current = readManifest(manifestPath, DEFINITION);
      if ((current?.generation ?? 0) !== generation) return false;
      const oldest = keep === undefined ? "" : addDays(dateAt(now * 1000, timezone), 1 - keep);
      const named = new Map(sites.map((site) => [site.domain, writeSite(site, oldest)]));
      const { grown, compared, confirm } = writeJournals(sites, marks);
      const next: Omit<Manifest, "format"> = {
        generation: generation + 1,
        definition: DEFINITION,
        logs,
        contents: contents.map(keepContent),
        journals: grown,
        compared,
        sites: sites.map((site) => keepSite(site, named.get(site.domain))),
      };
      if (!lock.isHeld()) return false;
      writeManifest(manifestPath, next);
      manifestFile = identifyManifest();
      syncFolder(folder);
      generation++;
      lengths = next.journals;
      confirm();
      const garbage = [...lists].flatMap(([domain, before]) =>
        listGarbage(filesOf(domain), before, named.get(domain)),
      );
      lists = named;
      removeJournals(join(folder, "open"), Object.keys(lengths).map(nameJournal));
      for (const path of garbage) rmSync(path, { force: true });
      if ([...named.values()].some(({ isNew }) => isNew)) sweep(now);
      return true;
    } finally {
      lock.release();
    }
  };

  /** Removes what processes that were killed have left. */
  const sweep = (now: number) => {
    for (const [domain, site] of lists) {
      const files = filesOf(domain);
      const used = new Set(listFiles(files, site));
      removeUnused(files.folder, now, (path) => used.has(path));
    }
  };

  return { folder, load: loadTogether, save, isCurrent, writeDay };
}

/** What the manifest names of a site. */
interface NamedDays {
  /** The hash of the list of closed days; null if there is none. */
  hash: string | null;
  days: ReadonlyMap<string, StoredDay>;
  open: readonly { date: string; counts: StoredDay }[];
}

/** The same, as it is written. */
interface SiteDays extends NamedDays {
  open: readonly { date: string; salt: string; counts: StoredDay }[];
  isNew: boolean;
}

/** The journals as the manifest names them. */
interface Journals {
  find(date: string, site: string): OpenDay | undefined;
  marks(date: string): Float64Array;
}

const MAX_ATTEMPTS = 5;

export const listPath = (files: DayFiles, hash: string) => join(files.folder, `days.${hash}.json`);

/** The sites that a manifest names. Throws DamagedFile, or what the system throws. */
export const listSites = (folder: string, { sites }: Manifest): { files: DayFiles; named: NamedDays }[] =>
  sites.map((site) => {
    const files = openDayFiles(folder, site.domain);
    return { files, named: nameDays(files, site) };
  });

const openDayFiles = (folder: string, site: string): DayFiles =>
  createDayFiles(join(folder, "sites", nameFolder(site)));

function nameDays(files: DayFiles, { days: hash, open }: KeptSite): NamedDays {
  const list: Record<string, StoredDay> =
    hash === null ? {} : JSON.parse(readNamed(listPath(files, hash), hash).toString());
  return {
    hash,
    days: new Map(Object.entries(list)),
    open: Object.entries(open).map(([date, { counts }]) => ({ date, counts })),
  };
}

/** The paths of all files of a site. */
const listFiles = (files: DayFiles, { hash, days, open }: NamedDays): string[] => [
  ...(hash === null ? [] : [listPath(files, hash)]),
  ...[...days].flatMap(([date, day]) => files.listFiles(date, day)),
  ...open.flatMap(({ date, counts }) => files.listFiles(date, counts)),
];

/** The files that are named no longer. */
function listGarbage(files: DayFiles, before: NamedDays, now: NamedDays | undefined): string[] {
  if (now !== undefined && now.hash === before.hash) {
    // Only open days can have changed.
    const kept = new Set(now.open.map(({ counts }) => counts.sums));
    const gone = before.open.filter(({ counts }) => !kept.has(counts.sums));
    return gone.flatMap(({ date, counts }) => files.listFiles(date, counts));
  }
  const used = new Set(now === undefined ? [] : listFiles(files, now));
  return listFiles(files, before).filter((path) => !used.has(path));
}

/** The open days and the marks of lines in a journal. Throws DamagedFile. */
function readJournal(
  path: string,
  length: number,
  date: string,
  timezone: string,
  kept: readonly KeptSite[],
): { days: Map<string, OpenDay>; marks: Float64Array } {
  const bytes = length === 0 ? Buffer.alloc(0) : readFileSync(path);
  const lines =
    bytes.length < length ? undefined : parseLines<JournalLine | MarksLine>(bytes.subarray(0, length));
  if (lines === undefined) throw new DamagedFile(path, "its bytes have changed");
  const sites = new Map(
    kept.flatMap(({ domain, open }) => {
      const salt = open[date]?.salt;
      if (salt === undefined) return [];
      return [[domain, createJournalDay(date, timezone, Buffer.from(salt, "base64"))] as const];
    }),
  );
  const marks: Float64Array[] = [];
  for (const line of lines) {
    if ("marks" in line) marks.push(decodeMarks(line.marks));
    else sites.get(line.site)?.add(line);
  }
  const days = new Map([...sites].map(([domain, day]) => [domain, day.finish()]));
  return { days, marks: joinMarks(marks) };
}

const nameJournal = (date: string) => `${date}.jsonl`;

/** Removes the manifests that writers which were killed have begun: they have salts. Only the holder of the lock may. */
function removeUnfinished(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (name.startsWith("manifest.") && name.endsWith(UNFINISHED))
      rmSync(join(folder, name), { force: true });
  }
}

/** Removes the journals of days that are closed. */
function removeJournals(folder: string, used: readonly string[]): void {
  for (const name of readdirSync(folder)) {
    if (!used.includes(name)) rmSync(join(folder, name), { force: true });
  }
}

/** A site is named after a host, which is a folder's name. Whatever else it is, it stays below the folder. */
const nameFolder = (site: string) => site.replaceAll(/[^a-z0-9.-]/gi, "_").replace(/^\.+/, "_");

/** Another process may be about to name a file that it has just written. */
const MAX_WRITING_MS = 24 * 3_600_000;

function removeUnused(folder: string, now: number, isUsed: (path: string) => boolean): void {
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (isUsed(path)) continue;
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats?.isFile() && 1000 * now - stats.mtimeMs > MAX_WRITING_MS) rmSync(path, { force: true });
  }
}

function keepSite(
  { domain, pageviews, fields, first, last, late, places }: SiteLog,
  named: SiteDays | undefined,
): KeptSite {
  return {
    domain,
    pageviews,
    fields,
    first: first ?? null,
    last: last ?? null,
    late: Object.fromEntries(late),
    places: [...places],
    open: Object.fromEntries((named?.open ?? []).map(({ date, ...day }) => [date, day])),
    days: named?.hash ?? null,
  };
}

function keepContent({ examples: _, earliest, latest, ...content }: LogContent): KeptContent {
  return {
    ...content,
    earliest: Number.isFinite(earliest) ? earliest : null,
    latest: Number.isFinite(latest) ? latest : null,
  };
}

const readContent = ({ earliest, latest, ...content }: KeptContent): LogContent => ({
  ...content,
  examples: [],
  earliest: earliest ?? Number.POSITIVE_INFINITY,
  latest: latest ?? Number.NEGATIVE_INFINITY,
});

const encodeMarks = (marks: Float64Array): string =>
  Buffer.from(marks.buffer, marks.byteOffset, marks.byteLength).toString("base64");

const decodeMarks = (text: string): Float64Array =>
  new Float64Array(new Uint8Array(Buffer.from(text, "base64")).buffer);

function joinMarks(parts: readonly Float64Array[]): Float64Array {
  const all = new Float64Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
