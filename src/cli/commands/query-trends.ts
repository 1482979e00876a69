import type { Call, CallOptions } from "../../operations/call.ts";
import { timeseries } from "../../operations/index.ts";
import { drawSparkline } from "../../render/block-graphics.ts";
import type { Screen } from "../../render/terminal-screen.ts";
import { NO_SUMS } from "../../reports/added-days.ts";
import type { Answer } from "../../reports/query.ts";
import { readDayHours } from "../../reports/series-answer.ts";
import { warnOfFailures } from "../../reports/site-list-answer.ts";

const TREND_DAYS = 14;
/** One request each: more would use up much of the service's quota per minute. */
const MAX_TRENDS = 40;
const TREND_TIMEOUT_MS = 5_000;
const LATE = new Error(`They took longer than ${TREND_TIMEOUT_MS / 1000} seconds.`);

/**
 * Adds each site's visitors of the last 14 days, as a number and a sparkline. They are an extra: a series that fails or is
 * late leaves its cells empty, with the reason below.
 */
export async function addTrends(
  call: Call,
  answer: Answer,
  readSite: (row: Record<string, unknown>) => string,
  { pictures }: Screen,
): Promise<void> {
  const [view] = answer.views;
  if (!view) return;
  const signal = AbortSignal.timeout(TREND_TIMEOUT_MS);
  const failures: { domain: string; error: unknown }[] = [];
  const series = await Promise.all(
    view.rows.map(async (row, index) => {
      if (index >= MAX_TRENDS) return undefined;
      return readTrend(call, readSite(row), { signal }).catch((error: unknown) => {
        failures.push({ domain: String(row.domain), error: signal.aborted ? LATE : error });
        return undefined;
      });
    }),
  );
  view.warnings = [
    ...(view.warnings ?? []),
    ...warnOfFailures(failures).map(({ detail }) => detail),
    ...(series.some((one) => one?.addUp === false) ? [`${TREND_DAYS} days have no total: ${NO_SUMS}.`] : []),
  ];
  view.columns.push({ key: "visitors", label: `visitors, ${TREND_DAYS} days`, kind: "count" });
  if (pictures) view.columns.push({ key: "trend", label: "to today", kind: "time", spare: true });
  view.rows = view.rows.map((row, index) => {
    const { counts, visitors = null } = series[index] ?? {};
    return { ...row, visitors, trend: counts ? drawSparkline(counts) : "" };
  });
}

/** The visitors of each day, and of all days where they can be added up. */
async function readTrend(call: Call, site: string, options: CallOptions) {
  const [{ points }, addUp = true] = await Promise.all([
    call(timeseries, { site, days: TREND_DAYS }, options),
    call.addsUp?.(site, TREND_DAYS, options),
  ]);
  const counts = points.map(({ visitors, missing }) => (missing ? null : visitors));
  const known = counts.filter((count) => count !== null);
  const sum = known.reduce((total, count) => total + count, 0);
  // Nobody knows that there were none on days without data.
  return { counts, addUp, ...(addUp && known.length > 0 && { visitors: sum }) };
}

/** Draws the hours of a single day, whose row alone would have no picture. */
export async function addHours(call: Call, answer: Answer): Promise<void> {
  const series = await readDayHours(call, answer, { signal: AbortSignal.timeout(TREND_TIMEOUT_MS) });
  const [view] = answer.views;
  if (view && series) view.series = series;
}
