// @ts-check
/** @import { Format } from "./format.js" */
/** @import { Comparison, Group, Mover } from "./shapes.js" */
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

/**
 * Draws two windows of complete days and what changed most between them.
 * @param {Comparison} comparison
 * @param {Format} format
 */
export function drawComparison(comparison, format) {
  const { site, timezone, current, previous, dimensions } = comparison;
  const movers = dimensions.flatMap((group) => group.movers);
  const extent = findExtent(movers);
  return {
    trend: undefined,
    parts: [
      html(
        "header",
        {},
        html("h1", {}, foreignText(site.domain)),
        html(
          "p",
          { class: "soft" },
          own(format.rangeWithYear(current)),
          " compared with ",
          ...joinParts([
            format.rangeWithYear(previous),
            "complete days",
            ...(current.days === previous.days ? [] : ["changes per day"]),
            timezone,
          ]),
        ),
      ),
      html(
        "div",
        { class: "measures" },
        buildMeasure("Visitors", "visitors", comparison, format),
        buildMeasure("Page views", "pageviews", comparison, format),
      ),
      heading("div", "Biggest changes", html("p", { class: "remark" }, "by visitors, same scale for all")),
      barLists(
        dimensions.length === 1 ? "single" : "paired",
        dimensions.map((group) => buildGroup(group, extent, format)),
      ),
    ],
  };
}

/**
 * @param {string} title
 * @param {"visitors" | "pageviews"} measure
 * @param {Comparison} comparison
 * @param {Format} format
 */
function buildMeasure(title, measure, { current, previous, change, small_sample }, format) {
  const most = Math.max(1, current[measure], previous[measure]);
  const row = (/** @type {Comparison["current"]} */ window, /** @type {string} */ kind) =>
    html(
      "li",
      { class: "window" },
      html("span", { class: "soft" }, format.range(window)),
      html("span", { class: "track", "aria-hidden": "true" }, bar(0, (100 * window[measure]) / most, kind)),
      html("span", { class: "number" }, own(format.count(window[measure]))),
    );
  return html(
    "section",
    {},
    html("h2", {}, title),
    html("p", { class: "headline" }, changeLine(change[measure], small_sample, format)),
    html("ol", { class: "windows" }, row(current, ""), row(previous, "past")),
  );
}

/**
 * @param {Group} group
 * @param {Extent} extent
 * @param {Format} format
 */
function buildGroup({ dimension, drift, cut_off, movers, more }, extent, format) {
  const notes = [
    ...(more.count > 0 ? [describeMore(more, drift > 0 || cut_off, format)] : []),
    ...(drift > 0 ? [`Each count may be off by ${format.count(drift)}.`] : []),
    ...(cut_off ? ["The service cut off rows, so some counts are known only as a range."] : []),
  ];
  return html(
    "section",
    {},
    html("h3", {}, dimensionTitle(dimension)),
    movers.length === 0
      ? html("p", { class: "aside" }, drift > 0 || cut_off ? "No certain changes." : "No changes.")
      : html("ol", { class: "rows" }, ...movers.map((mover) => buildMover(mover, extent, format))),
    ...notes.map((note) => html("p", { class: "aside" }, note)),
  );
}

/**
 * @param {Group["more"]} more
 * @param {boolean} isUncertain
 * @param {Format} format
 */
function describeMore({ count, most }, isUncertain, format) {
  const changed = isUncertain ? "may have changed" : "changed";
  return `${format.count(count)} more ${changed}, by at most ${format.count(most)} each.`;
}

/**
 * @param {Mover} mover
 * @param {Extent} extent
 * @param {Format} format
 */
function buildMover(mover, extent, format) {
  const { label, change, bounds } = mover;
  const numbers = change
    ? [
        own(format.signed(change.absolute)),
        html(
          "bdi",
          { class: "soft" },
          change.percent === null ? "no percentage" : format.signedPercent(change.percent),
        ),
      ]
    : showChange(bounds?.change, format);
  return html(
    "li",
    {},
    html("span", { class: "line" }, foreignText(label), html("span", { class: "number" }, ...numbers)),
    html(
      "span",
      { class: "line" },
      html("span", { class: "track", "aria-hidden": "true" }, ...buildBars(mover, extent)),
      html("span", { class: "number beside soft" }, html("span", {}, ...showCounts(mover, format))),
    ),
  );
}

/**
 * The range of a change that is not known, the smaller change first.
 * @param {{ least: number, most: number } | undefined} range
 * @param {Format} format
 */
function showChange(range, format) {
  if (!range) return [html("span", { class: "soft" }, "uncertain")];
  const [small, large] = range.least > 0 ? [range.least, range.most] : [range.most, range.least];
  return [own(format.signed(small)), html("span", { class: "soft" }, "to"), own(format.signed(large))];
}

/** @param {Mover} mover @param {Format} format */
function showCounts({ current, previous, bounds }, format) {
  return [
    ...showCount(previous, bounds?.previous, format),
    " → ",
    ...showCount(current, bounds?.current, format),
  ];
}

/**
 * A count, or its range if it is not known.
 * @param {number | null} count
 * @param {{ least: number, most: number } | undefined} range
 * @param {Format} format
 */
function showCount(count, range, format) {
  if (count !== null) return [own(format.count(count))];
  if (!range) return ["unknown"];
  return [own(format.count(range.least)), "–", own(format.count(range.most))];
}

/**
 * The smallest and largest change: all bars of a comparison share this scale and its zero.
 * @typedef {{ least: number, most: number }} Extent
 */

/** @param {Mover[]} movers @returns {Extent} */
function findExtent(movers) {
  const values = movers.flatMap((mover) => Object.values(findRange(mover)));
  const [least, most] = [Math.min(0, ...values), Math.max(0, ...values)];
  return { least, most: least === most ? 1 : most };
}

/**
 * The range of a change; from zero to the change if it is known.
 * @param {Pick<Mover, "change" | "bounds">} mover
 */
function findRange({ change, bounds }) {
  if (change) return { least: Math.min(0, change.absolute), most: Math.max(0, change.absolute) };
  return bounds?.change ?? { least: 0, most: 0 };
}

/** @param {Pick<Mover, "change" | "bounds">} mover @param {Extent} extent */
function buildBars(mover, extent) {
  const toShare = (/** @type {number} */ value) =>
    (100 * (Math.min(extent.most, Math.max(extent.least, value)) - extent.least)) /
    (extent.most - extent.least);
  const { least, most } = findRange(mover);
  const kind = mover.change ? (mover.change.absolute < 0 ? "loss" : "") : "range";
  const zero = html("span", { class: "zero" });
  zero.style.insetInlineStart = `${toShare(0)}%`;
  return [bar(toShare(least), toShare(most), kind), zero];
}
