import { addDays } from "./days.ts";
import type { Series } from "./view.ts";
import { readDataStart, type Warning } from "./warning.ts";

/** A series to draw from its first day with data on: what is before it is no gap. */
export function beginWithData(series: Series, warnings: readonly Warning[] | undefined): Series {
  const since = readDataStart(warnings);
  if (!since) return series;
  const { from, values, interval } = series;
  const starts = interval?.starts ?? values.map((_, index) => addDays(from, index));
  const isBefore = starts.map((start, index) => {
    // A week or a month ends before the next one begins.
    const next = starts[index + 1];
    return interval?.name === "hour"
      ? start.slice(0, since.length) < since
      : next !== undefined && next <= since;
  });
  const first = isBefore.indexOf(false);
  if (first <= 0) return series;
  const kept = starts.slice(first);
  return {
    ...series,
    from: kept[0] ?? from,
    values: values.slice(first),
    cut: first,
    ...(interval && { interval: { ...interval, starts: kept } }),
  };
}
