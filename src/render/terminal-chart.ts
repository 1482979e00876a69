import { addDays } from "../operations/days.ts";
import type { Series } from "../operations/view.ts";
import { drawColumn, drawSparkline } from "./block-graphics.ts";
import { findTop, OFF_SCALE } from "./chart-scale.ts";
import { paint, type Screen } from "./terminal-screen.ts";
import { measure, pad, wrap } from "./text-width.ts";
import { findLabels, groupFromEnd, MAX_DAYS, WEEK } from "./trend-axis.ts";

/** Terminal columns. A wider bar would not be easier to read. */
const MAX_BAR_WIDTH = 6;

/**
 * A series as a sparkline with its label, on one line or two, with bars as wide as the screen and `maxBarWidth` allow. Days that
 * are many, or more than the screen has columns, are shown by weeks.
 */
export function formatSparkline(series: Series, screen: Screen, maxBarWidth = MAX_BAR_WIDTH) {
  const { label, from, values, partial, interval } = series;
  const { bars, perBar } = groupIntoBars(series, screen.width);
  const shown = bars.map(({ value }) => value);
  const start = bars[0]?.name ?? from;
  const last = interval?.to ?? addDays(from, values.length - 1);
  const incomplete = interval ? "the last one incomplete" : "today so far";
  const span = start === last ? start : `${start} to ${dropShared(last, start)}`;
  const scale = describeOutliers(shown, screen) || `; highest: ${formatMost(shown, screen)}`;
  const mean = perBar > 1 ? `, means of ${perBar} ${interval?.name ?? "day"}s` : "";
  const text = `${label}${mean}, ${span}${partial ? `, ${incomplete}` : ""}${scale}`;
  const besides = screen.width - 2 - measure(text);
  const isOneLine = shown.length <= besides;
  const room = isOneLine ? besides : screen.width;
  const barWidth = Math.max(1, Math.min(maxBarWidth, Math.floor(room / shown.length)));
  const drawn = [...drawSparkline(shown)].map((bar) => bar.repeat(barWidth));
  const end = drawn.length - Number(partial);
  const [complete, today] = [drawn.slice(0, end), drawn.slice(end)].map((some) => some.join(""));
  const line = paint(screen, "cyan", complete ?? "") + paint(screen, "dim", today ?? "");
  return isOneLine ? [`${line}  ${text}`] : [...wrap(text, screen.width).split("\n"), line];
}

/** A series in words, for who wants no picture. */
export function formatSeries({ label, from, values, partial, interval }: Series, { locale }: Screen): string {
  const numbers = new Intl.NumberFormat(locale);
  const counts = values.map((value) => (value === null ? "–" : numbers.format(value)));
  return `${label} from ${from}: ${counts.join(" ")}${partial ? ` (${interval ? "the last one incomplete" : "today so far"})` : ""}`;
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
  /** Its first day or hour. */
  name: string;
  /** Null if there is no data. */
  value: number | null;
  partial: boolean;
}

/** A series as a bar chart with axes. If there are more days than columns, or too many to see weeks, several share a bar, as their mean. */
export function formatChart(series: Series, screen: Screen, height: number): string[] {
  const numbers = new Intl.NumberFormat(screen.locale);
  const margin = measure(numbers.format(niceTop(findTop(series.values)))) + 2;
  const room = Math.max(10, screen.width - margin);
  const { bars, perBar } = groupIntoBars(series, room);
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
  const label = wrap(formatLabel(series, perBar) + describeOutliers(heights, screen), screen.width);
  const { axis, names } = drawAxis(bars, nameBars(bars, series, perBar, screen.locale), barWidth, room);
  const foot = paint(screen, "dim", `${pad("0", margin - 2, "right")} └${axis}`);
  return [...label.split("\n"), ...lines, foot, " ".repeat(margin) + names];
}

/** How many points share a bar: whole weeks of days, and of hours parts of a day or whole days. */
function countPerBar({ values, interval }: Series, room: number): number {
  const fits = (size: number) => Math.ceil(values.length / size) + 1 <= room;
  const isLong = interval === undefined && values.length > MAX_DAYS;
  if (values.length <= room && !isLong) return 1;
  if (interval?.name === "hour") return [2, 3, 4, 6, 8, 12].find(fits) ?? multiply(24, fits);
  return multiply(interval === undefined ? WEEK : 1, fits);
}

function multiply(size: number, fits: (size: number) => boolean): number {
  let times = 1;
  while (!fits(size * times)) times++;
  return size * times;
}

/** The bars of a series. An incomplete last point is always alone. */
function groupIntoBars(series: Series, room: number): { bars: Bar[]; perBar: number } {
  const { values, partial } = series;
  const perBar = countPerBar(series, room);
  const points = values.map((value, index) => ({ value, name: nameOf(series, index) }));
  const complete = partial ? points.slice(0, -1) : points;
  const groups =
    series.interval?.name === "hour" && perBar > 1
      ? groupHours(complete, perBar)
      : groupFromEnd(complete, perBar);
  const bars = groups.map((group): Bar => {
    const days = listKnown(group.map(({ value }) => value));
    const mean = days.length === 0 ? null : days.reduce((sum, value) => sum + value, 0) / days.length;
    return { name: group[0]?.name ?? "", value: mean, partial: false };
  });
  const last = points.at(-1);
  return { bars: partial && last ? [...bars, { ...last, partial: true }] : bars, perBar };
}

