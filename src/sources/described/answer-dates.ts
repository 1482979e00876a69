import { dateAt } from "../calendar.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const HALF_DAY = 12;
/** Times of the world's zones beside UTC, in hours. */
const [WEST, EAST] = [-12, 14];

/** A day as a service writes it: its date, or an instant whose date depends on the timezone. */
type Written = { date: string } | { instant: number };

const DATE = /^(\d{4})[-/]?(\d\d)[-/]?(\d\d)$/;
const DATE_TIME = /^(\d{4}-\d\d-\d\d)[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)?$/i;
const MAX_LENGTH = 40;
/** Seconds since 1970 of 1990 and of 2100: what is larger is in milliseconds. */
const [MIN_SECONDS, MAX_SECONDS] = [631_152_000, 4_102_444_800];

/** Reads a day. Undefined if it has none of the forms: a date, a time with or without offset, seconds or milliseconds since 1970. */
export function readWritten(value: unknown): Written | undefined {
  if (typeof value === "number" || (typeof value === "string" && /^\d{9,13}$/.test(value))) {
    return readEpoch(Number(value));
  }
  if (typeof value !== "string" || value.length > MAX_LENGTH) return undefined;
  const [, year, month, day] = DATE.exec(value) ?? [];
  if (day !== undefined) return createDate(`${year}-${month}-${day}`);
  const [, date, offset] = DATE_TIME.exec(value) ?? [];
  if (date === undefined || createDate(date) === undefined) return undefined;
  // With an offset of its own, the time is that of the site, and so is its date.
  if (offset === undefined || !/^(z|[+-]00:?00)$/i.test(offset)) return { date };
  const instant = Date.parse(value.replace(" ", "T"));
  return Number.isNaN(instant) ? undefined : { instant };
}

function readEpoch(number: number): Written | undefined {
  if (!Number.isInteger(number)) return undefined;
  const scale = number > MAX_SECONDS ? 1 : 1000;
  const instant = number * scale;
  return instant >= MIN_SECONDS * 1000 && instant <= MAX_SECONDS * 1000 ? { instant } : undefined;
}

function createDate(date: string): Written | undefined {
  const instant = Date.parse(`${date}T00:00:00Z`);
  return Number.isNaN(instant) || new Date(instant).toISOString().slice(0, 10) !== date
    ? undefined
    : { date };
}

/**
 * The dates of days. Instants are the starts of days in the timezone; without one, the hour of all of them in UTC tells on
 * which side of UTC the zone is, if it is the same for all but a change of clocks. Undefined if it cannot be told.
 */
export function readDates(written: readonly Written[], timezone: string | undefined): string[] | undefined {
  const shift = timezone === undefined ? findShift(written) : 0;
  if (shift === undefined) return undefined;
  return written.map((day) => {
    if ("date" in day) return day.date;
    return timezone === undefined
      ? new Date(day.instant + shift * HOUR_MS).toISOString().slice(0, 10)
      : dateAt(day.instant, timezone);
  });
}

/** How many hours to add to instants, so that they fall on their dates in UTC. */
function findShift(written: readonly Written[]): number | undefined {
  const hours = written.flatMap((day) => ("instant" in day ? [(day.instant % DAY_MS) / HOUR_MS] : []));
  if (hours.length === 0 || hours.every((hour) => hour === 0)) return 0;
  // Midnight is at one hour of UTC, or at two where clocks change. Other times are no starts of days.
  if (new Set(hours).size > 2) return undefined;
  // Midnight of a zone west of UTC is in the morning of its date, of one east of it in the evening before.
  if (hours.every((hour) => hour < 24 - EAST)) return 0;
  return hours.every((hour) => hour > -WEST) ? HALF_DAY : undefined;
}

/** The dates that it can be now, somewhere on earth. */
export function listPossibleToday(now: number): string[] {
  const dates = [WEST, 0, EAST].map((hours) => new Date(now + hours * HOUR_MS).toISOString().slice(0, 10));
  return [...new Set(dates)];
}
