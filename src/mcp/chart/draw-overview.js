// @ts-check
/** @import { Format } from "./format.js" */
/** @import { Overview } from "./shapes.js" */
import {
  bar,
  barLists,
  changeLine,
  dimensionTitle,
  foreignText,
  heading,
  html,
  joinParts,
  own,
} from "./elements.js";
import { createTrend } from "./trend.js";

/**
 * Draws a site at a glance.
 * @param {Overview} overview
 * @param {Format} format
 */
export function drawOverview(overview, format) {
  const { site, period, comparison, trend, top } = overview;
  // A single day has no trend, and the tiles already show its numbers.
  const drawn = trend.visitors.length > 1 ? createTrend(trend, format) : undefined;
  return {
    trend: drawn,
    parts: [
      html(
        "header",
        {},
        html("h1", {}, foreignText(site.domain)),
        html(
          "p",
          { class: "soft" },
          ...joinParts([
            format.rangeWithYear(period),
            `${format.count(period.days)} ${period.days === 1 ? "day" : "days"}`,
            period.timezone,
            ...(period.partial ? ["so far"] : []),
          ]),
        ),
      ),
      html("dl", { class: "tiles" }, ...buildTiles(overview, format)),
      ...(comparison
        ? [
            html(
              "p",
              { class: "aside" },
              "Complete days, compared with ",
              own(format.rangeWithYear(comparison.previous)),
              comparison.previous.days === period.days ? "" : "; changes are of averages per day",
            ),
          ]
        : []),
      ...(drawn ? [drawn.element] : []),
      heading(
        "div",
        "Top lists",
        html("p", { class: "remark" }, "share of all visitors; rows may not add up"),
      ),
      barLists(
        "columns",
        top.map((list) => buildList(list, format)),
      ),
    ],
  };
}

/** @param {Overview} overview @param {Format} format */
function buildTiles({ visitors, pageviews, events, active_now, comparison, today, period }, format) {
  const compare = (/** @type {"visitors" | "pageviews"} */ measure) =>
    comparison
      ? [
          changeLine(comparison[measure], comparison.small_sample, format),
          html("span", { class: "aside" }, "before: ", own(format.count(comparison.previous[measure]))),
        ]
      : [];
  return [
    buildTile("Visitors", format.count(visitors), compare("visitors")),
    buildTile("Page views", format.count(pageviews), compare("pageviews")),
    buildTile("Events", format.count(events), []),
    ...(period.partial
      ? []
      : [
          buildTile("Today so far", format.count(today.visitors), [
            html("span", { class: "aside" }, "visitors"),
          ]),
        ]),
    buildTile("Active now", format.count(active_now), [
      html("span", { class: "aside" }, "at ", own(format.clock(period.as_of))),
    ]),
  ];
}

/** @param {string} name @param {string} value @param {HTMLElement[]} lines */
function buildTile(name, value, lines) {
  return html(
    "div",
    { class: "tile" },
    html("dt", {}, name),
    html("dd", {}, html("strong", { class: "value" }, value), ...lines),
  );
}

/** @param {Overview["top"][number]} list @param {Format} format */
function buildList({ dimension, rows }, format) {
  const items = rows.map(({ label, visitors, visitors_at_most, percentage }) =>
    html(
      "li",
      { class: "filled" },
      html("span", { class: "track", "aria-hidden": "true" }, bar(0, Math.min(100, Math.max(0, percentage)))),
      foreignText(label),
      html("span", { class: "number" }, showVisitors(visitors, visitors_at_most, format)),
      html("span", { class: "number beside soft" }, own(format.percent(percentage))),
    ),
  );
  return html(
    "section",
    {},
    html("h3", {}, dimensionTitle(dimension)),
    rows.length === 0 ? html("p", { class: "aside" }, "None.") : html("ol", { class: "rows" }, ...items),
  );
}

/** A count, or its range if it is not known. @param {number} least @param {number | undefined} most @param {Format} format */
const showVisitors = (least, most, format) =>
  html("span", {}, own(format.count(least)), ...(most === undefined ? [] : ["–", own(format.count(most))]));
