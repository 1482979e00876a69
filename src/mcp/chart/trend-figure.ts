import { html, isolate, type Tree } from "./elements.ts";
import type { Format } from "./format.ts";
import {
  type Day,
  type DayCount,
  listBefore,
  type Measure,
  readPoints,
  readSpan,
  type Trend,
  titleOf,
} from "./trend-days.ts";
import { drawTrend } from "./trend-svg.ts";
import { buildTable, describeMost } from "./trend-text.ts";

/** The width of an A4 page between its margins, in pixels of CSS as `report.css` scales them for print. */
const PAPER_WIDTH = 955;

/** A measure per day over the span before: a picture, and a table. Where scripts run, `trend.ts` makes it one to explore. */
export function drawFigure(trend: Trend, format: Format, measure: Measure = "visitors"): Tree {
  const days = readPoints(trend, measure);
  return html(
    "figure",
    html("figcaption.heading", html("h2", titleOf(days, measure))),
    html("div.legend", ...buildLegend(days, format), html("p.most", ...describeMost(days, measure, format))),
    html("div.paper", drawTrend(PAPER_WIDTH, days, measure, format).picture),
    buildTable(trend, format),
  );
}

/** Which line is which, if there are two. */
function buildLegend(days: Day[], format: Format): Tree[] {
  const before = listBefore(days);
  if (before.length === 0) return [];
  const key = (kind: string, drawn: DayCount[]) =>
    html("li", { class: kind }, isolate(format.range(readSpan(drawn))));
  return [html("ul", { "aria-label": "Lines" }, key("now", days), key("before", before))];
}