/** Groups hours as the clock does, so that a bar has the same hours on each day. */
function groupHours<P extends { name: string }>(hours: readonly P[], perBar: number): P[][] {
  const groups = new Map<number, P[]>();
  for (const hour of hours) {
    const key = Math.floor(Date.parse(`${hour.name.replace(" ", "T")}Z`) / HOUR_MS / perBar);
    groups.set(key, [...(groups.get(key) ?? []), hour]);
  }
  return [...groups.values()];
}

const HOUR_MS = 3_600_000;

/** The first day or hour of a point. */
const nameOf = ({ from, interval }: Series, index: number) => interval?.starts[index] ?? addDays(from, index);

function formatLabel({ label, partial, partialStart, interval }: Series, perBar: number): string {
  const mean = perBar > 1 ? `, each bar the mean of ${perBar} ${interval?.name ?? "day"}s` : "";
  const bars = [...(partialStart ? ["first"] : []), ...(partial ? ["last"] : [])].join(" and ");
  const are = partialStart && partial ? "bars are" : "bar is";
  return `${label}${mean}${bars === "" ? "" : `; the ${bars} ${are} ${interval ? "incomplete" : "today so far"}`}`;
}

/** An hour without its date, or without its year, if it has the same as another. A day stays whole. */
function dropShared(hour: string, other: string): string {
  const [date = "", clock] = hour.split(" ");
  if (clock === undefined) return hour;
  if (other.startsWith(date)) return clock;
  return other.startsWith(date.slice(0, "2026-".length)) ? hour.slice("2026-".length) : hour;
}

/** The labels that bars could have, and whose bars have one. */
interface Names {
  texts: string[];
  /** @param fitting How many labels fit. */
  choose: (fitting: number) => number[];
}

/** The names of bars: days, times of day with the day where it begins, or months. January has its year, unless it is the first. */
function nameBars(bars: readonly Bar[], { interval }: Series, perBar: number, locale: string): Names {
  const format = (options: Intl.DateTimeFormatOptions) => {
    const dates = new Intl.DateTimeFormat(locale, { ...options, timeZone: "UTC" });
    return (name: string) => dates.format(Date.parse(name.slice(0, "2026-11-20".length)));
  };
  const [month, day] = [format({ month: "short" }), format({ month: "short", day: "numeric" })];
  const names = bars.map(({ name }) => name);
  // Answers within a minute have the same name.
  const every = (fitting: number) => {
    const changes = [...names.keys()].filter((index) => names[index] !== names[index - 1]);
    const stride = Math.ceil(changes.length / fitting);
    return changes.filter((_, index) => index % stride === 0);
  };
  const nameMonth = (name: string, index: number) =>
    index > 0 && name.slice(5, 7) === "01" ? name.slice(0, 4) : month(name);
  if (interval?.name === "month") return { texts: names.map(nameMonth), choose: every };
  if (interval?.name === "week") return { texts: names.map(day), choose: every };
  if (interval?.name === "hour" && perBar < 24) {
    const texts = names.map((name, index) =>
      index === 0 || name.endsWith("00:00") ? day(name) : name.slice("2026-11-20 ".length),
    );
    const midnights = names.flatMap((name, index) => (name.endsWith("00:00") ? [index] : []));
    const isShort = midnights.length < 2;
    return {
      texts,
      choose: (fitting) =>
        isShort || fitting > 2 * midnights.length
          ? findLabels(names, "hour", fitting)
          : midnights.filter((_, index) => index % Math.ceil(midnights.length / fitting) === 0),
    };
  }
  if (interval !== undefined && interval.name !== "hour") return { texts: names, choose: every };
  if (interval === undefined && perBar > 1)
    return { texts: names.map(nameMonth), choose: (fitting) => findLabels(names, "week", fitting) };
  return { texts: names.map(day), choose: (fitting) => findLabels(names, "day", fitting) };
}

/** The axis, with a tick at each bar that has a label and a gap below bars without data, and the line of labels. */
function drawAxis(bars: readonly Bar[], { texts, choose }: Names, barWidth: number, room: number) {
  const widest = Math.max(...texts.map(measure)) + 1;
  const labelled = choose(Math.max(1, Math.floor((barWidth * bars.length + 1) / widest)));
  const ticks = new Set<number>();
  let names = "";
  for (const index of labelled) {
    const name = texts[index] ?? "";
    const start = Math.min(index * barWidth, room - measure(name));
    if (start < 0 || (names !== "" && measure(names) >= start)) continue;
    names = pad(names, start, "left") + name;
    ticks.add(index);
  }
  const axis = bars
    .map(({ value }, index) =>
      (ticks.has(index) ? "┬" : value === null ? " " : "─").padEnd(barWidth, value === null ? " " : "─"),
    )
    .join("");
  return { axis, names };
}

/** The smallest round number that is not below the value and whose half is round too. */
function niceTop(value: number): number {
  if (value <= 2) return 2;
  const power = 10 ** Math.floor(Math.log10(value));
  const steps = power === 1 ? [2, 4, 6, 8] : [1, 1.2, 1.6, 2, 3, 4, 5, 6, 8];
  return Math.round((steps.find((step) => step * power >= value) ?? 10) * power);
}

const isMiddle = (row: number, height: number) => height >= 4 && row === Math.floor(height / 2);
