import { createFormat } from "./format.ts";
import { activateTrend } from "./trend.ts";

/** Milliseconds after which a page that is not there yet is said to be loading. */
const LOADING_MS = 300;

const format = createFormat(document.getElementById("trend")?.dataset.locale);
const figure = document.querySelector("figure");
const trend = document.getElementById("trend");
if (figure && trend) {
  const resize = activateTrend(figure, JSON.parse(trend.textContent), format, (from, to) => {
    const pattern = figure.closest<HTMLElement>("[data-days]")?.dataset.days;
    const [first, last] = [from, to].map((name) => name.slice(0, "2026-11-20".length));
    // Of a day, its hours are on its page already.
    if (pattern !== undefined && !from.includes("T")) {
      go(pattern.replace("DAYS", encodeURIComponent(first === last ? from : `${first}/${last}`)));
    }
  });
  new ResizeObserver(() => requestAnimationFrame(resize)).observe(figure);
}

function go(address: string): void {
  showLoading();
  location.assign(address);
}

function showLoading(): void {
  setTimeout(() => document.documentElement.classList.add("loading"), LOADING_MS);
}

document.addEventListener("click", (event) => {
  if (!(event.target instanceof Element)) return;
  const copied = event.target.closest<HTMLElement>("[data-copy]");
  if (copied?.dataset.copy !== undefined) {
    void navigator.clipboard.writeText(copied.dataset.copy).then(() => {
      const { textContent } = copied;
      copied.textContent = "Copied";
      setTimeout(() => {
        copied.textContent = textContent;
      }, 1_500);
    });
  }
  const link = event.target.closest("a");
  if (!link || event.ctrlKey || event.metaKey || event.button !== 0) return;
  const { not } = link.dataset;
  if (event.shiftKey && not !== undefined) {
    event.preventDefault();
    return go(not);
  }
  // Files of the numbers are saved, or open in place of the page: it stays as it is.
  if (!event.shiftKey && !link.closest(".tools")) showLoading();
});

document.addEventListener("keydown", (event) => {
  const { key, target } = event;
  if (event.ctrlKey || event.metaKey || event.altKey || target instanceof HTMLInputElement) return;
  if (key === "Escape" && document.readyState === "loading") return window.stop();
  // In the chart, Escape ends a choice of days.
  if (key === "Escape" && target instanceof Element && target.closest(".plot")) return;
  const keys = document.querySelector<HTMLDetailsElement>("#keys");
  if (key === "?" && keys) {
    keys.open = !keys.open;
    return keys.scrollIntoView();
  }
  const found = document.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`);
  if (!found) return;
  event.preventDefault();
  if (found instanceof HTMLInputElement) found.focus();
  else found.click();
});

// Who is active, while somebody looks.
const now = document.getElementById("now");
const from = now?.dataset.from;
let events: EventSource | undefined;
function follow(): void {
  events?.close();
  events = undefined;
  if (!now || from === undefined || document.hidden) return;
  events = new EventSource(from);
  events.onmessage = ({ data }) => {
    const { active_now, as_of } = JSON.parse(String(data));
    now.textContent = `${format.count(Number(active_now))} active at ${format.clock(String(as_of))}`;
  };
  // A source that does not know it ends the answer: it is not asked again.
  events.onerror = () => events?.close();
}
document.addEventListener("visibilitychange", follow);
follow();
