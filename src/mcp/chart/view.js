// @ts-check
/** @import { Format } from "./format.js" */
import { drawComparison } from "./draw-comparison.js";
import { drawOverview } from "./draw-overview.js";
import { html } from "./elements.js";
import { isComparison, isOverview, readNotes } from "./shapes.js";

const DEMO_NOTE = "Made-up data";

/**
 * The page's only content: an answer as a chart, or a message.
 * @param {HTMLElement} element
 */
export function createView(element) {
  /** @type {ReturnType<typeof drawOverview>["trend"]} */
  let trend;
  return {
    /** @param {string} text @param {string} kind */
    say: (text, kind = "message") => {
      trend = undefined;
      element.replaceChildren(html("p", { class: kind, role: "status" }, text));
    },
    /** Returns whether it could: only a complete answer has a chart. @param {unknown} content @param {Format} format */
    draw: (content, format) => {
      const drawn = isOverview(content)
        ? drawOverview(content, format)
        : isComparison(content)
          ? drawComparison(content, format)
          : undefined;
      if (!drawn) return false;
      element.replaceChildren(...drawn.parts, buildFooter(readNotes(content)));
      trend = drawn.trend;
      trend?.resize();
      return true;
    },
    resize: () => trend?.resize(),
  };
}

/** @param {string[]} notes */
function buildFooter(notes) {
  const items = notes.map((note) =>
    html("li", note.startsWith(DEMO_NOTE) ? { class: "demo" } : {}, html("bdi", {}, note)),
  );
  return html("footer", {}, html("ul", {}, ...items));
}
