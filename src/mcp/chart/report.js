// @ts-check
import { createFormat } from "./format.js";
import { createView } from "./view.js";

// report.html has these elements.
const element = /** @type {HTMLElement} */ (document.getElementById("view"));
const answer = /** @type {HTMLElement} */ (document.getElementById("answer"));

const view = createView(element);
// Without a locale, numbers and days are as the reader's browser shows them.
if (!view.draw(JSON.parse(answer.textContent), createFormat(undefined))) {
  view.say("This page has no complete answer.", "message failure");
}
new ResizeObserver(() => requestAnimationFrame(view.resize)).observe(element);
