import type { Call, CallOptions } from "../operations/call.ts";
import { dateOfHour } from "../operations/days.ts";
import { hours } from "../operations/hours.ts";
import type { AnswerOf } from "../operations/operation.ts";
import { assertCovers, cutPeriod, joinWarnings, type PastSpan, within } from "./subtracted-spans.ts";

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
