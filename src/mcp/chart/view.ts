import { drawComparison } from "./draw-comparison.ts";
import { drawOverview } from "./draw-overview.ts";
import { drawNotes, html, type Tree } from "./elements.ts";
import type { Format } from "./format.ts";
import { toNode } from "./nodes.ts";
import { isComparison, isOverview, readNotes } from "./shapes.ts";
import { activateTrend } from "./trend.ts";

/** In a conversation, a chart is at most about a screen high. The rest is behind "more". */
const ROWS = 5;
/** The groups of a comparison that are shown at once. */
const GROUPS = 2;

/** The lists, with their heading, apart. */
function foldLists(drawing: Tree[]): [shown: Tree[], rest: Tree[]] {
  const at = drawing.findIndex(({ attributes }) => attributes.class === "heading");
  return at === -1 ? [drawing, []] : [drawing.slice(0, at), drawing.slice(at)];
}

/** The later groups apart. */
function foldGroups(drawing: Tree[]): [shown: Tree[], rest: Tree[]] {
  const groups = drawing.at(-1);
  if (!groups || groups.children.length <= GROUPS) return [drawing, []];
  const cut = (children: Tree["children"]) => ({ ...groups, children });
  return [
    [...drawing.slice(0, -1), cut(groups.children.slice(0, GROUPS))],
    [cut(groups.children.slice(GROUPS))],
  ];
}

const drawMore = (rest: Tree[]): Tree[] =>
  rest.length === 0 ? [] : [html("details.more", html("summary", "More"), ...rest)];

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
      const [notes, shown] = readNotes(content);
      const [head, rest] = isOverview(content) ? foldLists(drawing) : foldGroups(drawing);
      const parts = [
        ...head,
        ...drawMore([...rest, ...(shown < notes.length ? [drawNotes(notes.slice(shown))] : [])]),
        ...(shown > 0 ? [drawNotes(notes.slice(0, shown))] : []),
      ];
      element.replaceChildren(...parts.map((part) => toNode(part)));
      const figure = element.querySelector("figure");
      resize = figure && isOverview(content) ? activateTrend(figure, content.trend, format) : undefined;
      resize?.();
      return true;
    },
    resize: () => resize?.(),
  };
}
