import { readErrorCode } from "../../../errors.ts";
import { readMember } from "../../../member.ts";
import { countOpen } from "../counting/count-day.ts";
import type { DayCounts, DaySummary, DayTables } from "../counting/day-counts.ts";
import type { DayInProgress, OpenDay } from "../counting/open-day.ts";
import { createFieldCounts, createSiteLog, type SiteLog } from "../counting/site-log.ts";
import { createCalendar } from "../day-span.ts";
import type { KeptMarks } from "../reading/compared-days.ts";
import type { LogContent, UnreadFile } from "../reading/log-content.ts";
import { listZones } from "../saved-options.ts";
import { NOTHING_FAILED, OutdatedDay } from "./day-files.ts";
import { type DimensionLists, lengthen } from "./day-summary.ts";
import { DamagedDay, DamagedFile } from "./files.ts";
import {
  filesOf,
  type HistoryFolder,
  hasChanged,
  identifyManifest,
  journalPath,
  manifestPath,
  nameDay,
  noteDamage,
  openStored,
  readCurrentManifest,
} from "./history-folder.ts";
import { type HistoryLogs, NO_LOGS } from "./history-logs.ts";
import {
  EarlierFormat,
  FORMAT,
  type KeptContent,
  type KeptSite,
  type Manifest,
  readNamedDay,
} from "./manifest.ts";
import { type JournalContent, readJournal } from "./read-journal.ts";
import { hasClosedDays, type RecoveredSite, recoverList, recoverSites } from "./recover-days.ts";
import { listPath, type NamedDays, readNamedDays } from "./site-files.ts";

/** What earlier processes kept. */
export interface KeptState {
  contents: readonly LogContent[];
  unreadFiles: readonly (readonly [string, UnreadFile])[];
  /** For comparison with the lines of other contents. */
  marks: readonly KeptMarks[];
  sites: readonly SiteLog[];
  /** Whether a part was damaged, so that this differs from what is on disk. */
  isRepaired: boolean;
  logs: HistoryLogs;
}

const MAX_ATTEMPTS = 5;

/**
 * Reads the manifest and the lists of closed days. Journals and the tables of days are read when they are needed, and throw
 * then, too: OutdatedDay if another process has replaced what they were in.
 *
 * Undefined if nothing was kept yet. Throws DamagedFile, NewerFormat, or what the system throws.
 */
export function loadHistory(folder: HistoryFolder): KeptState | undefined {
  for (let attempt = 1; ; attempt++) {
    try {
      return loadOnce(folder);
    } catch (error) {
      // Another process may have removed what the manifest named a moment ago.
      if (attempt === MAX_ATTEMPTS || !hasChanged(folder)) throw error;
    }
  }
}

function loadOnce(folder: HistoryFolder): KeptState | undefined {
  // Before it is read: a manifest that is replaced in between is noticed later.
  folder.manifestFile = identifyManifest(folder);
  folder.isRepaired = false;
  const { manifest, recovered } = readOrRecover(folder);
  folder.journals = manifest?.journals ?? {};
  folder.sites = new Map();
  if (manifest === undefined) return undefined;
  folder.calendar = createCalendar(listZones(manifest.logs.options));
  const readOnce = createJournalReader(folder, manifest);
  const sites = recovered.map((site) => loadSite(folder, site, manifest.dimensions, readOnce));
  folder.sites = new Map(sites.map(({ log, named }) => [log.domain, named]));
  return {
    contents: manifest.contents.map(loadContent),
    unreadFiles: manifest.unreadFiles ?? [],
    marks: manifest.compared.map(({ journal: date, salt, ...span }) => ({
      ...span,
      salt: Buffer.from(salt, "base64"),
      readMarks: () => (Object.hasOwn(manifest.journals, date) ? readOnce(date).marks : new Float64Array(0)),
    })),
    sites: sites.map(({ log }) => log),
    isRepaired: folder.isRepaired,
    logs: manifest.logs,
  };
}

interface ReadManifest {
  manifest: Manifest | undefined;
  /** The manifest's sites, with their closed days. */
  recovered: readonly RecoveredSite[];
}

