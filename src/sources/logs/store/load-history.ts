import { readMember } from "../../../member.ts";
import { countOpen } from "../counting/count-day.ts";
import type { DayCounts, DaySummary } from "../counting/day-counts.ts";
import type { DayInProgress, OpenDay } from "../counting/open-day.ts";
import { createSiteLog, type SiteLog } from "../counting/site-log.ts";
import { spanOf } from "../day-span.ts";
import type { KeptMarks } from "../reading/compared-days.ts";
import type { LogContent } from "../reading/log-content.ts";
import { OutdatedDay } from "./day-files.ts";
import { type DimensionLists, lengthen } from "./day-summary.ts";
import {
  filesOf,
  type HistoryFolder,
  hasChanged,
  identifyManifest,
  journalPath,
  openStored,
  readCurrentManifest,
} from "./history-folder.ts";
import type { KeptContent, KeptSite, Manifest } from "./manifest.ts";
import { type JournalContent, readJournal } from "./read-journal.ts";
import { type NamedDays, readNamedDays } from "./site-files.ts";

/** What earlier processes kept. */
export interface KeptState {
  contents: readonly LogContent[];
  /** For comparison with the lines of other contents. */
  marks: readonly KeptMarks[];
  sites: readonly SiteLog[];
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
  const manifest = readCurrentManifest(folder);
  folder.generation = manifest?.generation ?? 0;
  folder.journals = manifest?.journals ?? {};
  folder.sites = new Map();
  if (manifest === undefined) return undefined;
  const readOnce = createJournalReader(folder, manifest);
  const sites = manifest.sites.map((site) => loadSite(folder, site, manifest.dimensions, readOnce));
  folder.sites = new Map(sites.map(({ log, named }) => [log.domain, named]));
  return {
    contents: manifest.contents.map(loadContent),
    marks: manifest.compared.map(({ journal: date, salt, ...span }) => ({
      ...span,
      salt: Buffer.from(salt, "base64"),
      readMarks: () => (Object.hasOwn(manifest.journals, date) ? readOnce(date).marks : new Float64Array(0)),
    })),
    sites: sites.map(({ log }) => log),
  };
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
        return [[domain, { salt: Buffer.from(day.salt, "base64"), parts: day.parts }] as const];
      });
      found = readUnchanged(folder, manifest, date, () =>
        readJournal({
          path: journalPath(folder, date),
          length: readMember(journals, date) ?? 0,
          date,
          timezone: folder.timezone,
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
  kept: KeptSite,
  dimensions: DimensionLists,
  readJournalOf: ReadJournalOf,
): { log: SiteLog; named: NamedDays } {
  const { domain, pageviews, fields, first, last, late, places, open } = kept;
  const files = filesOf(folder, domain);
  const named = readNamedDays(files, kept);
  const closed = [...named.days].map(([date, day]) => [date, openStored(folder, files, date, day)] as const);
  const inProgress = Object.entries(open).map(([date, day]) => {
    const find = () => readJournalOf(date).takeDay(domain);
    const named = { salt: Buffer.from(day.salt, "base64"), parts: day.parts };
    return [
      date,
      loadInProgress(folder, date, { named, counts: lengthen(day.counts, dimensions), find }),
    ] as const;
  });
  const log = {
    ...createSiteLog(domain, folder.timezone),
    open: new Map(inProgress),
    closed: new Map(closed),
    pageviews,
    fields,
    first: first ?? undefined,
    last: last ?? undefined,
    late: new Map(Object.entries(late)),
    places: new Set(places),
  };
  return { log, named };
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
  const { start, end } = spanOf(date, folder.timezone);
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

const loadContent = ({ earliest, latest, ...content }: KeptContent): LogContent => ({
  ...content,
  examples: [],
  earliest: earliest ?? Number.POSITIVE_INFINITY,
  latest: latest ?? Number.NEGATIVE_INFINITY,
});
