import { countOpenDay } from "../counting/count-day.ts";
import { createSiteLog, isSettled, type SiteLog, type SiteLogs } from "../counting/site-log.ts";
import type { DaySpan } from "../day-span.ts";
import type { LogContent } from "../reading/log-content.ts";
import { takeRepeats } from "../reading/repeated-lines.ts";

/** What was read and counted. */
export interface ReadLogs {
  sites: SiteLogs;
  files: ReadFiles;
}

export interface ReadFiles {
  readonly contents: ReadonlyMap<string, LogContent>;
  isPresent(content: LogContent): boolean;
}

export interface Rebuild extends ReadLogs {
  /** Reads all files again and counts some days of some sites, by domain, into new logs of these sites. */
  readAgain(
    copies: readonly SiteLog[],
    days: ReadonlyMap<string, ReadonlySet<string>>,
    signal?: AbortSignal,
  ): Promise<ReadLogs>;
  /** How many late lines each rebuilt day had, so that lines that stay late are tried only once. */
  tried: Map<string, number>;
  /** The days of a site that are to be counted again even if no line came late. */
  outdated(log: SiteLog): string[];
}

/**
 * Counts closed days again if more lines came, such as those of an older file that was added. This needs every file with lines of
 * the day: if one is gone, the day keeps its counts, and its late lines are reported. Returns whether logs were read again.
 */
export async function rebuildDays(
  { sites, files, readAgain, tried, outdated }: Rebuild,
  signal?: AbortSignal,
): Promise<boolean> {
  const days = new Map<string, Set<string>>();
  for (const log of sites.values()) {
    const dates = [...log.late.keys(), ...outdated(log)].filter(
      (date) =>
        tried.get(`${log.domain} ${date}`) !== (log.late.get(date) ?? 0) &&
        !isSettled(log, date) &&
        isWhole(files, log.calendar.spanOf(date)),
    );
    if (dates.length > 0) days.set(log.domain, new Set(dates));
  }
  if (days.size === 0) return false;
  const copies = [...days.keys()].flatMap((domain) => {
    const log = sites.get(domain);
    return log === undefined ? [] : [createSiteLog(domain, log.calendar)];
  });
  const again = await readAgain(copies, days, signal);
  const contentsAgain = [...again.files.contents.values()];
  const isReadAgain = ({ fingerprint, read }: LogContent) =>
    contentsAgain.some((other) => other.fingerprint === fingerprint && other.read >= read);
  takeRepeats(files.contents.values(), contentsAgain);
  for (const [domain, dates] of days) {
    const [log, copy] = [sites.get(domain), again.sites.get(domain)];
    // A log may have been removed since it was looked at.
    const whole = [...dates].filter(
      (date) => log && listContentsOf(files, log.calendar.spanOf(date)).every(isReadAgain),
    );
    if (log && copy) replaceDays(log, copy, whole);
    for (const date of dates) tried.set(`${domain} ${date}`, log?.late.get(date) ?? 0);
  }
  return true;
}

function replaceDays(log: SiteLog, copy: SiteLog, dates: readonly string[]): void {
  for (const date of dates) {
    const [day, counts] = [copy.open.get(date), copy.closed.get(date)];
    const found = counts ?? (day && countOpenDay(day));
    // A part of a damaged day is no reason to forget what was told.
    const told = log.closed.get(date);
    if (found === undefined || (told?.damage && found.totals.pageviews < told.totals.pageviews)) continue;
    log.lost.delete(date);
    log.open.delete(date);
    log.closed.delete(date);
    // A day that was closed while the clock was ahead is open again.
    if (day !== undefined) log.open.set(date, day);
    else if (counts !== undefined) log.closed.set(date, counts);
    const late = copy.late.get(date);
    if (late === undefined) log.late.delete(date);
    else log.late.set(date, late);
  }
}

/** Whether all files that may have lines of a day are still there. */
function isWhole(files: ReadFiles, day: DaySpan): boolean {
  const contents = listContentsOf(files, day);
  return contents.length > 0 && contents.every(files.isPresent);
}

/** The contents that may have lines of a day. */
const listContentsOf = ({ contents }: ReadFiles, { start, end }: DaySpan): LogContent[] =>
  [...contents.values()].filter(({ earliest, latest }) => latest >= start && earliest <= end);
