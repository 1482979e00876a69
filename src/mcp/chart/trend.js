// @ts-check
/** @import { Format } from "./format.js" */
/** @import { Overview } from "./shapes.js" */
/** @import { Measure } from "./trend-days.js" */
import { html, own } from "./elements.js";
import { findMeasures, listBefore, MEASURES, readDays } from "./trend-days.js";
import { drawTrend } from "./trend-svg.js";
import { buildTable, describeDay, describeMost, readSpan } from "./trend-text.js";

const WEEK = 7;
/** Between the tooltip and the day it describes. */
const TIP_GAP = 12;

/**
 * A measure per day over the span before: a chart that people explore day by day with pointer or keyboard, and a table.
 * @param {Overview["trend"]} trend
 * @param {Format} format
 */
export function createTrend(trend, format) {
  const measures = findMeasures(trend);
  /** @type {Measure} */
  let measure = "visitors";
  let days = readDays(trend, measure);
  const last = days.length - 1;
  const title = html("h2", {});
  const most = html("span", {});
  // Announces the day. The tooltip shows the same, next to the line.
  const readout = html("output", { class: "hidden", "aria-live": "polite" });
  const tip = html("div", { class: "tip", hidden: "", "aria-hidden": "true" });
  const canvas = html("div", {});
  const plot = html(
    "div",
    {
      class: "plot",
      tabindex: 0,
      // In an application, screen readers pass the arrow keys on.
      role: "application",
      "aria-roledescription": "chart",
    },
    canvas,
    tip,
  );
  /** @type {ReturnType<typeof drawTrend> | undefined} */
  let picture;
  /** @type {number | undefined} */
  let selected;

  const select = (/** @type {number | undefined} */ index) => {
    selected = index;
    const day = index === undefined ? undefined : days[index];
    const words = day ? describeDay(day, measure, format) : [];
    readout.replaceChildren(words.map((line) => line.textContent).join(", "));
    tip.replaceChildren(...words);
    tip.hidden = !day;
    picture?.mark(index);
    if (index !== undefined && picture) placeTip(tip, picture.toX(index), plot.clientWidth);
  };

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

  let drawnWidth = 0;
  /** A hidden element has no width. */
  const draw = () => {
    if (plot.clientWidth === 0) return;
    drawnWidth = plot.clientWidth;
    picture = drawTrend(canvas, days, measure, format);
    select(selected);
  };
  const choose = (/** @type {Measure} */ chosen) => {
    measure = chosen;
    days = readDays(trend, measure);
    const name = MEASURES[measure].title;
    title.replaceChildren(name);
    most.replaceChildren(...describeMost(days, measure, format));
    plot.setAttribute("aria-label", `${name}. Use the arrow keys, Home and End to move from day to day.`);
    draw();
  };
  choose(measure);

  return {
    element: html(
      "figure",
      {},
      html(
        "figcaption",
        { class: "heading" },
        title,
        ...(measures.length > 1 ? [buildSwitch(measures, measure, choose)] : []),
      ),
      html("div", { class: "legend" }, ...buildLegend(trend, format), html("p", { class: "most" }, most)),
      plot,
      readout,
      buildTable(trend, format),
    ),
    /** Call it once the element is in the page, and when its width may have changed. */
    resize: () => {
      if (plot.clientWidth !== drawnWidth) draw();
    },
  };
}

/** @param {HTMLElement} tip @param {number} x of the day @param {number} width of the plot */
function placeTip(tip, x, width) {
  const isRight = x > width / 2;
  tip.style.left = isRight ? "auto" : `${x + TIP_GAP}px`;
  tip.style.right = isRight ? `${width - x + TIP_GAP}px` : "auto";
}

/** @param {Measure[]} measures @param {Measure} chosen @param {(measure: Measure) => void} choose */
function buildSwitch(measures, chosen, choose) {
  const choices = measures.map((measure) => {
    const input = html("input", { type: "radio", name: "measure", value: measure });
    input.checked = measure === chosen;
    input.addEventListener("change", () => choose(measure));
    return html("label", {}, input, html("span", {}, MEASURES[measure].name));
  });
  return html("fieldset", { class: "switch" }, html("legend", { class: "hidden" }, "Chart"), ...choices);
}

/** Which line is which, if there are two. @param {Overview["trend"]} trend @param {Format} format */
function buildLegend(trend, format) {
  const days = readDays(trend, "visitors");
  const before = listBefore(days);
  if (before.length === 0) return [];
  const key = (/** @type {string} */ kind, /** @type {{ name: string }[]} */ of) =>
    html("li", { class: kind }, own(format.range(readSpan(of))));
  return [html("ul", { "aria-label": "Lines" }, key("now", days), key("before", before))];
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
