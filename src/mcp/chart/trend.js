// @ts-check
/** @import { Format } from "./format.js" */
import { heading, html } from "./elements.js";
import { addDays } from "./format.js";
import { drawTrend } from "./trend-svg.js";
import { buildTable, describeDay, describeMost } from "./trend-text.js";

const WEEK = 7;

/**
 * Visitors per day: a chart that people explore day by day with pointer or keyboard, and a table.
 * @param {{ from: string, visitors: number[] }} trend
 * @param {boolean} partial whether the last day is incomplete
 * @param {Format} format
 */
export function createTrend(trend, partial, format) {
  const last = trend.visitors.length - 1;
  const days = trend.visitors.map((visitors, index) => ({
    visitors,
    name: addDays(trend.from, index),
    open: partial && index === last,
  }));
  const readout = html("output", { class: "remark", "aria-live": "polite" });
  const plot = html("div", {
    class: "plot",
    tabindex: 0,
    // In an application, screen readers pass the arrow keys on.
    role: "application",
    "aria-roledescription": "chart",
    "aria-label": "Visitors per day. Use the arrow keys, Home and End to move from day to day.",
  });
  /** @type {ReturnType<typeof drawTrend> | undefined} */
  let picture;
  /** @type {number | undefined} */
  let selected;

  const select = (/** @type {number | undefined} */ index) => {
    selected = index;
    const day = index === undefined ? undefined : days[index];
    readout.replaceChildren(...(day ? describeDay(day, format) : describeMost(days, format)));
    picture?.mark(index);
  };
  select(undefined);

  plot.addEventListener("keydown", (event) => {
    if (event.key === "Escape") return select(undefined);
    const target = findTarget(event.key, selected ?? last, last);
    if (target === undefined) return;
    event.preventDefault();
    select(Math.min(last, Math.max(0, target)));
  });
  plot.addEventListener("focus", () => select(selected ?? last));
  plot.addEventListener("blur", () => select(undefined));
  // Announce a day only once while the pointer moves over it.
  const hover = (/** @type {number | undefined} */ index) => {
    if (index !== selected) select(index);
  };
  const point = (/** @type {PointerEvent} */ event) =>
    hover(picture?.nearest(event.clientX - plot.getBoundingClientRect().left));
  plot.addEventListener("pointermove", point);
  plot.addEventListener("pointerdown", point);
  plot.addEventListener("pointerleave", () => {
    if (document.activeElement !== plot) select(undefined);
  });

  let drawnWidth = -1;
  return {
    element: html(
      "figure",
      {},
      heading("figcaption", "Visitors per day", readout),
      plot,
      buildTable(days, format),
    ),
    /** Call it once the element is in the page, and when its width may have changed. A hidden element has no width. */
    resize: () => {
      if (plot.clientWidth === 0 || plot.clientWidth === drawnWidth) return;
      drawnWidth = plot.clientWidth;
      picture = drawTrend(plot, days, format);
      picture.mark(selected);
    },
  };
}

/** @param {string} key @param {number} at @param {number} last */
function findTarget(key, at, last) {
  switch (key) {
    case "ArrowLeft":
      return at - 1;
    case "ArrowRight":
      return at + 1;
    case "PageUp":
      return at - WEEK;
    case "PageDown":
      return at + WEEK;
    case "Home":
      return 0;
    case "End":
      return last;
    default:
      return undefined;
  }
}
