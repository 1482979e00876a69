// @ts-check
import { createFormat } from "./format.js";
import { connectHost, readObject, readText } from "./host.js";
import { applyHostStyle } from "./host-style.js";
import { isOverview } from "./shapes.js";
import { createView } from "./view.js";

/** The member of an answer's `_meta` with what a model does not get (`src/mcp/chart-link.ts`). */
const CHART_DATA = "analytics-mcp/chart";
const MAX_WIDTH = 1120;
const IN_CONVERSATION = "The conversation has the answer as text.";

// chart.html has this element.
const element = /** @type {HTMLElement} */ (document.getElementById("view"));
const view = createView(element);
/** @type {Record<string, unknown>} */
let context = {};
/** @type {Record<string, unknown> | undefined} */
let result;
let reported = "";
let stopped = false;

/** @param {string} text @param {string} [kind] */
function say(text, kind) {
  view.say(text, kind);
  reportSize();
}

function drawResult() {
  if (!result) return;
  if (result.isError === true) return say(readContentText(result) || "The call failed.", "message failure");
  const format = createFormat(readText(context.locale) || undefined);
  if (!view.draw(readContent(result), format)) return say(`This answer has no chart. ${IN_CONVERSATION}`);
  reportSize();
}

/** The structured content, with the chart's own data if the host passes it on. @param {Record<string, unknown>} answer */
function readContent({ structuredContent, _meta }) {
  const whole = { ...readObject(structuredContent), ...readObject(readObject(_meta)[CHART_DATA]) };
  return isOverview(structuredContent) && isOverview(whole) ? whole : structuredContent;
}

/** @param {Record<string, unknown>} answer */
function readContentText({ content }) {
  const parts = Array.isArray(content) ? content.map((part) => readText(readObject(part).text)) : [];
  return parts.filter((text) => text !== "").join("\n");
}

/** Reports the height of the content to the host, and the preferred width if the host does not set it. */
function reportSize() {
  const { width, maxWidth } = readObject(context.containerDimensions);
  const height = Math.ceil(element.getBoundingClientRect().height);
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
    view.resize();
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
watched.observe(element);
