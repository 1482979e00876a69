// @ts-check
/** @import { Format } from "./format.js" */
/** @import { Overview } from "./shapes.js" */
/** @import { Day, Measure } from "./trend-days.js" */
import { html, own } from "./elements.js";
import { findMeasures, listBefore, MEASURES, readDays } from "./trend-days.js";

/** Day, count and the count before, in three lines. @param {Day} day @param {Measure} measure @param {Format} format */
export function describeDay({ count, name, open, before }, measure, format) {
  const unit = MEASURES[measure][count === 1 ? "one" : "many"];
  return [
    html("span", { class: "soft" }, own(format.weekday(name)), open ? ", so far" : ""),
    html("span", { class: "now" }, html("strong", {}, format.count(count)), ` ${unit}`),
    ...(before
      ? [
          html(
            "span",
            { class: "soft before" },
            own(format.count(before.count)),
            " on ",
            own(format.weekday(before.name)),
          ),
        ]
      : []),
  ];
}

/** @param {Day[]} days @param {Measure} measure @param {Format} format */
export function describeMost(days, measure, format) {
  const most = findMost(days);
  if (!most || most.count === 0) return [`No ${MEASURES[measure].many}`];
  return ["Most: ", html("strong", {}, format.count(most.count)), " on ", own(format.weekday(most.name))];
}

/** Describes the chart for people who cannot see it. @param {Day[]} days @param {Measure} measure @param {Format} format */
export function summarize(days, measure, format) {
  const [first, last] = [days[0], days.at(-1)];
  if (!first || !last) return "No days.";
  const say = (/** @type {{ name: string, count: number }} */ day) =>
    `${format.count(day.count)} on ${format.weekday(day.name)}`;
  const complete = days.filter((day) => !day.open);
  const [most, least] = [findMost(complete), findLeast(complete)];
  const before = listBefore(days);
  const mostBefore = findMost(before);
  return [
    `${MEASURES[measure].title}, ${format.rangeWithYear({ from: first.name, to: last.name })}.`,
    ...(most && least ? [`Most ${say(most)}, fewest ${say(least)}.`] : []),
    ...(last.open ? [`${format.weekday(last.name)} is incomplete: ${format.count(last.count)} so far.`] : []),
    ...(mostBefore ? [`Before, ${format.rangeWithYear(readSpan(before))}: most ${say(mostBefore)}.`] : []),
  ].join(" ");
}

/** @param {{ name: string }[]} days */
export const readSpan = (days) => ({ from: days[0]?.name ?? "", to: days.at(-1)?.name ?? "" });

/** @template {{ count: number }} T @param {T[]} days @returns {T | undefined} */
const findMost = ([first, ...others]) =>
  first && others.reduce((best, day) => (day.count > best.count ? day : best), first);

/** @param {Day[]} days @returns {Day | undefined} */
const findLeast = ([first, ...others]) =>
  first && others.reduce((best, day) => (day.count < best.count ? day : best), first);

/** The same numbers as a table, with all measures. @param {Overview["trend"]} trend @param {Format} format */
export function buildTable(trend, format) {
  const series = findMeasures(trend).map((measure) => ({ measure, days: readDays(trend, measure) }));
  const hasBefore = trend.previous !== undefined;
  const titles = series.flatMap(({ measure }) => [MEASURES[measure].name, ...(hasBefore ? ["before"] : [])]);
  const head = html("tr", {}, ...["Day", ...titles].map((title) => html("th", { scope: "col" }, title)));
  const rows = (series[0]?.days ?? []).map(({ name }, index) =>
    html(
      "tr",
      {},
      html("th", { scope: "row" }, html("time", { datetime: name }, format.weekday(name))),
      ...series.flatMap(({ days }) => buildCells(days[index], hasBefore, format)),
    ),
  );
  const table = html("table", {}, html("thead", {}, head), html("tbody", {}, ...rows));
  const scroll = { class: "scroll", tabindex: 0, role: "region", "aria-label": "The numbers of each day" };
  return html("details", {}, html("summary", {}, "Show as table"), html("div", scroll, table));
}

/** @param {Day | undefined} day @param {boolean} hasBefore @param {Format} format */
function buildCells(day, hasBefore, format) {
  if (!day) return [];
  const { count, open, before } = day;
  return [
    html("td", {}, own(format.count(count)), open ? " so far" : ""),
    ...(hasBefore ? [html("td", { class: "soft" }, before ? own(format.count(before.count)) : "–")] : []),
  ];
}
