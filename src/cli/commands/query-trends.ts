import type { Call, CallOptions } from "../../operations/call.ts";
import { timeseries } from "../../operations/index.ts";
import { drawSparkline } from "../../render/block-graphics.ts";
import type { Screen } from "../../render/terminal-screen.ts";
import type { Answer } from "../../reports/query.ts";

const TREND_DAYS = 14;
/** One request each: more would use up much of the service's quota per minute. */
const MAX_TRENDS = 40;
const TREND_TIMEOUT_MS = 5_000;

/**
 * Adds each site's visitors of the last 14 days, as a number and a sparkline. They are an extra: a series that fails or is
 * late leaves its cells empty.
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
  const series = await Promise.all(
    view.rows.map(async (row, index) => {
      if (index >= MAX_TRENDS) return undefined;
      return readTrend(call, readSite(row), { signal }).catch(() => undefined);
    }),
  );
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
  return { counts, ...(addUp && known.length > 0 && { visitors: sum }) };
}
