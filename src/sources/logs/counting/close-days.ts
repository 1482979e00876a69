import { addDays } from "../../../operations/days.ts";
import { startOfDay } from "../../calendar.ts";
import { LATENESS } from "../day-span.ts";
import { countDay } from "./count-day.ts";
import type { DayCounts } from "./day-counts.ts";
import type { OpenDay } from "./open-day.ts";
import type { SiteLog } from "./site-log.ts";

/**
 * Counts an open day, up to and including `until` if given, in seconds since 1970. The whole day is counted again only if
 * lines have come.
 */
export function countOpenDay(site: SiteLog, day: OpenDay, until?: number): DayCounts {
  if (until !== undefined) return countDay(day, site.values, until);
  if (day.counted?.version !== day.version) {
    day.counted = { version: day.version, counts: countDay(day, site.values) };
  }
  return day.counted.counts;
}

/** Reduces the days that ended before an instant, in seconds since 1970, to their counts. */
export function closeDays(
  site: SiteLog,
  now: number,
  onClose?: (site: SiteLog, day: OpenDay, counts: DayCounts) => void,
): void {
  for (const day of [...site.open.values()]) {
    if (day.end + LATENESS > now) continue;
    const counts = countOpenDay(site, day);
    onClose?.(site, day, counts);
    site.closed.set(day.date, counts);
    site.open.delete(day.date);
  }
}

/** Whether a day was closed too early: the clock was ahead then, and has gone back. @param now Seconds since 1970. */
export function wasClosedTooEarly({ closed, timezone }: SiteLog, now: number): boolean {
  const last = [...closed.keys()].reduce((a, b) => (a > b ? a : b), "");
  return last !== "" && startOfDay(addDays(last, 1), timezone) / 1000 + LATENESS > now;
}

/** Roughly how many bytes of memory open days take. */
export function estimateMemory({ open }: SiteLog): number {
  let bytes = 0;
  for (const { hits, senders } of open.values())
    bytes += 16 * hits.sender.length + 150 * senders.requests.length;
  return bytes;
}
