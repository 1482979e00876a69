import { addDays } from "../operations/days.ts";
import { createLookup } from "./lookup.ts";

/*
 * Days in a site's timezone, computed with Intl, because Node 20 has no Temporal. Instants are milliseconds since 1970,
 * dates are `YYYY-MM-DD`. The tests compare the functions with a Temporal implementation in every IANA zone.
 */

const zones = createLookup((timeZone: string) => ({
  format: new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName: "longOffset" }),
  /** The latest answer: one request asks many times about its moment, and Intl is slow. */
  latest: { instant: Number.NaN, offset: 0 },
}));

/** The zone's offset from UTC at an instant, in milliseconds. */
export function offsetAt(instant: number, timezone: string): number {
  const zone = zones.get(timezone);
  if (zone.latest.instant !== instant)
    zone.latest = { instant, offset: readOffset(zone.format.format(instant)) };
  return zone.latest.offset;
}

/** Reads "11/21/2026, GMT+01:00", or "GMT" alone for UTC. */
function readOffset(text: string): number {
  const match = /GMT([+-])(\d\d):(\d\d)(?::(\d\d))?/.exec(text);
  if (!match) return 0;
  const [, sign, hours, minutes, seconds = "0"] = match;
  const offset = (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * 1000;
  return sign === "-" ? -offset : offset;
}

/**
 * The calendar date at an instant. If the clock goes back from just after midnight (St. John's until 2011), it shows
 * yesterday's date again; the date stays the new one, since a day that is over is never reopened.
 */
export function dateAt(instant: number, timezone: string): string {
  const shown = dateShown(instant, timezone);
  const next = addDays(shown, 1);
  return startOfDay(next, timezone) <= instant ? next : shown;
}

function dateShown(instant: number, timezone: string): string {
  return new Date(instant + offsetAt(instant, timezone)).toISOString().slice(0, 10);
}

const DAY_MS = 86_400_000;
const MAX_STARTS = 10_000;
/** Cached by zone and date: Intl is slow, and every answer needs the start of today and of other days. */
const starts = new Map<string, number>();

/** The first instant of a date: midnight, or the end of the gap if the clock skips midnight. */
export function startOfDay(date: string, timezone: string): number {
  const key = `${timezone} ${date}`;
  let start = starts.get(key);
  if (start === undefined) {
    start = findStart(date, timezone);
    if (starts.size >= MAX_STARTS) starts.clear();
    starts.set(key, start);
  }
  return start;
}

function findStart(date: string, timezone: string): number {
  const utc = Date.parse(`${date}T00:00:00Z`);
  let [before, after] = [utc - DAY_MS, utc + DAY_MS];
  const offsets = [offsetAt(before, timezone), offsetAt(after, timezone)];
  // The greater offset gives the earlier instant: the first midnight, if the clock goes back over midnight.
  for (const offset of offsets.sort((a, b) => b - a)) {
    if (offsetAt(utc - offset, timezone) === offset) return utc - offset;
  }
  // The clock skips midnight: search for the first instant that shows the date, or a later one.
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (dateShown(middle, timezone) < date) before = middle;
    else after = middle;
  }
  return after;
}

/**
 * Formats an instant as RFC 3339 with the zone's offset, to the second: `2026-11-21T05:05:10+01:00`. RFC 3339 allows no
 * seconds in an offset, which some zones had until 1972: the offset is rounded to the minute, for the same instant.
 */
export function formatInstant(instant: number, timezone: string): string {
  const offset = Math.round(offsetAt(instant, timezone) / 60_000);
  const local = new Date(instant + offset * 60_000).toISOString().slice(0, 19);
  const minutes = Math.abs(offset);
  const pad = (value: number) => String(Math.floor(value)).padStart(2, "0");
  return `${local}${offset < 0 ? "-" : "+"}${pad(minutes / 60)}:${pad(minutes % 60)}`;
}

const HOUR_MS = 3_600_000;

/**
 * The hours of a site's days, by their first instants: runs of instants with one local date, hour and offset. An hour that
 * the clocks show twice, in whole or in part, is two; one that they skip is none.
 */
export function listHours(from: string, to: string, timezone: string): number[] {
  const end = startOfDay(addDays(to, 1), timezone);
  const hours: number[] = [];
  for (let hour = startOfDay(from, timezone); hour < end; hour = endOfHour(hour, timezone)) hours.push(hour);
  return hours;
}

/** The end of an hour that begins at `start`: the next full hour of the clocks, or when they are changed before it. */
function endOfHour(start: number, timezone: string): number {
  const offset = offsetAt(start, timezone);
  const end = start + HOUR_MS - ((((start + offset) % HOUR_MS) + HOUR_MS) % HOUR_MS);
  if (offsetAt(end - 1, timezone) === offset) return end;
  let [before, after] = [start, end - 1];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (offsetAt(middle, timezone) === offset) before = middle;
    else after = middle;
  }
  return after;
}
