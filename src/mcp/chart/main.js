// @ts-check
import { drawComparison } from "./draw-comparison.js";
import { drawOverview } from "./draw-overview.js";
import { html } from "./elements.js";
import { createFormat } from "./format.js";
import { connectHost, readObject, readText } from "./host.js";
import { applyHostStyle } from "./host-style.js";
import { isComparison, isOverview, readNotes } from "./shapes.js";

const DEMO_NOTE = "Made-up data";
const MAX_WIDTH = 1120;
const IN_CONVERSATION = "The conversation has the answer as text.";

// chart.html has this element.
const view = /** @type {HTMLElement} */ (document.getElementById("view"));
/** @type {Record<string, unknown>} */
let context = {};
/** @type {Record<string, unknown> | undefined} */
let result;
/** @type {ReturnType<typeof drawOverview>["trend"]} */
let trend;
let reported = "";
let stopped = false;

/** @param {...Node} parts */
function show(...parts) {
  trend = undefined;
  view.replaceChildren(...parts);
}

/** @param {string} text @param {string} kind */
function say(text, kind = "message") {
  show(html("p", { class: kind, role: "status" }, text));
  reportSize();
}

function drawResult() {
  if (!result) return;
  const content = result.structuredContent;
  if (result.isError === true) return say(readContentText(result) || "The call failed.", "message failure");
  const format = createFormat(readText(context.locale) || undefined);
  const drawn = isOverview(content)
    ? drawOverview(content, format)
    : isComparison(content)
      ? drawComparison(content, format)
      : undefined;
  if (!drawn) return say(`This answer has no chart. ${IN_CONVERSATION}`);
  show(...drawn.parts, buildFooter(readNotes(content)));
  trend = drawn.trend;
  trend?.resize();
  reportSize();
}

/** @param {string[]} notes */
function buildFooter(notes) {
  const items = notes.map((note) =>
    html("li", note.startsWith(DEMO_NOTE) ? { class: "demo" } : {}, html("bdi", {}, note)),
  );
  return html("footer", {}, html("ul", {}, ...items));
}

/** @param {Record<string, unknown>} answer */
function readContentText({ content }) {
  const parts = Array.isArray(content) ? content.map((part) => readText(readObject(part).text)) : [];
  return parts.filter((text) => text !== "").join("\n");
}

/** Reports the height of the content to the host, and the preferred width if the host does not set it. */
function reportSize() {
  const { width, maxWidth } = readObject(context.containerDimensions);
  const height = Math.ceil(view.getBoundingClientRect().height);
  // A hidden view has no height. A host that got 0 would never show it.
  if (height === 0) return;
  const size = {
    height,
    ...(width === undefined && typeof maxWidth === "number" && { width: Math.min(maxWidth, MAX_WIDTH) }),
  };
  if (stopped || JSON.stringify(size) === reported) return;
  reported = JSON.stringify(size);
  host.notify("ui/notifications/size-changed", size);
}

let frame = 0;
// At most once a frame. The drawing depends only on the width, so applying the reported height causes no loop.
const watched = new ResizeObserver(() => {
  cancelAnimationFrame(frame);
  frame = requestAnimationFrame(() => {
    trend?.resize();
    reportSize();
  });
});

const host = connectHost({
  context: (changed) => {
    const before = context.locale;
    context = { ...context, ...changed };
    applyHostStyle(context);
    if (context.locale !== before) drawResult();
    reportSize();
  },
  input: ({ site }) => {
    result = undefined;
    say(typeof site === "string" ? `Loading the numbers of ${site}…` : "Loading the numbers…");
  },
  result: (answer) => {
    result = answer;
    drawResult();
  },
  cancelled: (reason) => {
    result = undefined;
    say(reason === "" ? "The call was cancelled." : `The call was cancelled: ${reason}`);
  },
  refused: (message) => say(`The host rejected this view. ${message}`.trim(), "message failure"),
  teardown: () => {
    stopped = true;
    watched.disconnect();
    cancelAnimationFrame(frame);
  },
});
watched.observe(view);
