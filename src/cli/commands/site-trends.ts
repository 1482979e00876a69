import type { Call } from "../../operations/call.ts";
import { timeseries } from "../../operations/index.ts";
import { drawSparkline } from "../../render/block-graphics.ts";
import type { Screen } from "../../render/terminal-screen.ts";
import type { Answer } from "../../reports/queries.ts";

const DAYS = 14;
/** One request each: more would use up much of the service's quota per minute. */
const MAX_SITES = 40;
const TIME_LIMIT_MS = 5_000;

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
  const signal = AbortSignal.timeout(TIME_LIMIT_MS);
  const series = await Promise.all(
    view.rows.map(async (row, index) => {
      if (index >= MAX_SITES) return undefined;
      return call(timeseries, { site: readSite(row), days: DAYS }, { signal }).catch(() => undefined);
    }),
  );
  view.columns.push({ key: "visitors", label: `visitors, ${DAYS} days`, kind: "count" });
  if (pictures) view.columns.push({ key: "trend", label: "", kind: "time" });
  view.rows = view.rows.map((row, index) => {
    const counts = series[index]?.points.map(({ visitors }) => visitors);
    if (!counts) return { ...row, visitors: null, trend: "" };
    return { ...row, visitors: counts.reduce((sum, each) => sum + each, 0), trend: drawSparkline(counts) };
  });
}
