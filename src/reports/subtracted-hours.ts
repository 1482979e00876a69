import type { Call, CallOptions } from "../operations/call.ts";
import { addDays, dateOfHour } from "../operations/days.ts";
import { MAX_HOUR_DAYS } from "../operations/fields.ts";
import { hours } from "../operations/hours.ts";
import type { AnswerOf } from "../operations/operation.ts";
import { createPeriodError } from "../operations/period-words.ts";
import { assertCovers, cutPeriod, joinWarnings, type PastSpan, within } from "./subtracted-spans.ts";

/** Refuses hours that a service does not reach if it answers only for days that end today. */
export function assertRecent(from: string, today: string): void {
  const earliest = addDays(today, 1 - MAX_HOUR_DAYS);
  if (from >= earliest) return;
  throw createPeriodError(`must not begin before ${earliest}: this service has no hours of earlier days`);
}

/** Cuts the span out of the hours until today. Exact, because every hour has its own point. */
export async function subtractHours(
  call: Call,
  span: PastSpan,
  options: CallOptions,
): Promise<AnswerOf<typeof hours>> {
  const { site, to, long } = span;
  const series = await call(hours, { site, days: long, interval: "hour" }, options);
  assertCovers(series.period, span);
  // The first hour of the next day: clocks that are set back over midnight show the date before once more.
  const end = series.points.findIndex(({ time }) => dateOfHour(time) > to);
  const { warnings: _, ...rest } = series;
  return {
    ...rest,
    period: cutPeriod(series.period, span),
    points: end === -1 ? series.points : series.points.slice(0, end),
    ...joinWarnings(within(span, series), []),
  };
}
