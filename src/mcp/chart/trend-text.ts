import { html, isolate, type Part, type Tree } from "./elements.ts";
import type { Format } from "./format.ts";
import {
  type Day,
  type DayCount,
  findMeasures,
  listBefore,
  MEASURES,
  type Measure,
  readDays,
  readSpan,
  type Trend,
  titleOf,
  unitOf,
} from "./trend-days.ts";

/** Day, count and the count before, in three lines. */
export function describeDay(
  { count, missing, name, to, open, before }: Day,
  measure: Measure,
  format: Format,
) {
  const unit = `${MEASURES[measure][count === 1 ? "one" : "many"]}${to === undefined ? "" : " a day"}`;
  return [
    html("span.soft", isolate(nameDay({ name, to }, format)), open ? ", so far" : ""),
    missing ? html("span.now", "No data") : html("span.now", html("strong", format.count(count)), ` ${unit}`),
    ...(before
      ? [
          html(
            "span.soft.before",
            isolate(format.count(before.count)),
            " on ",
            isolate(nameDay(before, format)),
          ),
        ]
      : []),
  ];
}

const nameDay = ({ name, to }: { name: string; to?: string | undefined }, format: Format) =>
  to === undefined ? format.weekday(name) : format.range({ from: name, to });

export function describeMost(days: Day[], measure: Measure, format: Format): Part[] {
  const most = findMost(days.filter(isWhole));
  if (!most || most.count === 0) return [`No ${MEASURES[measure].many}`];
  return [
    "Most: ",
    html("strong", format.count(most.count)),
    most.to === undefined ? " on " : " a day, ",
    isolate(nameDay(most, format)),
  ];
}

/** Describes the chart for people who cannot see it. */
export function summarize(days: Day[], measure: Measure, format: Format): string {
  const last = days.at(-1);
  if (!last) return "No days.";
  const describe = (day: DayCount) => `${format.count(day.count)} on ${nameDay(day, format)}`;
  const complete = days.filter((day) => !day.open && isWhole(day));
  const [most, fewest] = [findMost(complete), findFewest(complete)];
  const before = listBefore(days);
  const mostBefore = findMost(before);
  return [
    `${titleOf(days, measure)}, ${format.rangeWithYear(readSpan(days))}.`,
    ...(most && fewest ? [`Most ${describe(most)}, fewest ${describe(fewest)}.`] : []),
    ...(last.open ? [`${format.weekday(last.name)} is incomplete: ${format.count(last.count)} so far.`] : []),
    ...(mostBefore
      ? [`Before, ${format.rangeWithYear(readSpan(before))}: most ${describe(mostBefore)}.`]
      : []),
  ].join(" ");
}

/** Whether it has data, of all its days if it is a week. */
const isWhole = ({ missing, part }: DayCount) => !missing && !part;

const findMost = (days: DayCount[]) => [...days].sort((a, b) => b.count - a.count)[0];

const findFewest = (days: DayCount[]) => [...days].sort((a, b) => a.count - b.count)[0];

/** The same numbers as a table, with all measures. */
export function buildTable(trend: Trend, format: Format): Tree {
  const series = findMeasures(trend).map((measure) => ({ measure, days: readDays(trend, measure) }));
  const unit = unitOf(series[0]?.days ?? []);
  const hasBefore = trend.previous !== undefined && unit === "day";
  const titles = series.flatMap(({ measure }) => [MEASURES[measure].name, ...(hasBefore ? ["before"] : [])]);
  const head = html(
    "tr",
    ...[unit === "day" ? "Day" : "Hour", ...titles].map((title) => html("th", { scope: "col" }, title)),
  );
  const rows = (series[0]?.days ?? []).map(({ name }, index) =>
    html(
      "tr",
      html("th", { scope: "row" }, html("time", { datetime: name }, format.weekday(name))),
      ...series.flatMap(({ days }) => buildCells(days[index], hasBefore, format)),
    ),
  );
  const table = html("table", html("thead", head), html("tbody", ...rows));
  const scroll = {
    class: "scroll",
    tabindex: 0,
    role: "region",
    "aria-label": `The numbers of each ${unit}`,
  };
  return html("details", html("summary", "Show as table"), html("div", scroll, table));
}

function buildCells(day: Day | undefined, hasBefore: boolean, format: Format): Tree[] {
  if (!day) return [];
  const { count, missing, open, before } = day;
  return [
    html("td", missing ? "–" : isolate(format.count(count)), open ? " so far" : ""),
    ...(hasBefore ? [html("td.soft", before ? isolate(format.count(before.count)) : "–")] : []),
  ];
}
