import { existsSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { addDays } from "../../../operations/days.ts";
import { dateAt } from "../../calendar.ts";
import { DEFINITION } from "../counting/day-counts.ts";
import type { OpenDay } from "../counting/open-day.ts";
import { createSiteLog, type SiteLog } from "../counting/site-log.ts";
import type { DayCounts } from "../counting/day-counts.ts";
import type { KeptMarks, NewMarks } from "../reading/compared-days.ts";
import type { LogContent } from "../reading/log-content.ts";
import { createDayFiles, type DayFiles, type StoredDay } from "./day-files.ts";
import { appendAt, DamagedFile, makeFolder, readNamed, syncFolder, UNFINISHED, writeNamed } from "./files.ts";
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
  const filesOf = (site: string) => createDayFiles(join(folder, "sites", nameFolder(site)), site);
  const listPath = (files: DayFiles, hash: string) => join(files.folder, `days.${hash}.json`);

  let generation = 0;
  let journals: Record<string, number> = {};
  /** By domain, the list of closed days on disk. */
  let lists = new Map<string, { hash: string; days: Map<string, StoredDay> }>();
  const journal = createJournalWriter();
  /** What is on disk of days that are closed. */
  const stored = new WeakMap<DayCounts, StoredDay>();

  const loadList = (files: DayFiles, hash: string | null): Map<string, StoredDay> => {
    if (hash === null) return new Map();
    const days: Record<string, StoredDay> = JSON.parse(readNamed(listPath(files, hash), hash).toString());
    return new Map(Object.entries(days));
  };

  const loadSite = (kept: KeptSite, open: ReadonlyMap<string, OpenDay>): SiteLog => {
    const { domain, pageviews, fields, first, last, late, places, days: hash } = kept;
    const log: SiteLog = {
      ...createSiteLog(domain, timezone),
      pageviews,
      fields,
      first: first ?? undefined,
      last: last ?? undefined,
      late: new Map(Object.entries(late)),
      places: new Set(places),
      open: new Map(open),
    };
    const files = filesOf(domain);
    const days = loadList(files, hash);
    for (const [date, day] of days) {
      const counts = files.open(date, day);
      stored.set(counts, day);
      log.closed.set(date, counts);
    }
    if (hash !== null) lists.set(domain, { hash, days });
    return log;
  };

  const loadJournals = (manifest: Manifest) => {
    const openDays = new Map<string, Map<string, OpenDay>>();
    const marks = new Map<string, Float64Array[]>();
    for (const [date, length] of Object.entries(manifest.journals)) {
      const path = journalPath(date);
      const bytes = readFileSync(path);
      const lines = bytes.length < length ? undefined : parseLines<JournalLine | MarksLine>(bytes.subarray(0, length));
      if (lines === undefined) throw new DamagedFile(path, "its bytes have changed");
      const sites = new Map<string, ReturnType<typeof createJournalDay>>();
      for (const { domain, open } of manifest.sites) {
        const salt = open[date]?.salt;
        if (salt !== undefined) sites.set(domain, createJournalDay(date, timezone, Buffer.from(salt, "base64")));
      }
      for (const line of lines) {
        if ("marks" in line) marks.set(date, [...(marks.get(date) ?? []), decodeMarks(line.marks)]);
        else sites.get(line.site)?.add(line);
      }
      for (const { domain, open } of manifest.sites) {
        const kept = open[date];
        const day = sites.get(domain)?.finish();
        if (kept === undefined || day === undefined) continue;
        day.definition = kept.definition;
        journal.adopt(day, Buffer.from(kept.salt, "base64"));
        const days = openDays.get(domain) ?? new Map<string, OpenDay>();
        openDays.set(domain, days.set(date, day));
      }
    }
    return { openDays, marks };
  };

  const load = (): KeptState | undefined => {
    const manifest = readManifest(manifestPath, DEFINITION);
    generation = manifest?.generation ?? 0;
    journals = manifest?.journals ?? {};
    lists = new Map();
    if (manifest === undefined) return undefined;
    const { openDays, marks } = loadJournals(manifest);
    return {
      contents: manifest.contents.map(readContent),
      marks: manifest.compared.map(({ journal: date, salt, ...span }) => ({
        ...span,
        salt: Buffer.from(salt, "base64"),
        marks: joinMarks(marks.get(date) ?? []),
      })),
      sites: manifest.sites.map((site) => loadSite(site, openDays.get(site.domain) ?? new Map())),
    };
  };

  /** While another process may write: it may have removed what the manifest named a moment ago. */
  const loadTogether = (): KeptState | undefined => {
    for (let attempt = 1; ; attempt++) {
      try {
        return load();
      } catch (error) {
        const isNew = () => (readManifest(manifestPath, DEFINITION)?.generation ?? 0) !== generation;
        if (attempt === MAX_ATTEMPTS || !isNew()) throw error;
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

  /** Writes the list of closed days if it has changed. Returns its hash, and what is not needed any more. */
  const writeList = ({ domain, closed }: SiteLog, oldest: string) => {
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
    const isSame = days.size === (before?.days.size ?? 0) && [...days].every(([date, day]) => before?.days.get(date) === day);
    if (isSame) return { hash: before?.hash ?? null, domain, days, isNew: false, garbage: [] };
    const hash =
      days.size === 0
        ? null
        : writeNamed((name) => listPath(files, name), `${JSON.stringify(Object.fromEntries(days))}\n`);
    if (hash !== null) syncFolder(files.folder);
    const used = new Set([...days].flatMap(([date, day]) => files.nameFiles(date, day)));
    const old = [...(before?.days ?? [])].flatMap(([date, day]) => files.nameFiles(date, day));
    const garbage = old.filter((name) => !used.has(name)).map((name) => join(files.folder, name));
    if (before !== undefined && before.hash !== hash) garbage.push(listPath(files, before.hash));
    return { hash, domain, days, isNew: true, garbage };
  };

  const save: History["save"] = ({ contents, marks, sites }, now) => {
    makeFolder(join(folder, "open"));
    const lock = takeLock(join(folder, "lock"));
    try {
      removeUnfinished(folder);
      const current = readManifest(manifestPath, DEFINITION);
      if ((current?.generation ?? 0) !== generation) return false;
      const oldest = keep === undefined ? "" : addDays(dateAt(now * 1000, timezone), 1 - keep);
      const written = sites.map((site) => writeList(site, oldest));
      const confirms: (() => void)[] = [];
      const appended = new Map<string, string[]>();
      const append = (date: string, line: object) => {
        const lines = appended.get(date);
        if (lines === undefined) appended.set(date, [formatLine(line)]);
        else lines.push(formatLine(line));
      };
      const open = new Set<string>();
      for (const { domain, open: days } of sites) {
        for (const day of days.values()) {
          open.add(day.date);
          const news = journal.describe(domain, day);
          if (news === undefined) continue;
          append(day.date, news.line);
          confirms.push(news.confirm);
        }
      }
      const compared = marks.map(({ start, end, salt, marks: fresh, confirm }) => {
        const date = dateAt(start * 1000, timezone);
        open.add(date);
        if (fresh.length > 0) append(date, { marks: encodeMarks(fresh) });
        confirms.push(confirm);
        return { start, end, salt: Buffer.from(salt).toString("base64"), journal: date };
      });
      const lengths: Record<string, number> = {};
      for (const date of open) {
        const before = journals[date] ?? 0;
        const bytes = Buffer.from((appended.get(date) ?? []).join(""));
        if (bytes.length > 0) appendAt(journalPath(date), before, bytes);
        lengths[date] = before + bytes.length;
      }
      syncFolder(join(folder, "open"));
      const next: Omit<Manifest, "format"> = {
        generation: generation + 1,
        definition: DEFINITION,
        logs,
        contents: contents.map(keepContent),
        journals: Object.fromEntries(Object.entries(lengths).filter(([, length]) => length > 0)),
        compared,
        sites: sites.map((site, index) => keepSite(site, written[index]?.hash ?? null, journal.saltOf)),
      };
      if (!lock.isHeld()) return false;
      writeManifest(manifestPath, next);
      syncFolder(folder);
      generation++;
      journals = next.journals;
      for (const confirm of confirms) confirm();
      for (const { domain, hash, days } of written) {
        if (hash === null) lists.delete(domain);
        else lists.set(domain, { hash, days });
      }
      removeJournals(join(folder, "open"), Object.keys(journals).map(nameJournal));
      for (const { garbage } of written) for (const path of garbage) rmSync(path, { force: true });
      if (written.some(({ isNew }) => isNew)) sweep();
      return true;
    } finally {
      lock.release();
    }
  };

  /** Removes what processes that were killed have left. */
  const sweep = () => {
    for (const [domain, { hash, days }] of lists) {
      const files = filesOf(domain);
      const used = new Set([`days.${hash}.json`, ...[...days].flatMap(([date, day]) => files.nameFiles(date, day))]);
      removeUnused(files.folder, (name) => used.has(name));
    }
  };

  return { folder, load: loadTogether, save, writeDay };
}

const MAX_ATTEMPTS = 5;

const nameJournal = (date: string) => `${date}.jsonl`;

/** Removes the manifests that writers which were killed have begun: they have salts. Only the holder of the lock may. */
function removeUnfinished(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (name.startsWith("manifest.") && name.endsWith(UNFINISHED)) rmSync(join(folder, name), { force: true });
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

function removeUnused(folder: string, isUsed: (name: string) => boolean): void {
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder)) {
    if (isUsed(name)) continue;
    const path = join(folder, name);
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats?.isFile() && Date.now() - stats.mtimeMs > MAX_WRITING_MS) rmSync(path, { force: true });
  }
}

function keepSite(
  { domain, pageviews, fields, first, last, late, places, open }: SiteLog,
  days: string | null,
  saltOf: (day: OpenDay) => Uint8Array,
): KeptSite {
  return {
    domain,
    pageviews,
    fields,
    first: first ?? null,
    last: last ?? null,
    late: Object.fromEntries(late),
    places: [...places],
    open: Object.fromEntries(
      [...open].map(([date, day]) => [
        date,
        { salt: Buffer.from(saltOf(day)).toString("base64"), definition: day.definition },
      ]),
    ),
    days,
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
