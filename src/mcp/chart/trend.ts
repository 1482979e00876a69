import { html, type Tree } from "./elements.ts";
import type { Format } from "./format.ts";
import { toNode } from "./nodes.ts";
import {
  findMeasures,
  MEASURES,
  type Measure,
  readPoints,
  type Trend,
  titleOf,
  unitOf,
} from "./trend-days.ts";
import { drawFigure } from "./trend-figure.ts";
import { drawTrend } from "./trend-svg.ts";
import { describeDay } from "./trend-text.ts";

const WEEK = 7;
/** Between the tooltip and the day it describes. */
const TIP_GAP = 12;

/**
 * Makes the figure of a trend (`trend-figure.ts`) one that people explore day by day, with pointer or keyboard, in the width that it
 * has. Its own picture stays for paper.
 *
 * @param pick Is told of the days that a person chooses: by a click or Enter one, by dragging or with Shift several.
 * @returns What to call when the figure's width may have changed.
 */
export function activateTrend(
  figure: HTMLElement,
  trend: Trend,
  format: Format,
  pick?: (from: string, to: string) => void,
): () => void {
  const measures = findMeasures(trend);
  let measure: Measure = "visitors";
  let days = readPoints(trend, measure);
  const last = days.length - 1;
  const create = (name: string, attributes: Tree["attributes"] = {}) =>
    toNode(html(name, attributes)) as HTMLElement;
  // Announces the day. The tooltip shows the same, next to the line.
  const readout = create("output", { class: "hidden", "aria-live": "polite" });
  const tip = create("div", { class: "tip", hidden: "", "aria-hidden": "true" });
  const canvas = create("div");
  const plot = create("div", {
    class: "plot",
    tabindex: 0,
    // In an application, screen readers pass the arrow keys on.
    role: "application",
    "aria-roledescription": "chart",
  });
  plot.append(canvas, tip);
  const paper = find(figure, ".paper");
  paper.before(plot, readout);
  let picture: ReturnType<typeof drawTrend> | undefined;
  let selected: number | undefined;
  /** The other end of the days that are being chosen. */
  let anchor: number | undefined;
  const band = create("div", { class: "band", hidden: "" });
  plot.append(band);
  const choosePoints = () => {
    if (anchor === undefined || selected === undefined) return;
    const [first, end] = [Math.min(anchor, selected), Math.max(anchor, selected)].map((index) => days[index]);
    if (first && end) pick?.(first.name, end.to ?? end.name);
  };
  const drawBand = () => {
    band.hidden = anchor === undefined || selected === undefined || !picture;
    if (band.hidden || !picture) return;
    const [from = 0, to = 0] = [anchor ?? 0, selected ?? 0].map(picture.toX).sort((a, b) => a - b);
    Object.assign(band.style, { left: `${from}px`, width: `${Math.max(2, to - from)}px` });
  };

  const select = (index: number | undefined) => {
    selected = index;
    const day = index === undefined ? undefined : days[index];
    const lines = day ? describeDay(day, measure, format).map((line) => toNode(line)) : [];
    readout.textContent = lines.map((line) => line.textContent).join(", ");
    tip.replaceChildren(...lines);
    tip.hidden = !day;
    if (!picture) return;
    markDay(
      find(canvas, ".cursor"),
      index === undefined ? undefined : picture.pointsOf(index),
      picture.toX(index ?? 0),
    );
    drawBand();
    if (index !== undefined) placeTip(tip, picture.toX(index), plot.clientWidth);
  };

  plot.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      anchor = undefined;
      return select(undefined);
    }
    if (event.key === "Enter") {
      anchor ??= selected;
      return choosePoints();
    }
    const target = findTarget(event.key, selected ?? last, last);
    if (target === undefined) return;
    event.preventDefault();
    anchor = event.shiftKey && pick ? (anchor ?? selected ?? last) : undefined;
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
  plot.addEventListener("pointerdown", (event) => {
    follow(event);
    if (pick && event.button === 0) anchor = selected;
  });
  plot.addEventListener("pointerup", () => {
    choosePoints();
    anchor = undefined;
    drawBand();
  });
  plot.addEventListener("pointerleave", () => {
    if (document.activeElement !== plot) select(undefined);
  });

  let drawnWidth = 0;
  /** A hidden element has no width. */
  const draw = () => {
    if (plot.clientWidth === 0) return;
    drawnWidth = plot.clientWidth;
    picture = drawTrend(drawnWidth, days, measure, format);
    canvas.replaceChildren(toNode(picture.picture));
    select(selected);
  };
  const describe = () =>
    plot.setAttribute(
      "aria-label",
      `${titleOf(days, measure)}. Use the arrow keys, Home and End to move from ${unitOf(days)} to ${unitOf(days)}.`,
    );
  const choose = (chosen: Measure) => {
    measure = chosen;
    days = readPoints(trend, measure);
    const drawn = toNode(drawFigure(trend, format, measure)) as HTMLElement;
    for (const part of ["h2", ".legend", ".paper"]) {
      find(figure, part).replaceChildren(...find(drawn, part).childNodes);
    }
    describe();
    draw();
  };
  if (measures.length > 1) find(figure, "figcaption").append(buildSwitch(measures, measure, choose));
  describe();

  return () => {
    if (plot.clientWidth !== drawnWidth) draw();
  };
}

/** An element that was drawn. */
const find = (within: ParentNode, selector: string) => within.querySelector(selector) as HTMLElement;

/** @param points The points of the day before and of the day; none hides the cursor. */
function markDay(
  cursor: Element,
  points: readonly (readonly [number, number] | undefined)[] | undefined,
  x: number,
): void {
  cursor.setAttribute("visibility", points ? "visible" : "hidden");
  const [rule, ...dots] = cursor.children;
  for (const name of ["x1", "x2"]) rule?.setAttribute(name, String(x));
  for (const [index, point] of (points ?? []).entries()) {
    const [cx = 0, cy = 0] = point ?? [];
    dots[index]?.setAttribute("visibility", point ? "inherit" : "hidden");
    dots[index]?.setAttribute("cx", String(cx));
    dots[index]?.setAttribute("cy", String(cy));
  }
}

/** @param x Of the day, from the plot's left edge. */
function placeTip(tip: HTMLElement, x: number, plotWidth: number): void {
  const isRight = x > plotWidth / 2;
  tip.style.left = isRight ? "auto" : `${x + TIP_GAP}px`;
  tip.style.right = isRight ? `${plotWidth - x + TIP_GAP}px` : "auto";
}

function buildSwitch(measures: Measure[], chosen: Measure, choose: (measure: Measure) => void): Node {
  const choices = measures.map((measure) =>
    html(
      "label",
      html("input", {
        type: "radio",
        name: "measure",
        value: measure,
        ...(measure === chosen && { checked: "" }),
      }),
      html("span", MEASURES[measure].name),
    ),
  );
  const fieldset = toNode(html("fieldset.switch", html("legend.hidden", "Chart"), ...choices));
  fieldset.addEventListener("change", ({ target }) => choose((target as HTMLInputElement).value as Measure));
  return fieldset;
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
