import { startOfDay } from "../calendar.ts";
import { type Collector, type CollectorOptions, createCollector } from "./collector.ts";
import { STDIN } from "./find-files.ts";
import { createLogBook, type LogBook } from "./log-book.ts";
import type { LogContent } from "./log-content.ts";
import { createOutcomes } from "./outcomes.ts";
import { takeRepeats } from "./repeated-lines.ts";
import type { LogSettings } from "./settings.ts";
import { countOpenDay, createSiteLog, type SiteLog } from "./site-log.ts";

const MAX_DAY_SECONDS = 25 * 3_600;

export interface Rebuild {
  settings: LogSettings;
  collector: Collector;
  book: LogBook;
  clock: () => number;
  findPlace: CollectorOptions["findPlace"];
  /** How many late lines each rebuilt day had, so that lines that stay late are tried only once. */
  tried: Map<string, number>;
}

/**
 * Counts closed days again if more lines came, such as those of an older file that was added. This needs every file with lines of
 * the day: if one is gone, the day keeps its counts, and its late lines are reported.
 */
export async function rebuildDays(
  { settings, collector: { sites }, book, clock, findPlace, tried }: Rebuild,
  signal?: AbortSignal,
): Promise<void> {
  const days = new Map<string, Set<string>>();
  for (const log of sites.values()) {
    const dates = [...log.late].filter(
      ([date, count]) => tried.get(`${log.domain} ${date}`) !== count && isWhole(book, date, log.timezone),
    );
    if (dates.length > 0) days.set(log.domain, new Set(dates.map(([date]) => date)));
  }
  if (days.size === 0) return;
  // The new counts refer to the same values.
  const copies = [...days.keys()].flatMap((domain) => {
    const log = sites.get(domain);
    return log === undefined ? [] : [createSiteLog(domain, log.timezone, log.values)];
  });
  const collector = createCollector(settings, {
    findPlace,
    kept: { sites: copies, outcomes: createOutcomes() },
    onlyDays: days,
  });
  // Standard input cannot be read again.
  const files = settings.files.filter(({ glob }) => glob !== STDIN);
  const again = createLogBook({ ...settings, files }, collector, clock);
  await again.refresh(signal);
  const isReadAgain = ({ fingerprint, read }: LogContent) =>
    [...again.contents.values()].some((other) => other.fingerprint === fingerprint && other.read >= read);
  takeRepeats(book.contents.values(), [...again.contents.values()]);
  for (const [domain, dates] of days) {
    const [log, copy] = [sites.get(domain), collector.sites.get(domain)];
    // A log may have been removed since it was looked at.
    const whole = [...dates].filter(
      (date) => log && listContentsOf(book, date, log.timezone).every(isReadAgain),
    );
    if (log && copy) replaceDays(log, copy, whole);
    for (const date of dates) tried.set(`${domain} ${date}`, log?.late.get(date) ?? 0);
  }
}

function replaceDays(log: SiteLog, copy: SiteLog, dates: readonly string[]): void {
  for (const date of dates) {
    const day = copy.open.get(date);
    const counts = copy.sealed.get(date) ?? (day && countOpenDay(copy, day));
    if (counts === undefined) continue;
    log.sealed.set(date, counts);
    const late = copy.late.get(date);
    if (late === undefined) log.late.delete(date);
    else log.late.set(date, late);
  }
}

/** Whether all files that may have lines of a day are still there. */
const isWhole = (book: LogBook, date: string, timezone: string): boolean =>
  listContentsOf(book, date, timezone).every(book.isPresent);

/** The contents that may have lines of a day. */
function listContentsOf({ contents }: LogBook, date: string, timezone: string): LogContent[] {
  const start = startOfDay(date, timezone) / 1000;
  return [...contents.values()].filter(
    ({ earliest, latest }) => latest >= start && earliest <= start + MAX_DAY_SECONDS,
  );
}
