import { readMember } from "../../../member.ts";
import { addDays } from "../../../operations/days.ts";
import { countOpenDay } from "../counting/count-day.ts";
import { type DaySummary, DEFINITION } from "../counting/day-counts.ts";
import type { DayInProgress } from "../counting/open-day.ts";
import type { SiteLog } from "../counting/site-log.ts";
import { createCalendar } from "../day-span.ts";
import type { NewMarks } from "../reading/compared-days.ts";
import type { LogContent } from "../reading/log-content.ts";
import { currentOptions, listZones } from "../saved-options.ts";
import type { StoredDay } from "./day-files.ts";
import { createShortener, type ShortSummary } from "./day-summary.ts";
import { type Appender, openAppender, syncFolder } from "./files.ts";
import {
  describeDay,
  filesOf,
  type HistoryFolder,
  identifyManifest,
  journalPath,
  manifestPath,
  openFolder,
  openStored,
} from "./history-folder.ts";
import { formatPart } from "./journal-format.ts";
import { type KeptContent, type KeptSite, type LogState, type Manifest, writeManifest } from "./manifest.ts";
import { putAside } from "./put-aside.ts";
import { removeJournals, removeLeftovers, removeReplaced } from "./remove-unnamed.ts";
import { type NamedDays, writeDayList } from "./site-files.ts";

interface SaveOptions {
  /** Seconds since 1970. */
  now: number;
  /** Whether this process still has the lock. */
  isLocked: () => boolean;
}

/**
 * Writes the state: first new files and what journals lack, then the manifest, from which on they count, and then removes
 * what it replaces. Only the holder of the lock may, if the manifest is still the one that the folder knows.
 *
 * False if the lock was lost meanwhile: then nothing of it counts. Throws what the system throws.
 */
export function saveHistory(
  folder: HistoryFolder,
  { contents, unreadFiles, marks, sites, logs }: LogState,
  { now, isLocked }: SaveOptions,
): boolean {
  for (const path of folder.aside) putAside(folder.path, path);
  folder.calendar = createCalendar(listZones(logs.options));
  const { keep } = currentOptions(logs.options);
  const oldest = keep === null ? "" : addDays(folder.calendar.find(now).date, 1 - keep);
  const named = new Map(sites.map((site) => [site.domain, writeClosedDays(folder, site, oldest)]));
  const { journals, compared, confirm } = writeJournals(folder, sites, marks);
  const { shorten, lists } = createShortener();
  const next: Omit<Manifest, "format"> = {
    generation: folder.generation + 1,
    definition: DEFINITION,
    logs,
    contents: contents.map(keepContent),
    unreadFiles: [...unreadFiles],
    journals,
    compared,
    sites: sites.map((site) => ({
      ...keepSite(site, named.get(site.domain)),
      open: Object.fromEntries(
        [...site.open.values()].map((day) => [day.date, keepOpenDay(folder, day, shorten)]),
      ),
    })),
    dimensions: lists,
  };
  if (!isLocked()) return false;
  writeManifest(manifestPath(folder), next);
  folder.manifestFile = identifyManifest(folder);
  syncFolder(folder.path);
  folder.generation = next.generation;
  folder.journals = journals;
  folder.damaged.clear();
  folder.aside.clear();
  confirm();
  const before = folder.sites;
  folder.sites = named;
  try {
    removeJournals(folder.path, Object.keys(journals));
    removeReplaced(folder.path, before, named);
    const hasNewList = [...named].some(([domain, { hash }]) => hash !== (before.get(domain)?.hash ?? null));
    if (hasNewList) removeLeftovers(folder.path, named, now);
  } catch {
    // The state is saved. On Windows, a file that another program has open cannot be removed: it is a leftover then.
  }
  return true;
}

