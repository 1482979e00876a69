// @ts-check
/** @import { Format } from "./format.js" */
/** @import { Day, Measure } from "./trend-days.js" */
import { svg } from "./elements.js";
import { findLabelled, findTicks } from "./scale.js";
import { listBefore } from "./trend-days.js";
import { summarize } from "./trend-text.js";

const MARGIN = { top: 14, right: 8, bottom: 26, beside: 10 };
/** Width of a day's label, with the space around it. */
const LABEL_ROOM = 72;

/**
 * Draws a line over a filled area, starting at zero, and a thin one for the span before. The element must be in the page,
 * because its current width counts. An incomplete last day is a hollow point at the end of a dotted line.
 * @param {HTMLElement} plot
 * @param {Day[]} days
 * @param {Measure} measure
 * @param {Format} format
 */
export function drawTrend(plot, days, measure, format) {
  const width = plot.clientWidth;
  const height = Math.round(Math.min(240, Math.max(160, width * 0.3)));
  const last = days.length - 1;
  const before = listBefore(days);
  const ticks = findTicks(Math.max(0, ...[...days, ...before].map(({ count }) => count)));
  const top = ticks.at(-1) ?? 1;
  const base = height - MARGIN.bottom;
  const toY = (/** @type {number} */ count) => base - (count / top) * (base - MARGIN.top);

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
  const toX = (/** @type {number} */ index) =>
    last === 0 ? (left + right) / 2 : left + (index / last) * (right - left);
  const place = (/** @type {{ count: number }} */ { count }, /** @type {number} */ index) =>
    /** @type {const} */ ([toX(index), toY(count)]);
  const [points, pointsBefore] = [days.map(place), before.map(place)];

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
    ...findLabelled(days.length, fitting).map((index) => {
      const name = format.day(days[index]?.name ?? "");
      const atEnd = index === last && last > 0;
      return text(name, atEnd ? width : toX(index), height - 6, atEnd ? "end" : "middle");
    }),
    ...drawArea(points, days.at(-1)?.open === true, base),
    // Over the area, under the line.
    ...(pointsBefore.length > 1 ? [svg("path", { class: "stroke before", d: join(pointsBefore) })] : []),
    ...drawLine(points, days.at(-1)?.open === true),
    cursor,
  );
  return {
    /** @param {number} x from the plot's left edge */
    nearest: (x) => Math.min(last, Math.max(0, Math.round(((x - left) / (right - left)) * last))),
    toX,
    /** @param {number | undefined} index */
    mark: (index) => {
      cursor.setAttribute("visibility", index === undefined ? "hidden" : "visible");
      if (index === undefined) return;
      const [rule, ...dots] = [...cursor.children];
      for (const name of ["x1", "x2"]) rule?.setAttribute(name, String(toX(index)));
      for (const [which, place] of [pointsBefore[index], points[index]].entries()) {
        const [x, y] = place ?? [];
        dots[which]?.setAttribute("visibility", place ? "inherit" : "hidden");
        for (const [name, value] of Object.entries({ cx: x, cy: y }))
          dots[which]?.setAttribute(name, String(value ?? 0));
      }
    },
  };
}

/** @typedef {readonly [x: number, y: number]} Place */

/** @param {Place[]} points */
const join = (points) => `M${points.map(([x, y]) => `${x} ${y}`).join("L")}`;

/** @param {Place[]} points @param {boolean} open whether the last day is incomplete */
const listComplete = (points, open) => (open ? points.slice(0, -1) : points);

/** @param {Place[]} points @param {boolean} open @param {number} base */
function drawArea(points, open, base) {
  const complete = listComplete(points, open);
  const [first, last] = [complete[0], complete.at(-1)];
  if (!first || !last || complete.length === 1) return [];
  return [svg("path", { class: "area", d: `${join([[first[0], base], ...complete, [last[0], base]])}Z` })];
}

/** @param {Place[]} points @param {boolean} open */
function drawLine(points, open) {
  const end = points.at(-1);
  if (!end) return [];
  const complete = listComplete(points, open);
  return [
    ...(complete.length > 1 ? [svg("path", { class: "stroke", d: join(complete) })] : []),
    ...(open && points.length > 1 ? [svg("path", { class: "stroke open", d: join(points.slice(-2)) })] : []),
    // A single complete day before an open one has no line, so it gets a point.
    ...(open && complete.length === 1 ? [dot(complete[0] ?? end, false)] : []),
    dot(end, open),
  ];
}

/** @param {Place} place @param {boolean} open */
const dot = ([x, y], open) => svg("circle", { class: open ? "day open" : "day", cx: x, cy: y, r: 4 });

/** @param {string} words @param {number} x @param {number} y @param {string} anchor */
const text = (words, x, y, anchor) => svg("text", { class: "tick", x, y, "text-anchor": anchor }, words);
