import { drawComparison } from "./draw-comparison.ts";
import { drawOverview } from "./draw-overview.ts";
import { html } from "./elements.ts";
import type { Format } from "./format.ts";
import { isComparison, isOverview, readNotes } from "./shapes.ts";

const MADE_UP = "Made-up data";

/** The page's only content: an answer as a chart, or a message. */
export function createView(element: HTMLElement) {
  let resize: (() => void) | undefined;
  return {
    showMessage: (text: string, kind = "message", notes: string[] = []) => {
      resize = undefined;
      const message = html("p", { class: kind, role: "status" }, text);
      element.replaceChildren(message, ...(notes.length > 0 ? [buildFooter(notes)] : []));
    },
    /** Returns false, and draws nothing, if the answer is incomplete or has no chart. */
    draw: (content: unknown, format: Format): boolean => {
      const drawing = isOverview(content)
        ? drawOverview(content, format)
        : isComparison(content)
          ? { parts: drawComparison(content, format), resize: undefined }
          : undefined;
      if (!drawing) return false;
      element.replaceChildren(...drawing.parts, buildFooter(readNotes(content)));
      resize = drawing.resize;
      resize?.();
      return true;
    },
    resize: () => resize?.(),
  };
}

function buildFooter(notes: string[]): HTMLElement {
  const items = notes.map((note) =>
    html("li", note.startsWith(MADE_UP) ? { class: "demo" } : {}, html("bdi", {}, note)),
  );
  return html("footer", {}, html("ul", {}, ...items));
}
