import { startOfDay } from "../../calendar.ts";
import { countOpenDay } from "../counting/close-days.ts";
import { createSiteLog, type SiteLog, type SiteLogs } from "../counting/site-log.ts";
import type { LogContent } from "../reading/log-content.ts";
import { takeRepeats } from "../reading/repeated-lines.ts";

const MAX_DAY_SECONDS = 25 * 3_600;

/** What was read and counted. */
interface ReadLogs {
  sites: SiteLogs;
  files: ReadFiles;
}

interface ReadFiles {
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
}

/**
 * Counts closed days again if more lines came, such as those of an older file that was added. This needs every file with lines of
 * the day: if one is gone, the day keeps its counts, and its late lines are reported.
 */
export async function rebuildDays(
  { sites, files, readAgain, tried }: Rebuild,
  signal?: AbortSignal,
): Promise<void> {
  const days = new Map<string, Set<string>>();
  for (const log of sites.values()) {
    const dates = [...log.late].filter(
      ([date, count]) => tried.get(`${log.domain} ${date}`) !== count && isWhole(files, date, log.timezone),
    );
    if (dates.length > 0) days.set(log.domain, new Set(dates.map(([date]) => date)));
  }
  if (days.size === 0) return;
  // The new counts refer to the same values.
  const copies = [...days.keys()].flatMap((domain) => {
    const log = sites.get(domain);
    return log === undefined ? [] : [createSiteLog(domain, log.timezone, log.values)];
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
      (date) => log && listContentsOf(files, date, log.timezone).every(isReadAgain),
    );
    if (log && copy) replaceDays(log, copy, whole);
    for (const date of dates) tried.set(`${domain} ${date}`, log?.late.get(date) ?? 0);
  }
}

function replaceDays(log: SiteLog, copy: SiteLog, dates: readonly string[]): void {
  for (const date of dates) {
    const day = copy.open.get(date);
    const counts = copy.closed.get(date) ?? (day && countOpenDay(copy, day));
    if (counts === undefined) continue;
    log.closed.set(date, counts);
    const late = copy.late.get(date);
    if (late === undefined) log.late.delete(date);
    else log.late.set(date, late);
  }
}

/** Whether all files that may have lines of a day are still there. */
const isWhole = (files: ReadFiles, date: string, timezone: string): boolean =>
  listContentsOf(files, date, timezone).every(files.isPresent);

/** The contents that may have lines of a day. */
function listContentsOf({ contents }: ReadFiles, date: string, timezone: string): LogContent[] {
  const start = startOfDay(date, timezone) / 1000;
  return [...contents.values()].filter(
    ({ earliest, latest }) => latest >= start && earliest <= start + MAX_DAY_SECONDS,
  );
}
