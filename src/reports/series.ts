import type { Call, CallOptions } from "../operations/call.ts";
import { MAX_HOUR_DAYS } from "../operations/fields.ts";
import { readFilter } from "../operations/filter.ts";
import { readFilterInput } from "../operations/filter-input.ts";
import { hours } from "../operations/hours.ts";
import { timeseries } from "../operations/index.ts";
import type { ParamsOf } from "../operations/operation.ts";
import type { View } from "../operations/view.ts";
import { noteMissingVisits, withoutVisits } from "../operations/visit-rates.ts";
import { assertAddsUp } from "./added-days.ts";
import type { QueryOptions } from "./default-days.ts";
import { DEFAULT_HOUR_DAYS, type Interval } from "./intervals.ts";
import { askDays, askSpan, createTooLongError } from "./site-period.ts";

interface SeriesQuery extends Record<string, unknown> {
  interval?: Interval;
  with?: "visits";
}

/** Answers for the points of a series by any interval. */
export async function askSeries(
  call: Call,
  { interval = "day", with: added, ...params }: SeriesQuery,
  options: QueryOptions,
): Promise<{ result: Record<string, unknown>; views: View[] }> {
  const showsVisits = added === "visits";
  if (interval === "hour") {
    const result = await askHours(call, params, options);
    const shown = showsVisits ? result : { ...result, points: result.points.map(withoutVisits) };
    const view = hours.view(shown, params as ParamsOf<typeof hours>);
    return { result, views: [showsVisits ? noteMissingVisits(view, result) : view] };
  }
  const result = await askDays(call, timeseries, params, options);
  if (interval === "day") {
    const shown = showsVisits ? result : { ...result, points: result.points.map(withoutVisits) };
    const view = timeseries.view(shown, params as ParamsOf<typeof timeseries>);
    return { result, views: [showsVisits ? noteMissingVisits(view, result) : view] };
  }
  const { from, to } = result.period;
  await assertAddsUp(call, { site: result.site.id, from, to, last: to }, options);
  const { addUpByInterval } = await import("./series-intervals.ts");
  return addUpByInterval(result, interval, showsVisits);
}

/**
 * Reads the hours of a single day, to draw them in place of one bar. They are an extra: undefined for other answers, where the
 * source has no hours, and if they cannot be read.
 */
export async function readDayHours(
  call: Call,
  { params, result }: { params: Record<string, unknown>; result: Record<string, unknown> },
  options: CallOptions,
): Promise<View["series"]> {
  const parsed = timeseries.answer.pick({ period: true }).safeParse(result);
  if (params.interval !== undefined || !parsed.success || parsed.data.period.days !== 1) return undefined;
  const { from, to, as_of } = parsed.data.period;
  const filter = readFilterInput(readFilter(params));
  const span = { site: String(params.site), today: as_of.slice(0, "2026-11-20".length), from, to };
  try {
    const all = { ...options, ...(filter && { filter }) };
    if (!(await call.offersHours?.(all))) return undefined;
    const series = await askSpan(call, hours, { interval: "hour" }, span, all);
    return hours.view(series, params as ParamsOf<typeof hours>).series;
  } catch {
    return undefined;
  }
}

function askHours(call: Call, params: Record<string, unknown>, options: QueryOptions) {
  const days = options.usesDefaultDays ? DEFAULT_HOUR_DAYS : Number(params.days);
  if (params.period === undefined && days > MAX_HOUR_DAYS) {
    throw createTooLongError("days", `must be from 1 to ${MAX_HOUR_DAYS} by hour`);
  }
  return askDays(call, hours, { ...params, days, interval: "hour" }, options);
}
