// @ts-check
/** @import { Format } from "./format.js" */
/** @import { Day } from "./trend-text.js" */
import { svg } from "./elements.js";
import { findLabelled, findTicks } from "./scale.js";
import { summarize } from "./trend-text.js";

const MARGIN = { top: 14, right: 8, bottom: 26, beside: 10 };
/** Width of a day's label, with the space around it. */
const LABEL_ROOM = 72;

/**
 * Draws a line over a filled area, starting at zero. The element must be in the page, because its current width counts.
 * An incomplete last day is a hollow point at the end of a dashed line.
 * @param {HTMLElement} plot
 * @param {Day[]} days
 * @param {Format} format
 */
export function drawTrend(plot, days, format) {
  const width = plot.clientWidth;
  const height = Math.round(Math.min(240, Math.max(160, width * 0.3)));
  const last = days.length - 1;
  const ticks = findTicks(Math.max(0, ...days.map((day) => day.visitors)));
  const top = ticks.at(-1) ?? 1;
  const base = height - MARGIN.bottom;
  const toY = (/** @type {number} */ visitors) => base - (visitors / top) * (base - MARGIN.top);

  const picture = svg("svg", { width, height, role: "img", "aria-label": summarize(days, format) });
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
  const place = (/** @type {number} */ index) =>
    /** @type {const} */ ([toX(index), toY(days[index]?.visitors ?? 0)]);

  const fitting = Math.max(1, Math.floor((right - left) / LABEL_ROOM));
  const cursor = svg(
    "g",
    { class: "cursor", visibility: "hidden" },
    svg("line", { class: "rule", y1: MARGIN.top, y2: base }),
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
    ...drawLine(days, place, base),
    cursor,
  );
  return {
    /** @param {number} x from the plot's left edge */
    nearest: (x) => Math.min(last, Math.max(0, Math.round(((x - left) / (right - left)) * last))),
    /** @param {number | undefined} index */
    mark: (index) => {
      cursor.setAttribute("visibility", index === undefined ? "hidden" : "visible");
      if (index === undefined) return;
      const [x, y] = place(index);
      const [rule, point] = [...cursor.children];
      for (const name of ["x1", "x2"]) rule?.setAttribute(name, String(x));
      for (const [name, value] of Object.entries({ cx: x, cy: y })) point?.setAttribute(name, String(value));
    },
  };
}

/**
 * @param {Day[]} days
 * @param {(index: number) => readonly [number, number]} place
 * @param {number} base
 */
function drawLine(days, place, base) {
  const points = days.map((_, index) => place(index));
  const end = points.at(-1);
  if (!end) return [];
  const open = days.at(-1)?.open === true;
  const complete = open ? points.slice(0, -1) : points;
  const path = complete.map(([x, y]) => `${x} ${y}`).join("L");
  const area = `M${complete[0]?.[0]} ${base}L${path}L${complete.at(-1)?.[0]} ${base}Z`;
  const tail = points.slice(-2).map(([x, y]) => `${x} ${y}`);
  return [
    ...(complete.length > 1
      ? [svg("path", { class: "area", d: area }), svg("path", { class: "stroke", d: `M${path}` })]
      : []),
    ...(open && tail.length > 1 ? [svg("path", { class: "stroke open", d: `M${tail.join("L")}` })] : []),
    // A single complete day before an open one has no line, so it gets a point.
    ...(open && complete.length === 1 ? [dot(complete[0] ?? end, false)] : []),
    dot(end, open),
  ];
}

/** @param {readonly [number, number]} place @param {boolean} open */
const dot = ([x, y], open) => svg("circle", { class: open ? "day open" : "day", cx: x, cy: y, r: 4 });

/** @param {string} words @param {number} x @param {number} y @param {string} anchor */
const text = (words, x, y, anchor) => svg("text", { class: "tick", x, y, "text-anchor": anchor }, words);