/** Writes the counts of a site's closed days as far as they are not on disk, and their list if it has changed. */
function writeClosedDays(folder: HistoryFolder, log: SiteLog, oldest: string): NamedDays {
  const { domain, closed, lost } = log;
  for (const date of lost.keys()) if (date < oldest) lost.delete(date);
  const before = folder.sites.get(domain);
  const files = filesOf(folder, domain);
  const days = new Map<string, StoredDay>();
  for (const [date, counts] of [...closed].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (date < oldest) {
      closed.delete(date);
      continue;
    }
    let stored = folder.stored.get(counts);
    if (stored === undefined) {
      stored = files.write(describeDay(folder, log, date), counts);
      closed.set(date, openStored(folder, files, date, stored));
    }
    days.set(date, stored);
  }
  const hasList = (before?.hash ?? null) !== null || days.size === 0;
  const isSame =
    hasList &&
    days.size === (before?.days.size ?? 0) &&
    [...days].every(([date, day]) => before?.days.get(date) === day);
  return { hash: isSame ? (before?.hash ?? null) : writeDayList(files, days), days };
}

/** What the manifest says of a day whose lines can still come. Its tables are counted from its requests. */
function keepOpenDay(
  { journalWriter, named }: HistoryFolder,
  day: DayInProgress,
  shorten: (counts: DaySummary) => ShortSummary,
): KeptSite["open"][string] {
  const { tables: _, readHits: __, ...counts } = countOpenDay(day);
  const loaded = day.peek();
  const { salt, parts } =
    loaded === undefined
      ? (named.get(day) ?? { salt: new Uint8Array(0), parts: 0 })
      : { salt: journalWriter.saltOf(loaded), parts: journalWriter.countParts(loaded) };
  return { salt: Buffer.from(salt).toString("base64"), parts, counts: shorten(counts) };
}

/**
 * Appends what has come since the last save. It counts once the manifest names the new lengths; `confirm` must be called
 * then.
 */
function writeJournals(folder: HistoryFolder, sites: readonly SiteLog[], marks: readonly NewMarks[]) {
  const confirms: (() => void)[] = [];
  const appenders = new Map<string, Appender>();
  const open = (date: string): Appender => {
    const known = appenders.get(date);
    if (known !== undefined) return known;
    const opened = openAppender(journalPath(folder, date), readMember(folder.journals, date) ?? 0);
    appenders.set(date, opened);
    return opened;
  };
  try {
    for (const { domain, open: days } of sites) {
      for (const day of days.values()) {
        const loaded = day.peek();
        const news = loaded && folder.journalWriter.describe(domain, loaded);
        const file = open(day.date);
        if (news === undefined) continue;
        for (const part of news.parts) file.append(formatPart(part));
        confirms.push(news.confirm);
      }
    }
    const compared = marks.map(({ start, end, salt, marks: fresh, confirm }) => {
      const date = folder.calendar.find(start).date;
      const file = open(date);
      if (fresh.length > 0) file.append(formatPart({ columns: { marks: fresh } }));
      confirms.push(confirm);
      return { start, end, salt: Buffer.from(salt).toString("base64"), journal: date };
    });
    const journals = Object.fromEntries([...appenders].map(([date, file]) => [date, file.finish()]));
    syncFolder(openFolder(folder.path));
    const confirm = () => {
      for (const each of confirms) each();
    };
    return { journals, compared, confirm };
  } finally {
    for (const file of appenders.values()) file.close();
  }
}

function keepSite(
  { domain, pageviews, fields, first, last, late, lost, settled, places }: SiteLog,
  named: NamedDays | undefined,
): Omit<KeptSite, "open"> {
  return {
    domain,
    pageviews,
    fields,
    first: first ?? null,
    last: last ?? null,
    late: Object.fromEntries(late),
    lost: Object.fromEntries(lost),
    settled,
    places: [...places],
    days: named?.hash ?? null,
    closed: joinDates([...(named?.days.keys() ?? [])]),
  };
}

/** Dates in order, as spans. */
function joinDates(dates: readonly string[]): string[] {
  const spans: { from: string; to: string }[] = [];
  for (const date of dates) {
    const last = spans.at(-1);
    if (last !== undefined && addDays(last.to, 1) === date) last.to = date;
    else spans.push({ from: date, to: date });
  }
  return spans.map(({ from, to }) => `${from}/${to}`);
}

function keepContent({ examples: _, earliest, latest, ...content }: LogContent): KeptContent {
  return {
    ...content,
    earliest: Number.isFinite(earliest) ? earliest : null,
    latest: Number.isFinite(latest) ? latest : null,
  };
}
