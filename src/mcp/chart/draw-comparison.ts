import {
  type Average,
  bar,
  barLists,
  dimensionTitle,
  heading,
  html,
  isolate,
  joinParts,
  type Part,
  smallSample,
  subjectLines,
  type Tree,
  track,
  untrustedText,
} from "./elements.ts";
import type { Format } from "./format.ts";
import { type ByMeasure, describeChange, MEASURES, type Measure, showMeasure } from "./measures.ts";
import { type Comparison, nameRow } from "./shapes.ts";

type Group = Comparison["dimensions"][number];
type Mover = Group["movers"][number];

interface Range {
  least: number;
  most: number;
}

/** Draws two windows of complete days and what changed most between them. */
export function drawComparison(comparison: Comparison, format: Format): Tree[] {
  const { timezone, current, previous, dimensions, per_day } = comparison;
  const isCompared = per_day !== undefined || comparison.change.visitors.absolute !== null;
  const extent = findExtent(dimensions.flatMap((group) => group.movers));
  return [
    html(
      "header",
      ...subjectLines(comparison),
      html(
        "p.soft",
        isolate(format.rangeWithYear(current)),
        " compared with ",
        ...joinParts([
          format.rangeWithYear(previous),
          ...(comparison.comparable ? ["complete days"] : []),
          ...(per_day ? ["percentages are of averages per day"] : []),
          ...(timezone === undefined ? [] : [timezone]),
        ]),
      ),
      ...smallSample(comparison.small_sample),
    ),
    html(
      "div.measures",
      ...MEASURES.flatMap((measure) => buildMeasure(measure, comparison, isCompared, format)),
    ),
    ...(isCompared && dimensions.length === 0
      ? []
      : [
          heading(
            "Biggest changes",
            isCompared
              ? `by visitors${per_day ? " a day" : ""}, same scale for all`
              : "not compared: days have no data",
          ),
        ]),
    barLists(
      dimensions.length === 1 ? "single" : "paired",
      isCompared ? dimensions.map((group) => buildGroup(group, extent, format)) : [],
    ),
  ];
}

/** A measure of both windows as bars, below its change. */
function buildMeasure(measure: Measure, comparison: Comparison, isCompared: boolean, format: Format): Tree[] {
  const { current, previous, change } = comparison;
  const { [measure.name]: average }: ByMeasure<Average> = comparison.per_day ?? {};
  // Visitors of days that do not add up have only their average.
  const isAverage = current[measure.name] === undefined;
  const [now, before] = isAverage
    ? [average?.current, average?.previous]
    : [current[measure.name], previous[measure.name]];
  if (now === undefined || before === undefined) return [];
  const most = Math.max(now ?? 0, before ?? 0) || 1;
  // Where nothing is compared, a window without numbers has nothing to show.
  const draw = (window: Comparison["current"], value: number | null, kind: string) =>
    isCompared || value !== null
      ? [
          html(
            "li.window",
            html("span.soft", format.range(window)),
            value === null ? html("span") : track(bar(0, (100 * value) / most, kind)),
            html("span.number", isolate(showMeasure(value, measure, format))),
          ),
        ]
      : [];
  return [
    html(
      "section",
      html("h2", measure.title, isAverage ? " a day" : ""),
      ...(isCompared
        ? [html("p.headline", ...describeChange(measure, change, comparison, undefined, format))]
        : []),
      html("ol.windows", ...draw(current, now, ""), ...draw(previous, before, "past")),
    ),
  ];
}

function buildGroup({ dimension, drift, cut_off, movers, more }: Group, extent: Range, format: Format): Tree {
  const isUncertain = drift > 0 || cut_off;
  const notes = [
    ...(more.count > 0 ? [describeMore(more, isUncertain, format)] : []),
    ...(drift > 0 ? [`Each count may be off by ${format.count(drift)}.`] : []),
    ...(cut_off ? ["The service cut off rows, so some counts are known only as a range."] : []),
  ];
  return html(
    "section",
    html("h3", dimensionTitle(dimension)),
    movers.length === 0
      ? html("p.aside", isUncertain ? "No certain changes." : "No changes.")
      : html("ol.rows", ...movers.map((mover) => buildMover(mover, extent, format))),
    ...notes.map((note) => html("p.aside", note)),
  );
}

