/**
 * What a zone's clocks show, read from Intl instant by instant, without the product's own calendar. Instants
 * are milliseconds since 1970, dates `YYYY-MM-DD`.
 */
interface Clock {
  /** Shows `2026-11-21`. */
  date: Intl.DateTimeFormat;
  time: Intl.DateTimeFormat;
}

const clocks = new Map<string, Clock>();

function clockOf(timezone: string): Clock {
  let clock = clocks.get(timezone);
  if (!clock) {
    // A locale that writes dates as ISO 8601 does.
    const show = (options: Intl.DateTimeFormatOptions) =>
      new Intl.DateTimeFormat("sv-SE", { timeZone: timezone, ...options });
    clock = {
      date: show({ year: "numeric", month: "2-digit", day: "2-digit" }),
      time: show({ hourCycle: "h23", hour: "2-digit", minute: "2-digit", second: "2-digit" }),
    };
    clocks.set(timezone, clock);
  }
  return clock;
}

/** The date that the clocks show. */
export const dateShown = (instant: number, timezone: string): string =>
  clockOf(timezone).date.format(instant);

export function moveDate(date: string, days: number): string {
  const moved = new Date(`${date}T00:00:00Z`);
  moved.setUTCDate(moved.getUTCDate() + days);
  return moved.toISOString().slice(0, 10);
}

/** The `days` dates that end with `last`, oldest first. */
export const datesUntil = (last: string, days: number) =>
  Array.from({ length: days }, (_, index) => moveDate(last, index + 1 - days));

const SECOND = 1_000;
const QUARTER = 900 * SECOND;
const starts = new Map<string, Map<string, number>>();

/**
 * The first instant at which the clocks show a date, or a later one if they skip it. Searches in steps of a
 * quarter of an hour, and then by the second if midnight is between two steps.
 */
export function startOf(date: string, timezone: string): number {
  const ofZone = starts.get(timezone) ?? new Map<string, number>();
  starts.set(timezone, ofZone);
  const known = ofZone.get(date);
  if (known !== undefined) return known;
  const isThere = (instant: number) => dateShown(instant, timezone) >= date;
  let instant = Date.parse(`${date}T00:00:00Z`) - 64 * QUARTER;
  while (!isThere(instant)) instant += QUARTER;
  if (isThere(instant - SECOND)) {
    instant -= QUARTER;
    while (!isThere(instant)) instant += SECOND;
  }
  ofZone.set(date, instant);
  return instant;
}

/** The time of day that the clocks show. */
export const timeShown = (instant: number, timezone: string): string =>
  clockOf(timezone).time.format(instant);

/** The date, the hour and the offset that the clocks show. */
export function hourShown(instant: number, timezone: string): string {
  const date = dateShown(instant, timezone);
  const time = clockOf(timezone).time.format(instant);
  return `${date} ${time.slice(0, 2)} ${Date.parse(`${date}T${time}Z`) - instant}`;
}

const hours = new Map<string, number[]>();

/** When the hours of a day begin. Looks at each quarter of an hour and, where its last second shows something else, at each second. */
export function hoursOf(date: string, timezone: string): number[] {
  const key = `${date} ${timezone}`;
  const known = hours.get(key);
  if (known !== undefined) return known;
  const end = startOf(dayAfter(date), timezone);
  const found: number[] = [];
  let shown = "";
  const look = (instant: number) => {
    const now = instant < end ? hourShown(instant, timezone) : shown;
    if (now !== shown) found.push(instant);
    shown = now;
  };
  for (let instant = startOf(date, timezone); instant < end; instant += QUARTER) {
    look(instant);
    const last = Math.min(instant + QUARTER, end) - SECOND;
    if (hourShown(last, timezone) === shown) continue;
    for (let second = instant; second <= last; second += SECOND) look(second);
  }
  hours.set(key, found);
  return found;
}

const nextDates = new Map<string, string>();

const dayAfter = (date: string): string => {
  const next = nextDates.get(date) ?? moveDate(date, 1);
  nextDates.set(date, next);
  return next;
};

/** The last answer for each zone: most instants that are asked for in a row are of one day. */
const lastDays = new Map<string, string>();

/** The day of an instant: it begins when the clocks first show its date, and goes on if they are set back. */
export function dayOf(instant: number, timezone: string): string {
  const last = lastDays.get(timezone);
  if (last !== undefined && startOf(last, timezone) <= instant && instant < startOf(dayAfter(last), timezone))
    return last;
  const shown = dateShown(instant, timezone);
  const next = dayAfter(shown);
  const day = startOf(next, timezone) <= instant ? next : shown;
  lastDays.set(timezone, day);
  return day;
}

/** Minutes that the clocks are ahead of UTC, rounded: RFC 3339 allows no seconds in an offset. */
export function offsetOf(instant: number, timezone: string): number {
  const time = clockOf(timezone).time.format(instant);
  const shown = Date.parse(`${dateShown(instant, timezone)}T${time}Z`);
  return Math.round((shown - instant) / 60_000);
}

/** An instant as RFC 3339 in the zone. */
export function stamp(instant: number, timezone: string): string {
  const minutes = offsetOf(instant, timezone);
  const local = new Date(instant + minutes * 60_000).toISOString().slice(0, 19);
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  const two = (value: number) => String(value).padStart(2, "0");
  return `${local}${minutes < 0 ? "-" : "+"}${two(hours)}:${two(rest)}`;
}