/** Reads the manifest and the lists of days. What cannot be read is made again from the files of days, as far as there are any. */
function readOrRecover(folder: HistoryFolder): ReadManifest {
  let manifest: Manifest | undefined;
  let damage: DamagedFile | undefined;
  try {
    manifest = readCurrentManifest(folder);
    if (manifest === undefined && hasClosedDays(folder.path))
      damage = new DamagedFile(manifestPath(folder), "it is missing");
  } catch (error) {
    if (!(error instanceof DamagedFile) || error instanceof EarlierFormat) throw error;
    damage = error;
  }
  folder.generation = manifest?.generation ?? 0;
  if (damage === undefined)
    return { manifest, recovered: (manifest?.sites ?? []).map((site) => readSite(folder, site)) };
  const recovered = recoverSites(folder, noteDamage(folder, damage));
  return { manifest: { ...EMPTY, sites: recovered.map(({ kept }) => kept) }, recovered };
}

/** Without it, nobody knows how far the logs were read. */
const EMPTY: Manifest = {
  format: FORMAT,
  generation: 0,
  definition: 0,
  logs: NO_LOGS,
  contents: [],
  journals: {},
  compared: [],
  dimensions: [],
  sites: [],
};

/** Reads the list of a site's closed days, or makes up for it. */
function readSite(folder: HistoryFolder, kept: KeptSite): RecoveredSite {
  const files = filesOf(folder, kept.domain);
  try {
    return { kept, named: readNamedDays(files, kept) };
  } catch (error) {
    const damage = findDamage(error, listPath(files, kept.days ?? ""));
    // Another process may have removed the list that the manifest named a moment ago.
    if (damage === undefined || hasChanged(folder)) throw error;
    const { named, ...rest } = recoverList(files, kept, noteDamage(folder, damage));
    return { kept: { ...kept, ...rest }, named };
  }
}

function findDamage(error: unknown, path: string): DamagedFile | undefined {
  if (error instanceof DamagedFile) return error;
  return readErrorCode(error) === "ENOENT" ? new DamagedFile(path, "it is missing") : undefined;
}

type ReadJournalOf = (date: string) => JournalContent;

/** Reads each journal at most once. */
function createJournalReader(folder: HistoryFolder, manifest: Manifest): ReadJournalOf {
  const { journals, sites } = manifest;
  const known = new Map<string, JournalContent>();
  return (date) => {
    let found = known.get(date);
    if (found === undefined) {
      const days = sites.flatMap(({ domain, open }) => {
        const day = readMember(open, date);
        if (day === undefined) return [];
        return [[domain, readNamedDay(day)] as const];
      });
      found = readUnchanged(folder, manifest, date, () =>
        readJournal({
          path: journalPath(folder, date),
          length: readMember(journals, date) ?? 0,
          day: folder.calendar.spanOf(date),
          days: new Map(days),
        }),
      );
      known.set(date, found);
    }
    return found;
  };
}

/** Reads what the manifest names of a journal. Throws OutdatedDay if another process has replaced the journal. */
function readUnchanged<T>(folder: HistoryFolder, manifest: Manifest, date: string, read: () => T): T {
  const isReplaced = () => !hasJournal(readCurrentManifest(folder), manifest, date);
  try {
    const found = read();
    if (!isReplaced()) return found;
  } catch (error) {
    if (!isReplaced()) throw error;
  }
  throw new OutdatedDay();
}

/**
 * Whether a later manifest names the same journal. It grows until its days are closed, and what was in it stays; if they are
 * counted again, they have other salts.
 */
function hasJournal(later: Manifest | undefined, { journals, ...manifest }: Manifest, date: string): boolean {
  if (later === undefined || (readMember(later.journals, date) ?? 0) < (readMember(journals, date) ?? 0))
    return false;
  const salts = new Set(listSalts(later, date));
  return listSalts(manifest, date).every((salt) => salts.has(salt));
}

