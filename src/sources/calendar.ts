import { addDays } from "../operations/days.ts";
import { findKnownOffset } from "./demo/known-offsets.ts";

/**
 * Days in a site's timezone, on Intl alone (Node 20 has no Temporal). Instants are milliseconds since 1970,
 * dates are `YYYY-MM-DD`. The tests hold it against a Temporal implementation over every IANA zone.
 */
const formatters = new Map<string, Intl.DateTimeFormat>();

/** The zone's offset from UTC at an instant, in milliseconds. */
export function offsetAt(instant: number, timezone: string): number {
  const known = findKnownOffset(instant, timezone);
  if (known !== undefined) return known;
  let formatter = formatters.get(timezone);
  if (!formatter) {
    formatter = new Intl.DateTimeFormat("en-US", { timeZone: timezone, timeZoneName: "longOffset" });
    formatters.set(timezone, formatter);
  }
  const match = /GMT([+-])(\d\d):(\d\d)(?::(\d\d))?/.exec(formatter.format(instant));
  if (!match) return 0;
  const [, sign, hours, minutes, seconds = "0"] = match;
  const offset = (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * 1000;
  return sign === "-" ? -offset : offset;
}

/**
 * The calendar date at an instant. Clocks that are set back a minute after midnight show yesterday's date once more
 * (St. John's until 2011); a day that is over is not taken up again, so the new one goes on.
 */
export function dateAt(instant: number, timezone: string): string {
  const shown = dateShown(instant, timezone);
  const next = addDays(shown, 1);
  return startOfDay(next, timezone) <= instant ? next : shown;
}

function dateShown(instant: number, timezone: string): string {
  return new Date(instant + offsetAt(instant, timezone)).toISOString().slice(0, 10);
}

const HALF_DAY_MS = 43_200_000;

const starts = new Map<string, number>();
const MOST_STARTS = 10_000;

/** The first instant of a date: midnight, or the end of the gap where the clock skips midnight. */
export function startOfDay(date: string, timezone: string): number {
  const name = `${timezone} ${date}`;
  const start = starts.get(name) ?? findStart(date, timezone);
  // One day's end is the next one's start: found once, for Intl takes its time.
  if (starts.size >= MOST_STARTS) starts.clear();
  starts.set(name, start);
  return start;
}

function findStart(date: string, timezone: string): number {
  const utc = Date.parse(`${date}T00:00:00Z`);
  const offsets = [utc - 2 * HALF_DAY_MS, utc + 2 * HALF_DAY_MS].map((instant) =>
    offsetAt(instant, timezone),
  );
  // The greater offset gives the earlier instant: where the clock is set back over midnight, the first of two.
  for (const offset of offsets.sort((a, b) => b - a)) {
    if (offsetAt(utc - offset, timezone) === offset) return utc - offset;
  }
  let [before, after] = [utc - 2 * HALF_DAY_MS, utc + 2 * HALF_DAY_MS];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (dateShown(middle, timezone) < date) before = middle;
    else after = middle;
  }
  return after;
}

/**
 * RFC 3339 with the zone's offset, to the second: `2026-11-21T05:05:10+01:00`. It knows no seconds in an offset, which
 * zones had until 1972: the minute nearest still gives the same instant.
 */
export function formatInstant(instant: number, timezone: string): string {
  const offset = Math.round(offsetAt(instant, timezone) / 60_000);
  const local = new Date(instant + offset * 60_000).toISOString().slice(0, 19);
  const minutes = Math.abs(offset);
  const pad = (value: number) => String(Math.floor(value)).padStart(2, "0");
  return `${local}${offset < 0 ? "-" : "+"}${pad(minutes / 60)}:${pad(minutes % 60)}`;
}
