import { addDays } from "../../operations/days.ts";
import { dateAt, startOfDay } from "../calendar.ts";
import { countDay } from "./count-day.ts";
import type { DayCounts } from "./day-counts.ts";
import { type OpenDay, openDay } from "./open-day.ts";
import { createSiteValues, type SiteValues } from "./values.ts";

/** What was collected about one site: its days, and the values that they refer to. */
export interface SiteLog {
  domain: string;
  timezone: string;
  values: SiteValues;
  open: Map<string, OpenDay>;
  /** Closed days, which no line changes any more. */
  sealed: Map<string, DayCounts>;
  /** How many lines came after their day was sealed. */
  late: Map<string, number>;
  /** Page views of all days, before scanners are left out. */
  pageviews: number;
  /** Seconds since 1970 of the first and the last line of any kind; undefined before the first. */
  first: number | undefined;
  last: number | undefined;
  /** How many page views have a field in the log, even if it is empty, and how many do not. */
  fields: Record<LoggedField, { present: number; absent: number }>;
}

export type LoggedField = "agent" | "referrer" | "language" | "host" | "forwarded";

export function createSiteLog(
  domain: string,
  timezone: string,
  values: SiteValues = createSiteValues(),
): SiteLog {
  const field = () => ({ present: 0, absent: 0 });
  return {
    domain,
    timezone,
    values,
    open: new Map(),
    sealed: new Map(),
    late: new Map(),
    pageviews: 0,
    first: undefined,
    last: undefined,
    fields: {
      agent: field(),
      referrer: field(),
      language: field(),
      host: field(),
      forwarded: field(),
    },
  };
}

/** @param time Seconds since 1970. */
export type FindDay = (time: number) => OpenDay | undefined;

/**
 * Creates a function that finds or opens the day of a line; undefined if the day is sealed. Most lines are
 * of the same day as the one before.
 *
 * @param onlyDays Lines of other days have none; all days if absent.
 */
export function createFindDay(site: SiteLog, onlyDays?: ReadonlySet<string>): FindDay {
  let current: OpenDay | undefined;
  return (time) => {
    if (current && time >= current.start && time < current.end && site.open.has(current.date)) return current;
    const date = dateAt(time * 1000, site.timezone);
    if (onlyDays?.has(date) === false) return undefined;
    if (site.sealed.has(date)) {
      site.late.set(date, (site.late.get(date) ?? 0) + 1);
      return undefined;
    }
    current = site.open.get(date);
    if (current === undefined) {
      const [start, end] = [date, addDays(date, 1)].map((each) => startOfDay(each, site.timezone) / 1000);
      current = openDay(date, start ?? 0, end ?? 0);
      site.open.set(date, current);
    }
    return current;
  };
}

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

/** A day is closed this many seconds after its end: servers write some lines late, and files rotate during the day. */
export const LATENESS = 86_400;

/** Reduces the days that ended before an instant, in seconds since 1970, to their counts. */
export function sealDays(
  site: SiteLog,
  now: number,
  onClose?: (site: SiteLog, day: OpenDay, counts: DayCounts) => void,
): void {
  for (const day of [...site.open.values()]) {
    if (day.end + LATENESS > now) continue;
    const counts = countOpenDay(site, day);
    onClose?.(site, day, counts);
    site.sealed.set(day.date, counts);
    site.open.delete(day.date);
  }
}

/** Whether a day was closed too early, since the clock has gone back. @param now Seconds since 1970. */
export function isClosedEarly({ sealed, timezone }: SiteLog, now: number): boolean {
  const last = [...sealed.keys()].reduce((a, b) => (a > b ? a : b), "");
  return last !== "" && startOfDay(addDays(last, 1), timezone) / 1000 + LATENESS > now;
}

/** Roughly how many bytes of memory open days take. */
export function weighOpenDays({ open }: SiteLog): number {
  let bytes = 0;
  for (const { hits, senders } of open.values())
    bytes += 16 * hits.sender.length + 150 * senders.requests.length;
  return bytes;
}
