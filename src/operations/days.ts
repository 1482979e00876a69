/** A first and a last day, both included. */
export interface Days {
  from: string;
  to: string;
}

const DAY_MS = 86_400_000;
const startOf = (day: string) => Date.parse(`${day}T00:00:00Z`);

/** Adds whole days to `day`: calendar arithmetic, independent of timezones. */
export function addDays(day: string, days: number): string {
  return new Date(startOf(day) + days * DAY_MS).toISOString().slice(0, 10);
}

/** All days from `from` to `to`, both included; none if `to` is earlier. */
export function listDays(from: string, to: string): string[] {
  const days: string[] = [];
  for (let day = from; day <= to; day = addDays(day, 1)) days.push(day);
  return days;
}

/** Counts the days from `from` to `to`, both included. */
export function countDays(from: string, to: string): number {
  return Math.round((startOf(to) - startOf(from)) / DAY_MS) + 1;
}

const HALF_MINUTE_MS = 30_000;

/**
 * An hour as people read it, from its first instant in RFC 3339: `2026-11-20 14:00`. Offsets of RFC 3339 are rounded to minutes, and
 * some zones had others until 1972, so the instant can be shown as half a minute earlier.
 */
export function nameHour(time: string): string {
  const shown = Date.parse(`${time.slice(0, "2026-11-20T14:00:00".length)}Z`) + HALF_MINUTE_MS;
  return new Date(shown).toISOString().slice(0, "2026-11-20T14:00".length).replace("T", " ");
}

/** The date and the time of day that the clocks show when an hour begins. */
export const dateOfHour = (time: string): string => nameHour(time).slice(0, "2026-11-20".length);
export const clockOfHour = (time: string): string => nameHour(time).slice("2026-11-20 ".length);