const listSalts = ({ sites, compared }: Pick<Manifest, "sites" | "compared">, date: string): string[] => [
  ...sites.flatMap(({ open }) => readMember(open, date)?.salt ?? []),
  ...compared.filter(({ journal }) => journal === date).map(({ salt }) => salt),
];

function loadSite(
  folder: HistoryFolder,
  { kept, named: namedDays }: RecoveredSite,
  dimensions: DimensionLists,
  readJournalOf: ReadJournalOf,
): { log: SiteLog; named: NamedDays } {
  const { domain, pageviews, fields, first, last, late, lost, settled, places, open } = kept;
  const files = filesOf(folder, domain);
  const closed = new Map(
    [...namedDays.days].map(([date, day]) => [date, openStored(folder, files, date, day)]),
  );
  const stillOpen = Object.entries(open).filter(([date, day]) => {
    if (closed.has(date)) return false;
    const damage = folder.damaged.get(nameDay(domain, date));
    if (damage === undefined) return true;
    folder.isRepaired = true;
    closed.set(date, { ...lengthen(day.counts, dimensions), tables: NO_TABLES, damage });
    return false;
  });
  const inProgress = stillOpen.map(([date, day]) => {
    const find = () => takeDay(readJournalOf(date), domain, date);
    const named = readNamedDay(day);
    return [
      date,
      loadInProgress(folder, date, { named, counts: lengthen(day.counts, dimensions), find }),
    ] as const;
  });
  const log = {
    ...createSiteLog(domain, folder.calendar),
    open: new Map(inProgress),
    closed,
    pageviews,
    fields: { ...createFieldCounts(), ...fields },
    first: first ?? undefined,
    last: last ?? undefined,
    late: new Map(Object.entries(late)),
    lost: new Map(Object.entries(lost)),
    settled,
    places: new Set(places),
  };
  return { log, named: namedDays };
}

const NO_TABLES: DayTables = {
  tallies: () => undefined,
  crawlers: () => new Map(),
  notFound: () => NOTHING_FAILED,
  serverErrors: () => NOTHING_FAILED,
  hours: () => undefined,
};

function takeDay(journal: JournalContent, site: string, date: string): OpenDay {
  try {
    return journal.takeDay(site);
  } catch (error) {
    throw error instanceof DamagedFile ? new DamagedDay(error, { site, date }) : error;
  }
}

interface KeptDay {
  named: { salt: Uint8Array; parts: number };
  counts: DaySummary;
  /** Reads its requests. */
  find: () => OpenDay;
}

/** A day whose requests are read from the journal when they are needed: for its tables, and when a line comes. */
function loadInProgress(
  folder: HistoryFolder,
  date: string,
  { named, counts: summary, find }: KeptDay,
): DayInProgress {
  const { start, end } = folder.calendar.spanOf(date);
  const { definition } = summary;
  let loaded: OpenDay | undefined;
  const load = () => {
    if (loaded === undefined) {
      loaded = find();
      loaded.definition = definition;
      loaded.counted = { version: loaded.version, counts };
      folder.journalWriter.adopt(loaded, named.salt, named.parts);
    }
    return loaded;
  };
  let counted: DayCounts | undefined;
  const count = () => {
    counted ??= countOpen(load());
    return counted.tables;
  };
  const counts: DayCounts = {
    ...summary,
    tables: {
      tallies: (dimension) => count().tallies(dimension),
      crawlers: () => count().crawlers(),
      notFound: () => count().notFound(),
      serverErrors: () => count().serverErrors(),
      hours: () => undefined,
    },
  };
  const day = { date, definition, start, end, counts, peek: () => loaded, load };
  folder.named.set(day, named);
  return day;
}

export const loadContent = ({ earliest, latest, days, ...content }: KeptContent): LogContent => ({
  future: 0,
  written: 0,
  ...content,
  days: days ?? {},
  // Without the bytes that could be read, nobody knows how many these are.
  unread: days === undefined ? [] : content.unread,
  examples: [],
  earliest: earliest ?? Number.POSITIVE_INFINITY,
  latest: latest ?? Number.NEGATIVE_INFINITY,
});
