import { createFormat } from "./format.ts";
import { activateTrend } from "./trend.ts";

/** Everything else on the page stands there without a script (`report-page.ts`). */
const figure = document.querySelector("figure");
const trend = document.getElementById("trend");
if (figure && trend) {
  const format = createFormat(trend.dataset.locale);
  const resize = activateTrend(figure, JSON.parse(trend.textContent), format);
  new ResizeObserver(() => requestAnimationFrame(resize)).observe(figure);
}
