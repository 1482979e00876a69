import { addDays } from "../../operations/days.ts";
import { dateAt, startOfDay } from "../calendar.ts";

/** A day of a site. */
export interface DaySpan {
  /** `YYYY-MM-DD` at the site. */
  date: string;
  /** Seconds since 1970 at which it begins and ends. */
  start: number;
  end: number;
}

/** When the days of logs begin and end. */
export interface LogCalendar {
  /** IANA name of the zone of today. */
  readonly timezone: string;
  /** The day of an instant. @param time Seconds since 1970. */
  find(time: number): DaySpan;
  /** @param date `YYYY-MM-DD` at the site. */
  spanOf(date: string): DaySpan;
}

/** A zone, and its first day; the first zone has all days before the next one's. */
export interface ZoneSince {
  since: string;
  timezone: string;
}

/**
 * Every instant is in one day, also where the zone changes: the first day in a zone begins when the last one before it ended, and so
 * may be some hours shorter or longer.
 */
export function createCalendar(zones: readonly ZoneSince[]): LogCalendar {
  const timezone = zones.at(-1)?.timezone ?? "UTC";
  const startOf = (date: string): number => {
    const index = zones.findLastIndex(({ since }) => since <= date);
    const [before, zone] = [zones[index - 1], zones[index]];
    if (zone === undefined) return startOfDay(date, timezone) / 1000;
    if (before === undefined) return startOfDay(date, zone.timezone) / 1000;
    const first = startOfDay(zone.since, before.timezone);
    return (date === zone.since ? first : Math.max(first, startOfDay(date, zone.timezone))) / 1000;
  };
  const spanOf = (date: string): DaySpan => ({
    date,
    start: startOf(date),
    end: startOf(addDays(date, 1)),
  });
  return {
    timezone,
    spanOf,
    find: (time) => {
      const span = spanOf(dateAt(time * 1000, timezone));
      if (zones.length === 1 || (span.start <= time && time < span.end)) return span;
      const step = time < span.start ? -1 : 1;
      for (let found = span; ; found = spanOf(addDays(found.date, step)))
        if (found.start <= time && time < found.end) return found;
    },
  };
}

/** A day is closed this many seconds after its end: servers write some lines late, and files rotate during the day. */
export const LATENESS = 86_400;
