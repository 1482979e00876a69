import { CHART_DATA } from "../chart-link.ts";
import { createFormat } from "./format.ts";
import { connectHost, readObject, readText } from "./host.ts";
import { isComparison, isOverview } from "./shapes.ts";
import { createView } from "./view.ts";

const MAX_WIDTH = 1120;

// chart.html has this element.
const element = document.getElementById("view") as HTMLElement;
const view = createView(element);
let context: Record<string, unknown> = {};
let result: Record<string, unknown> | undefined;
let reportedSize = "";
let stopped = false;

function showMessage(text: string, kind?: string): void {
  view.showMessage(text, kind);
  reportSize();
}

function drawResult(): void {
  if (!result) return;
  if (result.isError === true) {
    showMessage(readContentText(result) || "The call failed.", "message failure");
  } else if (view.draw(readContent(result), createFormat(readText(context.locale) || undefined))) {
    reportSize();
  } else {
    showMessage("This answer has no chart. The conversation has the answer as text.");
  }
}

/** The structured content, with the chart's own data if the host passes it on. */
function readContent({ structuredContent, _meta }: Record<string, unknown>): unknown {
  const whole = { ...readObject(structuredContent), ...readObject(readObject(_meta)[CHART_DATA]) };
  const isWhole = (isAnswer: (value: unknown) => boolean) => isAnswer(structuredContent) && isAnswer(whole);
  return isWhole(isOverview) || isWhole(isComparison) ? whole : structuredContent;
}

function readContentText({ content }: Record<string, unknown>): string {
  const parts = Array.isArray(content) ? content.map((part) => readText(readObject(part).text)) : [];
  return parts.filter((text) => text !== "").join("\n");
}

/** Reports the height of the content to the host, and the preferred width if the host does not set it. */
function reportSize(): void {
  const { width, maxWidth } = readObject(context.containerDimensions);
  const height = Math.ceil(element.getBoundingClientRect().height);
  // A hidden view has no height. A host that got 0 would never show it.
  if (height === 0) return;
  const size = {
    height,
    ...(width === undefined && typeof maxWidth === "number" && { width: Math.min(maxWidth, MAX_WIDTH) }),
  };
  if (stopped || JSON.stringify(size) === reportedSize) return;
  reportedSize = JSON.stringify(size);
  host.notify("ui/notifications/size-changed", size);
}

const INSETS = ["top", "right", "bottom", "left"];

/** Applies the host's theme, colours, font and safe area. */
function applyHostStyle({ theme, styles, safeAreaInsets }: Record<string, unknown>): void {
  const root = document.documentElement;
  if (theme === "light" || theme === "dark") root.dataset.theme = theme;
  else delete root.dataset.theme;

  const variables = readObject(readObject(styles).variables);
  const paper = readColor(variables["--color-background-primary"]);
  const ink = readColor(variables["--color-text-primary"]);
  // The host's text colour may be unreadable on our background and the other way round: use both or neither.
  setOrRemove("--host-paper", paper && ink ? paper : "");
  setOrRemove("--host-ink", paper && ink ? ink : "");
  setOrRemove("--host-font", readText(variables["--font-sans"]));

  const insets = readObject(safeAreaInsets);
  for (const side of INSETS) {
    const inset = insets[side];
    setOrRemove(`--inset-${side}`, typeof inset === "number" && inset > 0 ? `${inset}px` : "");
  }
}

function readColor(value: unknown): string {
  const text = readText(value);
  return CSS.supports("color", text) ? text : "";
}

function setOrRemove(property: string, value: string): void {
  const { style } = document.documentElement;
  if (value === "") style.removeProperty(property);
  else style.setProperty(property, value);
}

let frame = 0;
// At most once a frame. The drawing depends only on the width, so applying the reported height causes no loop.
const sizeObserver = new ResizeObserver(() => {
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
    showMessage(typeof site === "string" ? `Loading the numbers of ${site}…` : "Loading the numbers…");
  },
  result: (answer) => {
    result = answer;
    drawResult();
  },
  cancelled: (reason) => {
    result = undefined;
    showMessage(reason === "" ? "The call was cancelled." : `The call was cancelled: ${reason}`);
  },
  refused: (message) => showMessage(`The host rejected this view. ${message}`.trim(), "message failure"),
  teardown: () => {
    stopped = true;
    sizeObserver.disconnect();
    cancelAnimationFrame(frame);
  },
});
sizeObserver.observe(element);
