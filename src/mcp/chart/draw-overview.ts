import { nameUnit } from "../../render/plural.ts";
import {
  bar,
  barLists,
  dimensionTitle,
  heading,
  html,
  isolate,
  joinParts,
  smallSample,
  subjectLines,
  type Tree,
  track,
  untrustedText,
} from "./elements.ts";
import type { Format } from "./format.ts";
import { describeChange, MEASURES, showMeasure } from "./measures.ts";
import { nameRow, type Overview } from "./shapes.ts";
import { hasTrend } from "./trend-days.ts";
import { drawFigure } from "./trend-figure.ts";

/** Where the lists of a live page lead. */
export interface RowLink {
  list(dimension: string): string;
  /** The attributes of a row's link; undefined if it leads nowhere. */
  row(dimension: string, index: number): Record<string, string> | undefined;
}

/**
 * Draws a site at a glance.
 *
 * @param rows How many rows of each list are shown at once; a click shows the others.
 */
export const drawOverview = (overview: Overview, format: Format, rows?: number): Tree[] => [
  ...drawHead(overview, format),
  ...drawTopLists(overview, format, rows),
];

/** What an overview begins with: what it is about, the totals and the trend. */
export function drawHead(overview: Overview, format: Format): Tree[] {
  const { period, comparison, trend } = overview;
  const covered = comparison?.days_with_data;
  return [
    html(
      "header",
      ...subjectLines(overview),
      html(
        "p.soft",
        ...joinParts([
          format.rangeWithYear(period),
          `${format.count(period.days)} ${nameUnit(period.days, "day")}${covered === undefined ? "" : `, ${covered} with data`}`,
          ...(period.timezone === undefined ? [] : [period.timezone]),
          ...(period.partial ? ["so far"] : []),
        ]),
      ),
    ),
    html("dl.tiles", ...buildTiles(overview, format)),
    ...(comparison && (comparison.per_day || comparison.visitors.absolute !== null)
      ? [
          html(
            "p.aside",
            "Compared with ",
            isolate(format.rangeWithYear(comparison.previous)),
            comparison.per_day ? "; percentages are of averages per day" : "",
          ),
          ...smallSample(comparison.small_sample),
        ]
      : []),
    ...(hasTrend(trend) ? [drawFigure(trend, format)] : []),
  ];
}

/** Its lists. */
export function drawTopLists(
  { filter, top }: Overview,
  format: Format,
  rows = Number.POSITIVE_INFINITY,
  links?: RowLink,
): Tree[] {
  const lists = top.filter(isTelling);
  if (lists.length === 0) return [];
  const hasShares = lists.some(({ rows }) => rows.some((row) => row.percentage));
  const shares = hasShares ? `share of ${filter ? "these" : "all"} visitors; ` : "";
  return [
    heading("Top lists", `${shares}rows may not add up`),
    barLists(
      "columns",
      lists.map((list) => buildList(list, format, rows, links)),
    ),
  ];
}

function buildTiles(overview: Overview, format: Format): Tree[] {
  const { events, active_now, comparison, today, period } = overview;
  return [
    ...MEASURES.flatMap((measure) => {
      const value = overview[measure.name];
      if (value === undefined) return [];
      const before = comparison?.previous[measure.name];
      const shown = typeof before === "number" ? showMeasure(before, measure, format) : undefined;
      const lines = comparison ? describeChange(measure, comparison, comparison, shown, format) : [];
      return [buildTile(measure.title, showMeasure(value, measure, format), lines)];
    }),
    // Most sources count events only where a page sends some.
    ...(!events
      ? []
      : [buildTile("Events", format.count(events), comparison ? [html("span.aside", "not compared")] : [])]),
    ...(period.partial || today === undefined
      ? []
      : [
          buildTile("Today so far", format.count(today.visitors), [
            html("span.aside", "visitors"),
            ...(today.hours ? describeHours(today.hours, period.to, format) : []),
          ]),
        ]),
    ...(active_now === undefined
      ? []
      : [
          buildTile("Active now", format.count(active_now), [
            html("span.aside", "at ", isolate(format.clock(period.as_of))),
          ]),
        ]),
  ];
}

/** Page views alone: the visitors of hours do not add up. */
const describeHours = (
  {
    until,
    pageviews_until_then: pageviews,
    yesterday_until_then: yesterday,
  }: NonNullable<NonNullable<Overview["today"]>["hours"]>,
  day: string,
  format: Format,
) =>
  [
    `${format.count(pageviews)} ${nameUnit(pageviews, "page view")} until ${format.clock(`${day}T${until}:00`)}`,
    `yesterday: ${format.count(yesterday)}`,
  ].map((text) => html("span.aside", text));

function buildTile(name: string, value: string, lines: Tree[]): Tree {
  return html("div.tile", html("dt", name), html("dd", html("strong.value", value), ...lines));
}

/** Whether a list says anything: not if it is empty, or of campaigns if no visitor came by one. */
const isTelling = ({ dimension, rows }: Overview["top"][number]) =>
  rows.length > 1 || (rows.length === 1 && !(dimension.startsWith("utm_") && rows[0]?.value === null));

function buildList(
  { dimension, rows, no_period, period }: Overview["top"][number],
  format: Format,
  shown: number,
  links: RowLink | undefined,
): Tree {
  const counts = rows.map(({ visitors, pageviews, count }) => visitors ?? pageviews ?? count ?? 0);
  const most = Math.max(1, ...counts);
  const items = rows.map(({ visitors_at_most, percentage, ...row }, index) => {
    const count = counts[index] ?? 0;
    const link = links?.row(dimension, index);
    // Without shares, a bar is as long as its row is beside the first.
    const length = percentage ?? (100 * count) / most;
    const name = [track(bar(0, Math.min(100, Math.max(0, length)))), untrustedText(nameRow(row))];
    return html(
      "li.filled",
      link ? html("a", { class: "named", ...link }, ...name) : html("span.named", ...name),
      html("span.number.beside", showVisitors(count, visitors_at_most, format)),
      ...(percentage === undefined
        ? []
        : [html("span.number.share.soft", isolate(format.percent(percentage)))]),
    );
  });
  const [first] = rows;
  // The tile of events counts each of them.
  const ofVisitors = dimension === "events" ? ["visitors, not events"] : [];
  const counted =
    first?.visitors === undefined ? [first?.pageviews === undefined ? "counts" : "page views"] : ofVisitors;
  const days = period ? [format.rangeWithYear(period)] : no_period ? [no_period] : [];
  const notes = [...counted, ...days];
  return html(
    "section",
    html(
      "h3",
      links
        ? html("a", { href: links.list(dimension) }, dimensionTitle(dimension))
        : dimensionTitle(dimension),
    ),
    ...(notes.length > 0 ? [html("p.aside", notes.join(", "))] : []),
    html("ol.rows", ...items.slice(0, shown)),
    ...(items.length > shown
      ? [
          html(
            "details",
            html("summary", `${format.count(items.length - shown)} more`),
            html("ol.rows", ...items.slice(shown)),
          ),
        ]
      : []),
  );
}

/** A count, or its range if it is not known. */
function showVisitors(least: number, most: number | undefined, format: Format): Tree {
  const range = most === undefined ? [] : ["–", isolate(format.count(most))];
  return html("span", isolate(format.count(least)), ...range);
}
