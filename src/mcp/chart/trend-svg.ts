import { findLabels } from "../../render/trend-axis.ts";
import { html, type Tree } from "./elements.ts";
import type { Format } from "./format.ts";
import { type Day, type DayCount, listBefore, type Measure, unitOf } from "./trend-days.ts";
import { summarize } from "./trend-text.ts";

const MARGIN = { top: 14, right: 8, bottom: 26, beside: 10 };
/** Width of a day's label, with the space around it. */
const LABEL_ROOM = 72;

type Point = readonly [x: number, y: number];

/** Width of a digit of a number beside the plot. */
const DIGIT = 6.6;

/**
 * Draws a line over a filled area, starting at zero, and a thin one for the span before. An incomplete last day is a hollow
 * point at the end of a dotted line.
 *
 * @param width In pixels of CSS.
 */
export function drawTrend(width: number, days: Day[], measure: Measure, format: Format) {
  const height = Math.round(Math.min(unitOf(days) === "hour" ? 180 : 240, Math.max(160, width * 0.3)));
  const last = days.length - 1;
  const isOpen = days.at(-1)?.open === true;
  const before = listBefore(days);
  const ticks = findTicks(Math.max(0, ...[...days, ...before].map(({ count }) => count)));
  const top = ticks.at(-1) ?? 1;
  const base = height - MARGIN.bottom;
  const toY = (count: number) => base - (count / top) * (base - MARGIN.top);
  const names = format.ticks(ticks);
  const room = Math.ceil(DIGIT * Math.max(...names.map(({ length }) => length)));

  const [left, right] = [room + MARGIN.beside, width - MARGIN.right];
  const toX = (index: number) => (last === 0 ? (left + right) / 2 : left + (index / last) * (right - left));
  const place = ({ count }: DayCount, index: number): Point => [toX(index), toY(count)];
  const [points, pointsBefore] = [days.map(place), before.map(place)];

  const runs = cutAtGaps(points, days);
  const end = points.at(-1) ?? [0, 0];
  const named = days.map(({ name }) => name);
  const fitting = Math.max(1, Math.floor((right - left) / LABEL_ROOM));
  const picture = html(
    "svg",
    {
      width,
      height,
      viewBox: `0 0 ${width} ${height}`,
      role: "img",
      "aria-label": summarize(days, measure, format),
    },
    ...names.map((name, index) =>
      html(
        "text",
        { class: "tick", x: room, y: toY(ticks[index] ?? 0), dy: "0.35em", "text-anchor": "end" },
        name,
      ),
    ),
    ...findWeekends(days).map(([first, end]) => {
      const half = (right - left) / last / 2;
      const [start, stop] = [Math.max(left, toX(first) - half), Math.min(right, toX(end) + half)];
      return html("rect", {
        class: "weekend",
        x: start,
        width: stop - start,
        y: MARGIN.top,
        height: base - MARGIN.top,
      });
    }),
    ...ticks.map((tick) =>
      html("line", {
        class: tick === 0 ? "base" : "grid",
        x1: left,
        x2: right,
        y1: toY(tick),
        y2: toY(tick),
      }),
    ),
    ...findLabels(named, unitOf(days), fitting).map((index) => {
      const name = format[unitOf(days) === "week" ? "month" : "day"](named[index] ?? "");
      const atEnd = index === last && last > 0;
      return text(name, atEnd ? width : toX(index), height - 6, atEnd ? "end" : "middle");
    }),
    ...runs.flatMap((run) => drawArea(run, isOpen && run.includes(end), base)),
    // Over the area, under the line.
    ...(pointsBefore.length > 1 ? [html("path", { class: "stroke before", d: join(pointsBefore) })] : []),
    ...runs.flatMap((run) => drawLine(run, isOpen && run.includes(end), run.includes(end))),
    html(
      "g",
      { class: "cursor", visibility: "hidden" },
      html("line", { class: "rule", y1: MARGIN.top, y2: base }),
      html("circle", { class: "point before", r: 3.5 }),
      html("circle", { class: "point", r: 4.5 }),
    ),
  );
  return {
    picture,
    toX,
    /** @param x From the plot's left edge. */
    nearest: (x: number) => Math.min(last, Math.max(0, Math.round(((x - left) / (right - left)) * last))),
    /** Where a day's points are: of the span before, and its own. */
    pointsOf: (index: number) => [pointsBefore[index], days[index]?.missing ? undefined : points[index]],
  };
}

/** Round integers from 0 to at least `most`, in about four steps. */
function findTicks(most: number): number[] {
  const rough = Math.max(1, most / 4);
  const power = 10 ** Math.floor(Math.log10(rough));
  const steps = [1, 2, 2.5, 5, 10].map((factor) => factor * power);
  const step = steps.find((size) => size >= rough && Number.isInteger(size)) ?? 10 * power;
  const count = Math.max(1, Math.ceil(most / step));
  return Array.from({ length: count + 1 }, (_, index) => index * step);
}

/** The first and last point of each weekend, if the points are days. */
function findWeekends(days: Day[]): [number, number][] {
  if (unitOf(days) !== "day" || days.length < 3) return [];
  const saturdays = [...days.keys()].filter((index) => weekdayOf(days[index]) === 6);
  const sunday: [number, number][] = weekdayOf(days[0]) === 0 ? [[0, 0]] : [];
  return [
    ...sunday,
    ...saturdays.map((index): [number, number] => [index, Math.min(index + 1, days.length - 1)]),
  ];
}

const weekdayOf = (day: Day | undefined) => new Date(`${day?.name}T00:00:00Z`).getUTCDay();

/** The days between those of which there is no data: no line leads over them. */
function cutAtGaps(points: Point[], days: Day[]): Point[][] {
  const runs: Point[][] = [[]];
  for (const [index, point] of points.entries()) {
    if (days[index]?.missing) runs.push([]);
    else runs.at(-1)?.push(point);
  }
  return runs.filter((run) => run.length > 0);
}

const join = (points: Point[]) => `M${points.map(([x, y]) => `${x} ${y}`).join("L")}`;

/** @param isOpen Whether the last day is incomplete. */
const listComplete = (points: Point[], isOpen: boolean) => (isOpen ? points.slice(0, -1) : points);

function drawArea(points: Point[], isOpen: boolean, base: number): Tree[] {
  const complete = listComplete(points, isOpen);
  const [first, last] = [complete[0], complete.at(-1)];
  if (!first || !last || complete.length === 1) return [];
  return [html("path", { class: "area", d: `${join([[first[0], base], ...complete, [last[0], base]])}Z` })];
}

/** @param isLast Whether it ends with the last day, which has a point. */
function drawLine(points: Point[], isOpen: boolean, isLast: boolean): Tree[] {
  const end = points.at(-1);
  if (!end) return [];
  const complete = listComplete(points, isOpen);
  return [
    ...(complete.length > 1 ? [html("path", { class: "stroke", d: join(complete) })] : []),
    ...(isOpen && points.length > 1
      ? [html("path", { class: "stroke open", d: join(points.slice(-2)) })]
      : []),
    // A single complete day before an open one has no line, so it gets a point.
    ...(isOpen && complete.length === 1 ? [dot(complete[0] ?? end, false)] : []),
    ...(isLast || points.length === 1 ? [dot(end, isOpen)] : []),
  ];
}

const dot = ([x, y]: Point, isOpen: boolean) =>
  html("circle", { class: isOpen ? "day open" : "day", cx: x, cy: y, r: 4 });

const text = (words: string, x: number, y: number, anchor: string) =>
  html("text", { class: "tick", x, y, "text-anchor": anchor }, words);
