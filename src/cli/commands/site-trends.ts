import type { Answer } from "../../insights/question.ts";
import type { Call } from "../../operations/call.ts";
import { timeseries } from "../../operations/index.ts";
import { drawSparkline } from "../../render/block-graphics.ts";
import type { Screen } from "../../render/terminal-screen.ts";

const DAYS = 14;
/** A request each: more would take a good part of what the service allows in a minute. */
const MOST_SITES = 40;
const TIME_LIMIT_MS = 5_000;

/**
 * Gives each site its visitors of the last fourteen days, as a number and a line. They are an extra: what does
 * not come in time, or at all, is left empty.
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
      if (index >= MOST_SITES) return undefined;
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
