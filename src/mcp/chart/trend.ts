import { html, isolate } from "./elements.ts";
import type { Format } from "./format.ts";
import {
  type DayCount,
  findMeasures,
  listBefore,
  MEASURES,
  type Measure,
  readDays,
  readSpan,
  type Trend,
  titleOf,
  unitOf,
} from "./trend-days.ts";
import { drawTrend } from "./trend-svg.ts";
import { buildTable, describeDay, describeMost } from "./trend-text.ts";

const WEEK = 7;
/** Between the tooltip and the day it describes. */
const TIP_GAP = 12;

/**
 * A measure per day over the span before: a chart that people explore day by day with pointer or keyboard, and a table.
 */
export function createTrend(trend: Trend, format: Format) {
  const measures = findMeasures(trend);
  let measure: Measure = "visitors";
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
  let picture: ReturnType<typeof drawTrend> | undefined;
  let selected: number | undefined;

  const select = (index: number | undefined) => {
    selected = index;
    const day = index === undefined ? undefined : days[index];
    const lines = day ? describeDay(day, measure, format) : [];
    readout.replaceChildren(lines.map((line) => line.textContent).join(", "));
    tip.replaceChildren(...lines);
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
  const follow = (event: PointerEvent) => {
    const index = picture?.nearest(event.clientX - plot.getBoundingClientRect().left);
    // Announce a day only once while the pointer moves over it.
    if (index !== selected) select(index);
  };
  plot.addEventListener("pointermove", follow);
  plot.addEventListener("pointerdown", follow);
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
  const choose = (chosen: Measure) => {
    measure = chosen;
    days = readDays(trend, measure);
    const name = titleOf(days, measure);
    const unit = unitOf(days);
    title.replaceChildren(name);
    most.replaceChildren(...describeMost(days, measure, format));
    plot.setAttribute(
      "aria-label",
      `${name}. Use the arrow keys, Home and End to move from ${unit} to ${unit}.`,
    );
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

/** @param x Of the day, from the plot's left edge. */
function placeTip(tip: HTMLElement, x: number, plotWidth: number): void {
  const isRight = x > plotWidth / 2;
  tip.style.left = isRight ? "auto" : `${x + TIP_GAP}px`;
  tip.style.right = isRight ? `${plotWidth - x + TIP_GAP}px` : "auto";
}

function buildSwitch(measures: Measure[], chosen: Measure, choose: (measure: Measure) => void): HTMLElement {
  const choices = measures.map((measure) => {
    const input = html("input", { type: "radio", name: "measure", value: measure });
    input.checked = measure === chosen;
    input.addEventListener("change", () => choose(measure));
    return html("label", {}, input, html("span", {}, MEASURES[measure].name));
  });
  return html("fieldset", { class: "switch" }, html("legend", { class: "hidden" }, "Chart"), ...choices);
}

/** Which line is which, if there are two. */
function buildLegend(trend: Trend, format: Format): HTMLElement[] {
  const days = readDays(trend, "visitors");
  const before = listBefore(days);
  if (before.length === 0) return [];
  const key = (kind: string, drawn: DayCount[]) =>
    html("li", { class: kind }, isolate(format.range(readSpan(drawn))));
  return [html("ul", { "aria-label": "Lines" }, key("now", days), key("before", before))];
}

/** The day that a key leads to, before it is kept within the chart. */
function findTarget(key: string, from: number, last: number): number | undefined {
  switch (key) {
    case "ArrowLeft":
      return from - 1;
    case "ArrowRight":
      return from + 1;
    case "PageUp":
      return from - WEEK;
    case "PageDown":
      return from + WEEK;
    case "Home":
      return 0;
    case "End":
      return last;
    default:
      return undefined;
  }
}
