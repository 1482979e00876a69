import { drawComparison } from "./draw-comparison.ts";
import { drawOverview } from "./draw-overview.ts";
import { drawNotes, html } from "./elements.ts";
import type { Format } from "./format.ts";
import { toNode } from "./nodes.ts";
import { isComparison, isOverview, readNotes } from "./shapes.ts";
import { activateTrend } from "./trend.ts";

/** In a conversation, a chart is at most about a screen high. */
const ROWS = 5;

/** The chart's only content: an answer as a chart, or a message. */
export function createView(element: HTMLElement) {
  let resize: (() => void) | undefined;
  return {
    showMessage: (text: string, kind = "message") => {
      resize = undefined;
      element.replaceChildren(toNode(html("p", { class: kind, role: "status" }, text)));
    },
    /** Returns false, and draws nothing, if the answer is incomplete or has no chart. */
    draw: (content: unknown, format: Format): boolean => {
      const drawing = isOverview(content)
        ? drawOverview(content, format, ROWS)
        : isComparison(content)
          ? drawComparison(content, format)
          : undefined;
      if (!drawing) return false;
      element.replaceChildren(...[...drawing, drawNotes(readNotes(content))].map((part) => toNode(part)));
      const figure = element.querySelector("figure");
      resize = figure && isOverview(content) ? activateTrend(figure, content.trend, format) : undefined;
      resize?.();
      return true;
    },
    resize: () => resize?.(),
  };
}
