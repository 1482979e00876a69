import { LATENESS } from "../day-span.ts";
import { type CountedDay, countDay } from "./count-day.ts";
import type { DayCounts } from "./day-counts.ts";
import type { OpenDay } from "./open-day.ts";
import type { SiteLog } from "./site-log.ts";

/** Gets a day that is closed. May return another form of its counts to keep. */
export type OnClose = (site: SiteLog, day: OpenDay, counted: CountedDay) => DayCounts | undefined;

/** Reduces the days that ended before an instant, in seconds since 1970, to their counts. */
export function closeDays(site: SiteLog, now: number, onClose?: OnClose): void {
  // Not of a copy: it would hold all days, and their counts, until the last one is closed.
  for (const day of site.open.values()) {
    if (day.end + LATENESS > now) continue;
    const requests = day.load();
    const counted = countDay(requests, site.calendar.timezone);
    site.closed.set(day.date, onClose?.(site, requests, counted) ?? counted.counts);
    site.open.delete(day.date);
  }
}

/**
 * The days that were closed too early: the clock was ahead then, and has gone back.
 *
 * @param now Seconds since 1970.
 */
export function listClosedTooEarly({ closed, calendar }: SiteLog, now: number): string[] {
  const { date: first } = calendar.find(now - LATENESS);
  return [...closed.keys()].filter((date) => date >= first && calendar.spanOf(date).end + LATENESS > now);
}

/** Roughly how many bytes of memory open days take, with the garbage that they leave. */
export function estimateMemory({ open }: SiteLog): number {
  let bytes = 0;
  for (const inProgress of open.values()) {
    const day = inProgress.peek();
    if (day === undefined) continue;
    const { hits, senders, notFound } = day;
    bytes += 60_000 + 16 * hits.sender.length + 150 * senders.requests.length + 60 * notFound.requests.length;
  }
  return bytes;
}
