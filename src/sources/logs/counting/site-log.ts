import type { Dimension } from "../../../operations/dimensions.ts";
import type { LogCalendar } from "../day-span.ts";
import type { Damage, DayCounts } from "./day-counts.ts";
import { type DayInProgress, holdDay, type OpenDay, openDay } from "./open-day.ts";

/** What was collected about one site. */
export interface SiteLog {
  domain: string;
  calendar: LogCalendar;
  open: Map<string, DayInProgress>;
  /** Closed days, which no line changes any more. */
  closed: Map<string, DayCounts>;
  /** How many lines came after their day was closed. */
  late: Map<string, number>;
  /** Days of which lines that were counted can be missing, because a file of the history was lost. */
  lost: Map<string, Damage>;
  /**
   * The last of the days whose lines are known to be counted, though no longer which lines these were: as far as such days are
   * closed, their lines are left alone. Empty if there is none.
   */
  settled: string;
  /** Page views of all days, before scanners are left out. */
  pageviews: number;
  /** Seconds since 1970 of the first and the last line of any kind; undefined before the first. */
  first: number | undefined;
  last: number | undefined;
  /** How many page views have a field in the log, even if it is empty, and how many do not. */
  fields: Record<(typeof LOGGED_FIELDS)[number], { present: number; absent: number }>;
  /** The dimensions of places of which a value was found. */
  places: Set<Dimension>;
}

/** By domain. */
export type SiteLogs = ReadonlyMap<string, SiteLog>;

/** What a line may lack because its log does not record it. */
export const LOGGED_FIELDS = ["agent", "referrer", "language", "host", "forwarded"] as const;

export const createFieldCounts = () =>
  // The names are those of the fields.
  Object.fromEntries(LOGGED_FIELDS.map((field) => [field, { present: 0, absent: 0 }])) as SiteLog["fields"];

export function createSiteLog(domain: string, calendar: LogCalendar): SiteLog {
  return {
    domain,
    calendar,
    open: new Map(),
    closed: new Map(),
    late: new Map(),
    lost: new Map(),
    settled: "",
    pageviews: 0,
    first: undefined,
    last: undefined,
    fields: createFieldCounts(),
    places: new Set(),
  };
}

/** Whether all lines of a day are counted, whichever lines there are. */
export const isSettled = ({ closed, settled }: SiteLog, date: string): boolean =>
  date <= settled && closed.get(date)?.damage === undefined;

/** @param time Seconds since 1970. */
export type FindDay = (time: number) => OpenDay | undefined;

/**
 * Creates a function that finds or opens the day of a line; undefined if the day is closed. Most lines are
 * of the same day as the one before.
 *
 * @param onlyDays Lines of other days have none; all days if absent.
 */
export function createFindDay(site: SiteLog, onlyDays?: ReadonlySet<string>): FindDay {
  let current: OpenDay | undefined;
  return (time) => {
    if (current && time >= current.start && time < current.end && site.open.has(current.date)) return current;
    const { date, start, end } = site.calendar.find(time);
    if (onlyDays?.has(date) === false) return undefined;
    if (site.closed.has(date)) {
      if (!isSettled(site, date)) site.late.set(date, (site.late.get(date) ?? 0) + 1);
      return undefined;
    }
    current = site.open.get(date)?.load();
    if (current === undefined) {
      current = openDay(date, start, end);
      site.open.set(date, holdDay(current));
    }
    return current;
  };
}
