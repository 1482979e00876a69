import { createFormat } from "./format.ts";
import { createView } from "./view.ts";

// report.html has these elements.
const element = document.getElementById("view") as HTMLElement;
const answer = document.getElementById("answer") as HTMLElement;

const view = createView(element);
// Without a locale, numbers and days are as the reader's browser shows them.
if (!view.draw(JSON.parse(answer.textContent), createFormat(undefined))) {
  view.showMessage("This page has no complete answer.", "message failure");
}
new ResizeObserver(() => requestAnimationFrame(view.resize)).observe(element);
