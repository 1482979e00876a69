import { addDays } from "../operations/days.ts";
import type { Series } from "../operations/view.ts";
import { drawColumn, drawSparkline } from "./block-graphics.ts";
import { findTop, OFF_SCALE } from "./chart-scale.ts";
import { paint, type Screen } from "./terminal-screen.ts";
import { measure, pad, wrap } from "./text-width.ts";

/** Terminal columns. A wider bar would not be easier to read. */
const MAX_BAR_WIDTH = 6;

/** A series as a sparkline with its label, on one line or two. If it is longer than the screen is wide, its end is shown. */
export function formatSparkline({ label, from, values, partial, interval }: Series, screen: Screen) {
  const shown = values.slice(-screen.width);
  const drawn = drawSparkline(shown);
  const end = drawn.length - Number(partial);
  const line = paint(screen, "cyan", drawn.slice(0, end)) + paint(screen, "dim", drawn.slice(end));
  const hidden = values.length - shown.length;
  const start = interval?.starts[hidden] ?? addDays(from, hidden);
  const last = interval?.to ?? addDays(from, values.length - 1);
  const incomplete = interval ? "the last one incomplete" : "today so far";
  const span = start === last ? start : `${start} to ${dropShared(last, start)}`;
  const scale = describeOutliers(shown, screen) || `; at most ${formatMost(shown, screen)}`;
  const text = `${label}, ${span}${partial ? `, ${incomplete}` : ""}${scale}`;
  if (shown.length + 2 + measure(text) <= screen.width) return [`${line}  ${text}`];
  return [...wrap(text, screen.width).split("\n"), line];
}

/** Explains the arrows in a picture. */
function describeOutliers(values: readonly (number | null)[], screen: Screen): string {
  const top = findTop(values);
  const outliers = values.filter((value) => value !== null && value > top);
  if (outliers.length === 0) return "";
  return `; ${OFF_SCALE} is off the scale: ${outliers.length > 1 ? "up to " : ""}${formatMost(outliers, screen)}`;
}

const formatMost = (values: readonly (number | null)[], { locale }: Screen) =>
  new Intl.NumberFormat(locale, { maximumFractionDigits: 0 }).format(Math.max(0, ...listKnown(values)));

const listKnown = (values: readonly (number | null)[]) => values.filter((value) => value !== null);

interface Bar {
  /** Null if there is no data. */
  value: number | null;
  partial: boolean;
}

/** A series as a bar chart with axes. If there are more days than columns, several days share a bar, as their mean. */
export function formatChart(series: Series, screen: Screen, height: number): string[] {
  const numbers = new Intl.NumberFormat(screen.locale);
  const margin = measure(numbers.format(niceTop(findTop(series.values)))) + 2;
  const room = Math.max(10, screen.width - margin);
  // Today always has a separate bar, because its count is not complete.
  const today = Number(series.partial);
  const daysPerBar = Math.max(1, Math.ceil((series.values.length - today) / (room - today)));
  const bars = groupIntoBars(series, daysPerBar);
  const heights = bars.map(({ value }) => value);
  const most = niceTop(findTop(heights));
  const barWidth = Math.min(MAX_BAR_WIDTH, Math.max(1, Math.floor(room / bars.length)));
  const gap = barWidth > 2 ? 1 : 0;
  const columns = bars.map((bar) => ({ bar, cells: drawColumn(bar.value ?? 0, most, height) }));
  const lines = Array.from({ length: height }, (_, row) => {
    const label = row === 0 ? numbers.format(most) : isMiddle(row, height) ? numbers.format(most / 2) : "";
    const axis = label === "" ? "│" : "┤";
    const draw = (partial: boolean) =>
      columns
        .filter(({ bar }) => bar.partial === partial)
        .map(({ cells }) => (cells[row] ?? " ").repeat(barWidth - gap) + " ".repeat(gap))
        .join("");
    const [complete, today] = [draw(false), draw(true).trimEnd()];
    const axisWithLabel = paint(screen, "dim", `${pad(label, margin - 2, "right")} ${axis}`);
    return (
      axisWithLabel +
      paint(screen, "cyan", today === "" ? complete.trimEnd() : complete) +
      paint(screen, "dim", today)
    );
  });
  const span = barWidth * bars.length;
  const foot = paint(screen, "dim", `${pad("0", margin - 2, "right")} └${"─".repeat(span)}`);
  const label = wrap(formatLabel(series, daysPerBar) + describeOutliers(heights, screen), screen.width).split(
    "\n",
  );
  const dates =
    series.interval?.name === "month" && daysPerBar === 1
      ? formatMonths(series.interval.starts, barWidth, { ...screen, width: room })
      : formatDates(series, span);
  return [...label, ...lines, foot, " ".repeat(margin) + dates];
}

