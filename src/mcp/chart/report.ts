import { drawNotFound } from "./draw-not-found.ts";
import { html } from "./elements.ts";
import { createFormat } from "./format.ts";
import { readObject, readText } from "./host.ts";
import { readNotes } from "./shapes.ts";
import { createView } from "./view.ts";

// report.html has these elements.
const element = document.getElementById("view") as HTMLElement;
const answer = document.getElementById("answer") as HTMLElement;

/** False if the service counts a visitor once in all days, which the notes then say. */
const addsUp = (content: unknown) => {
  const { warnings } = readObject(content);
  return !Array.isArray(warnings) || !warnings.some((each) => readObject(each).code === "period_visitors");
};

const view = createView(element);
// Without a locale, numbers and days are as the reader's browser shows them.
const content: unknown = JSON.parse(answer.textContent);
const format = createFormat(undefined);
if (view.draw(content, format)) {
  element.querySelector("footer")?.before(...drawNotFound(content, format));
  // The notes, where this is said at length, are at the end of a long page.
  if (Number(readObject(readObject(content).period).days) > 1 && addsUp(content)) {
    const definition = html("p", { class: "soft" }, "Visitors are daily unique visitors, added up.");
    element.querySelector("header")?.append(definition);
  }
} else {
  const message = readText(readObject(content).message);
  if (message === "") view.showMessage("This page has no complete answer.", "message failure");
  else view.showMessage(message, "message", readNotes(content));
}
new ResizeObserver(() => requestAnimationFrame(view.resize)).observe(element);