function describeMore(
  { count, most = 0, most_per_day: rate }: Group["more"],
  isUncertain: boolean,
  format: Format,
): string {
  const changed = isUncertain ? "may have changed" : "changed";
  const bound = rate === undefined ? format.count(most) : `${format.count(rate)} a day`;
  return `${format.count(count)} more ${changed}, by at most ${bound} each.`;
}

function buildMover(mover: Mover, extent: Range, format: Format): Tree {
  const label = nameRow(mover);
  const { change, percent, range } = readMover(mover);
  const numbers =
    change === null
      ? showChange(range, format)
      : [
          isolate(format.signed(change)),
          html("bdi.soft", percent === null ? "no percentage" : format.signedPercent(percent)),
        ];
  return html(
    "li",
    html("span.line", untrustedText(label), html("span.number", ...numbers)),
    html(
      "span.line",
      track(...buildBars(mover, extent)),
      html("span.number.beside.soft", html("span", ...showCounts(mover, format))),
    ),
  );
}

/** The range of a change that is not known, the smaller change first. */
function showChange(range: Range | undefined, format: Format): Tree[] {
  if (!range) return [html("span.soft", "uncertain")];
  const [small, large] = range.least > 0 ? [range.least, range.most] : [range.most, range.least];
  return [isolate(format.signed(small)), html("span.soft", "to"), isolate(format.signed(large))];
}

function showCounts({ current, previous, per_day, bounds }: Mover, format: Format): Part[] {
  const averages = bounds?.per_day;
  const isPerDay = per_day !== undefined || averages !== undefined;
  const show = (name: "current" | "previous", count: number | null) =>
    isPerDay
      ? showCount(per_day?.[name] ?? null, averages?.[name], format)
      : showCount(count, bounds?.[name], format);
  return [...show("previous", previous), " → ", ...show("current", current), ...(isPerDay ? [" a day"] : [])];
}

/** The change that is drawn: of averages per day, where periods are compared by them. */
function readMover({ change, per_day, bounds }: Mover) {
  return {
    change: per_day?.change ?? change?.absolute ?? null,
    percent: per_day?.percent ?? change?.percent ?? null,
    range: bounds?.per_day?.change ?? bounds?.change,
  };
}

/** A count, or its range if it is not known. */
function showCount(count: number | null, range: Range | undefined, format: Format): Part[] {
  if (count !== null) return [isolate(format.count(count))];
  if (!range) return ["unknown"];
  if (range.least === range.most) return [isolate(format.count(range.least))];
  return [isolate(format.count(range.least)), "–", isolate(format.count(range.most))];
}

/** The smallest and largest change: all bars of a comparison share this scale and its zero. */
function findExtent(movers: Mover[]): Range {
  const values = movers.map(findRange).flatMap(({ least, most }) => [least, most]);
  const [least, most] = [Math.min(0, ...values), Math.max(0, ...values)];
  return { least, most: least === most ? 1 : most };
}

/** The range of a change; from zero to the change if it is known. */
function findRange(mover: Mover): Range {
  const { change, range } = readMover(mover);
  if (change !== null) return { least: Math.min(0, change), most: Math.max(0, change) };
  return range ?? { least: 0, most: 0 };
}

function buildBars(mover: Mover, extent: Range): Tree[] {
  const toShare = (value: number) =>
    (100 * (Math.min(extent.most, Math.max(extent.least, value)) - extent.least)) /
    (extent.most - extent.least);
  const { least, most } = findRange(mover);
  const { change } = readMover(mover);
  const kind = change === null ? "range" : change < 0 ? "loss" : "";
  const zero = html("rect", { class: "zero", x: `${toShare(0)}%`, width: 1, height: "100%" });
  return [bar(toShare(least), toShare(most), kind), zero];
}
