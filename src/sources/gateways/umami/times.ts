import { addDays, countDays } from "../../../operations/days.ts";
import { dateAt, startOfDay } from "../../calendar.ts";
import type { SourceSite } from "../../data-source.ts";

/** Days as Umami wants them: milliseconds, both included. */
export const boundsOf = (from: string, to: string, timezone: string): { startAt: string; endAt: string } => ({
  startAt: String(startOfDay(from, timezone)),
  endAt: String(startOfDay(addDays(to, 1), timezone) - 1),
});

/** Seconds for which days up to `to` may be reused. */
export const freshFor = (to: string, { timezone }: SourceSite, now: number): number =>
  to < dateAt(now, timezone) ? 600 : 30;

/** For more than seven months Umami answers by month, whatever it was asked for. */
const MAX_DAYS = 180;

/** Cuts days into spans for which Umami answers by day. */
export function cutSpan(from: string, to: string): { from: string; to: string }[] {
  const parts = Math.ceil(countDays(from, to) / MAX_DAYS);
  return Array.from({ length: parts }, (_, index) => {
    const start = addDays(from, index * MAX_DAYS);
    const end = addDays(start, MAX_DAYS - 1);
    return { from: start, to: end < to ? end : to };
  });
}
