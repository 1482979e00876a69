// @ts-check
/** @import { Format } from "./format.js" */
import { html, own } from "./elements.js";

/**
 * A day of the trend; `open` if it is incomplete.
 * @typedef {{ visitors: number, name: string, open: boolean }} Day
 */

/** @param {Day} day @param {Format} format */
export function describeDay({ visitors, name, open }, format) {
  const unit = visitors === 1 ? "visitor" : "visitors";
  return [
    html("strong", {}, format.count(visitors)),
    ` ${unit}${open ? " so far" : ""} · `,
    own(format.weekday(name)),
  ];
}

/** @param {Day[]} days @param {Format} format */
export function describeMost(days, format) {
  const most = findMost(days);
  if (!most || most.visitors === 0) return ["No visitors"];
  return ["Most: ", html("strong", {}, format.count(most.visitors)), " on ", own(format.weekday(most.name))];
}

/** Describes the chart for people who cannot see it. @param {Day[]} days @param {Format} format */
export function summarize(days, format) {
  const [first, last] = [days[0], days.at(-1)];
  if (!first || !last) return "No days.";
  const say = (/** @type {Day} */ day) => `${format.count(day.visitors)} on ${format.weekday(day.name)}`;
  const complete = days.filter((day) => !day.open);
  const [most, least] = [findMost(complete), findLeast(complete)];
  return [
    `Visitors per day, ${format.rangeWithYear({ from: first.name, to: last.name })}.`,
    ...(most && least ? [`Most ${say(most)}, fewest ${say(least)}.`] : []),
    ...(last.open
      ? [`${format.weekday(last.name)} is incomplete: ${format.count(last.visitors)} so far.`]
      : []),
  ].join(" ");
}

/** @param {Day[]} days @returns {Day | undefined} */
const findMost = ([first, ...others]) =>
  first && others.reduce((best, day) => (day.visitors > best.visitors ? day : best), first);

/** @param {Day[]} days @returns {Day | undefined} */
const findLeast = ([first, ...others]) =>
  first && others.reduce((best, day) => (day.visitors < best.visitors ? day : best), first);

/** The same numbers as a table. @param {Day[]} days @param {Format} format */
export function buildTable(days, format) {
  const head = html("tr", {}, html("th", { scope: "col" }, "Day"), html("th", { scope: "col" }, "Visitors"));
  const rows = days.map(({ name, visitors, open }) =>
    html(
      "tr",
      {},
      html("th", { scope: "row" }, html("time", { datetime: name }, format.weekday(name))),
      html("td", {}, own(format.count(visitors)), open ? " so far" : ""),
    ),
  );
  const table = html("table", {}, html("thead", {}, head), html("tbody", {}, ...rows));
  const scroll = { class: "scroll", tabindex: 0, role: "region", "aria-label": "Visitors per day" };
  return html("details", {}, html("summary", {}, "Show as table"), html("div", scroll, table));
}
