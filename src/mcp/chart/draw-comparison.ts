import {
  bar,
  barLists,
  changeLine,
  dimensionTitle,
  heading,
  html,
  isolate,
  joinParts,
  untrustedText,
} from "./elements.ts";
import type { Format } from "./format.ts";
import type { Comparison } from "./shapes.ts";

type Group = Comparison["dimensions"][number];
type Mover = Group["movers"][number];

interface Range {
  least: number;
  most: number;
}

/** Draws two windows of complete days and what changed most between them. */
export function drawComparison(comparison: Comparison, format: Format): HTMLElement[] {
  const { site, timezone, current, previous, dimensions } = comparison;
  const extent = findExtent(dimensions.flatMap((group) => group.movers));
  return [
    html(
      "header",
      {},
      html("h1", {}, untrustedText(site.domain)),
      html(
        "p",
        { class: "soft" },
        isolate(format.rangeWithYear(current)),
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
    heading("Biggest changes", "by visitors, same scale for all"),
    barLists(
      dimensions.length === 1 ? "single" : "paired",
      dimensions.map((group) => buildGroup(group, extent, format)),
    ),
  ];
}

function buildMeasure(
  title: string,
  measure: "visitors" | "pageviews",
  { current, previous, change, small_sample }: Comparison,
  format: Format,
): HTMLElement {
  const most = Math.max(1, current[measure], previous[measure]);
  const row = (window: Comparison["current"], kind: string) =>
    html(
      "li",
      { class: "window" },
      html("span", { class: "soft" }, format.range(window)),
      html("span", { class: "track", "aria-hidden": "true" }, bar(0, (100 * window[measure]) / most, kind)),
      html("span", { class: "number" }, isolate(format.count(window[measure]))),
    );
  return html(
    "section",
    {},
    html("h2", {}, title),
    html("p", { class: "headline" }, changeLine(change[measure], small_sample, format)),
    html("ol", { class: "windows" }, row(current, ""), row(previous, "past")),
  );
}

function buildGroup(
  { dimension, drift, cut_off, movers, more }: Group,
  extent: Range,
  format: Format,
): HTMLElement {
  const isUncertain = drift > 0 || cut_off;
  const notes = [
    ...(more.count > 0 ? [describeMore(more, isUncertain, format)] : []),
    ...(drift > 0 ? [`Each count may be off by ${format.count(drift)}.`] : []),
    ...(cut_off ? ["The service cut off rows, so some counts are known only as a range."] : []),
  ];
  return html(
    "section",
    {},
    html("h3", {}, dimensionTitle(dimension)),
    movers.length === 0
      ? html("p", { class: "aside" }, isUncertain ? "No certain changes." : "No changes.")
      : html("ol", { class: "rows" }, ...movers.map((mover) => buildMover(mover, extent, format))),
    ...notes.map((note) => html("p", { class: "aside" }, note)),
  );
}

function describeMore({ count, most }: Group["more"], isUncertain: boolean, format: Format): string {
  const changed = isUncertain ? "may have changed" : "changed";
  return `${format.count(count)} more ${changed}, by at most ${format.count(most)} each.`;
}

function buildMover(mover: Mover, extent: Range, format: Format): HTMLElement {
  const { label, change, bounds } = mover;
  const numbers = change
    ? [
        isolate(format.signed(change.absolute)),
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
    html("span", { class: "line" }, untrustedText(label), html("span", { class: "number" }, ...numbers)),
    html(
      "span",
      { class: "line" },
      html("span", { class: "track", "aria-hidden": "true" }, ...buildBars(mover, extent)),
      html("span", { class: "number beside soft" }, html("span", {}, ...showCounts(mover, format))),
    ),
  );
}

/** The range of a change that is not known, the smaller change first. */
function showChange(range: Range | undefined, format: Format): HTMLElement[] {
  if (!range) return [html("span", { class: "soft" }, "uncertain")];
  const [small, large] = range.least > 0 ? [range.least, range.most] : [range.most, range.least];
  return [
    isolate(format.signed(small)),
    html("span", { class: "soft" }, "to"),
    isolate(format.signed(large)),
  ];
}

function showCounts({ current, previous, bounds }: Mover, format: Format): (Node | string)[] {
  return [
    ...showCount(previous, bounds?.previous, format),
    " → ",
    ...showCount(current, bounds?.current, format),
  ];
}

/** A count, or its range if it is not known. */
function showCount(count: number | null, range: Range | undefined, format: Format): (Node | string)[] {
  if (count !== null) return [isolate(format.count(count))];
  if (!range) return ["unknown"];
  return [isolate(format.count(range.least)), "–", isolate(format.count(range.most))];
}

/** The smallest and largest change: all bars of a comparison share this scale and its zero. */
function findExtent(movers: Mover[]): Range {
  const values = movers.map(findRange).flatMap(({ least, most }) => [least, most]);
  const [least, most] = [Math.min(0, ...values), Math.max(0, ...values)];
  return { least, most: least === most ? 1 : most };
}

/** The range of a change; from zero to the change if it is known. */
function findRange({ change, bounds }: Mover): Range {
  if (change) return { least: Math.min(0, change.absolute), most: Math.max(0, change.absolute) };
  return bounds?.change ?? { least: 0, most: 0 };
}

function buildBars(mover: Mover, extent: Range): HTMLElement[] {
  const toShare = (value: number) =>
    (100 * (Math.min(extent.most, Math.max(extent.least, value)) - extent.least)) /
    (extent.most - extent.least);
  const { least, most } = findRange(mover);
  const kind = mover.change ? (mover.change.absolute < 0 ? "loss" : "") : "range";
  const zero = html("span", { class: "zero" });
  zero.style.insetInlineStart = `${toShare(0)}%`;
  return [bar(toShare(least), toShare(most), kind), zero];
}