/** Averages the days of each bar. Counts from the end, so that only the oldest bar can have fewer days. */
function groupIntoBars({ values, partial }: Series, daysPerBar: number): Bar[] {
  const complete = partial ? values.slice(0, -1) : values;
  const bars: Bar[] = [];
  for (let end = complete.length; end > 0; end -= daysPerBar) {
    const days = listKnown(complete.slice(Math.max(0, end - daysPerBar), end));
    const mean = days.length === 0 ? null : days.reduce((sum, value) => sum + value, 0) / days.length;
    bars.unshift({ value: mean, partial: false });
  }
  return partial ? [...bars, { value: values.at(-1) ?? 0, partial: true }] : bars;
}

function formatLabel({ label, partial, interval }: Series, daysPerBar: number): string {
  const mean = daysPerBar > 1 ? `, each bar the mean of ${daysPerBar} ${interval?.name ?? "day"}s` : "";
  return `${label}${mean}${partial ? `; the last bar is ${interval ? "incomplete" : "today so far"}` : ""}`;
}

function formatDates({ from, values, interval }: Series, width: number): string {
  const last = interval?.to ?? addDays(from, values.length - 1);
  if (from === last) return from;
  if (width < 2 * from.length + 1) return `${from} to ${dropShared(last, from)}`;
  return from + pad(last, width - from.length, "right");
}

/** An hour without its date, or without its year, if it has the same as another. A day stays whole. */
function dropShared(hour: string, other: string): string {
  const [date = "", clock] = hour.split(" ");
  if (clock === undefined) return hour;
  if (other.startsWith(date)) return clock;
  return other.startsWith(date.slice(0, "2026-".length)) ? hour.slice("2026-".length) : hour;
}

/** The names of months below their bars, of as many as there is room for. January has its year, unless it is the first. */
function formatMonths(starts: readonly string[], barWidth: number, { width, locale }: Screen): string {
  const months = new Intl.DateTimeFormat(locale, { month: "short", timeZone: "UTC" });
  const names = starts.map((start, index) =>
    index > 0 && start.slice(5, 7) === "01" ? start.slice(0, 4) : months.format(Date.parse(start)),
  );
  const stride = Math.ceil((Math.max(...names.map(measure)) + 1) / barWidth);
  return names
    .filter((name, index) => index % stride === 0 && index * barWidth + measure(name) <= width)
    .map((name) => pad(name, stride * barWidth, "left"))
    .join("")
    .trimEnd();
}

/** The smallest round number that is not below the value and whose half is round too. */
function niceTop(value: number): number {
  if (value <= 2) return 2;
  const power = 10 ** Math.floor(Math.log10(value));
  const steps = power === 1 ? [2, 4, 6, 8] : [1, 1.2, 1.6, 2, 3, 4, 5, 6, 8];
  return Math.round((steps.find((step) => step * power >= value) ?? 10) * power);
}

const isMiddle = (row: number, height: number) => height >= 4 && row === Math.floor(height / 2);
