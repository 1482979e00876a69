import { svg } from "./elements.ts";
import type { Format } from "./format.ts";
import { type Day, type DayCount, listBefore, type Measure, unitOf } from "./trend-days.ts";
import { summarize } from "./trend-text.ts";

const MARGIN = { top: 14, right: 8, bottom: 26, beside: 10 };
/** Width of a day's label, with the space around it. */
const LABEL_ROOM = 72;

type Point = readonly [x: number, y: number];

/**
 * Draws a line over a filled area, starting at zero, and a thin one for the span before. The element must be in the page,
 * because its current width counts. An incomplete last day is a hollow point at the end of a dotted line.
 */
export function drawTrend(plot: HTMLElement, days: Day[], measure: Measure, format: Format) {
  const width = plot.clientWidth;
  const height = Math.round(Math.min(240, Math.max(160, width * 0.3)));
  const last = days.length - 1;
  const isOpen = days.at(-1)?.open === true;
  const before = listBefore(days);
  const ticks = findTicks(Math.max(0, ...[...days, ...before].map(({ count }) => count)));
  const top = ticks.at(-1) ?? 1;
  const base = height - MARGIN.bottom;
  const toY = (count: number) => base - (count / top) * (base - MARGIN.top);

  const picture = svg("svg", {
    width,
    height,
    viewBox: `0 0 ${width} ${height}`,
    role: "img",
    "aria-label": summarize(days, measure, format),
  });
  // Paper has another width, and the style sheet keeps the size of the text there.
  picture.style.setProperty("--drawn", String(width));
  plot.replaceChildren(picture);
  const names = ticks.map((tick) => text(format.tick(tick), 0, toY(tick), "end"));
  for (const name of names) name.setAttribute("dy", "0.35em");
  picture.append(...names);
  // Only drawn text shows how wide a number is in this font and locale.
  const room = Math.ceil(Math.max(...names.map((name) => name.getComputedTextLength())));
  for (const name of names) name.setAttribute("x", String(room));

  const [left, right] = [room + MARGIN.beside, width - MARGIN.right];
  const toX = (index: number) => (last === 0 ? (left + right) / 2 : left + (index / last) * (right - left));
  const place = ({ count }: DayCount, index: number): Point => [toX(index), toY(count)];
  const [points, pointsBefore] = [days.map(place), before.map(place)];

  const runs = cutAtGaps(points, days);
  const end = points.at(-1) ?? [0, 0];
  const fitting = Math.max(1, Math.floor((right - left) / LABEL_ROOM));
  const cursor = svg(
    "g",
    { class: "cursor", visibility: "hidden" },
    svg("line", { class: "rule", y1: MARGIN.top, y2: base }),
    svg("circle", { class: "point before", r: 3.5 }),
    svg("circle", { class: "point", r: 4.5 }),
  );
  picture.append(
    ...ticks.map((tick) =>
      svg("line", { class: tick === 0 ? "base" : "grid", x1: left, x2: right, y1: toY(tick), y2: toY(tick) }),
    ),
    ...findLabelled(days, fitting).map((index) => {
      const name = format.day(days[index]?.name ?? "");
      const atEnd = index === last && last > 0;
      return text(name, atEnd ? width : toX(index), height - 6, atEnd ? "end" : "middle");
    }),
    ...runs.flatMap((run) => drawArea(run, isOpen && run.includes(end), base)),
    // Over the area, under the line.
    ...(pointsBefore.length > 1 ? [svg("path", { class: "stroke before", d: join(pointsBefore) })] : []),
    ...runs.flatMap((run) => drawLine(run, isOpen && run.includes(end), run.includes(end))),
    cursor,
  );
  return {
    /** @param x From the plot's left edge. */
    nearest: (x: number) => Math.min(last, Math.max(0, Math.round(((x - left) / (right - left)) * last))),
    toX,
    mark: (index: number | undefined) => {
      cursor.setAttribute("visibility", index === undefined ? "hidden" : "visible");
      if (index === undefined) return;
      const [rule, ...dots] = [...cursor.children];
      for (const name of ["x1", "x2"]) rule?.setAttribute(name, String(toX(index)));
      for (const [which, point] of [
        pointsBefore[index],
        days[index]?.missing ? undefined : points[index],
      ].entries()) {
        const [x = 0, y = 0] = point ?? [];
        dots[which]?.setAttribute("visibility", point ? "inherit" : "hidden");
        dots[which]?.setAttribute("cx", String(x));
        dots[which]?.setAttribute("cy", String(y));
      }
    },
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

const STRIDES = { day: [1, 2, 7, 14, 28, 56], hour: [1, 2, 3, 6, 12] };

/**
 * Which days get a label: the last one, and earlier ones at intervals that leave room for each label. Longer intervals
 * are whole weeks, so that all labels are on the same weekday. Of hours, it is the first one and later ones.
 *
 * @param fitting How many labels fit.
 */
function findLabelled(days: Day[], fitting: number): number[] {
  const unit = unitOf(days);
  const stride = STRIDES[unit].find((length) => Math.ceil(days.length / length) <= fitting) ?? days.length;
  const last = unit === "hour" ? 0 : days.length - 1;
  return [...days.keys()].filter((index) => (index - last) % stride === 0);
}

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

function drawArea(points: Point[], isOpen: boolean, base: number): SVGElement[] {
  const complete = listComplete(points, isOpen);
  const [first, last] = [complete[0], complete.at(-1)];
  if (!first || !last || complete.length === 1) return [];
  return [svg("path", { class: "area", d: `${join([[first[0], base], ...complete, [last[0], base]])}Z` })];
}

/** @param isLast Whether it ends with the last day, which has a point. */
function drawLine(points: Point[], isOpen: boolean, isLast: boolean): SVGElement[] {
  const end = points.at(-1);
  if (!end) return [];
  const complete = listComplete(points, isOpen);
  return [
    ...(complete.length > 1 ? [svg("path", { class: "stroke", d: join(complete) })] : []),
    ...(isOpen && points.length > 1
      ? [svg("path", { class: "stroke open", d: join(points.slice(-2)) })]
      : []),
    // A single complete day before an open one has no line, so it gets a point.
    ...(isOpen && complete.length === 1 ? [dot(complete[0] ?? end, false)] : []),
    ...(isLast || points.length === 1 ? [dot(end, isOpen)] : []),
  ];
}

const dot = ([x, y]: Point, isOpen: boolean) =>
  svg("circle", { class: isOpen ? "day open" : "day", cx: x, cy: y, r: 4 });

const text = (words: string, x: number, y: number, anchor: string) =>
  svg("text", { class: "tick", x, y, "text-anchor": anchor }, words);
