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

/** The day of an instant. @param time Seconds since 1970. */
export const findDaySpan = (time: number, timezone: string): DaySpan =>
  spanOf(dateAt(time * 1000, timezone), timezone);

/** @param date `YYYY-MM-DD` at the site. */
export const spanOf = (date: string, timezone: string): DaySpan => ({
  date,
  start: startOfDay(date, timezone) / 1000,
  end: startOfDay(addDays(date, 1), timezone) / 1000,
});

/** A day is closed this many seconds after its end: servers write some lines late, and files rotate during the day. */
export const LATENESS = 86_400;
