import { NO_PERIOD } from "../operations/breakdown.ts";
import { type Days, nameHour } from "../operations/days.ts";
import { forModels, forPeople } from "../operations/note.ts";
import { describeVisitors, formatSpan, periodHeadline } from "../operations/period.ts";
import type { Column, View } from "../operations/view.ts";
import type { ComparedTotals } from "./compared-totals.ts";
import { describeCoverage } from "./coverage.ts";
import { noteMissing } from "./missing-lists.ts";
import type { Overview, ReportedOverview } from "./overview-result.ts";
import { changeColumns, listTotals, MEASURE_NAMES, nameColumns, noteLengths } from "./report-fields.ts";
import { SMALL_SAMPLE_NOTE } from "./windows.ts";

const MAIN_LISTS = ["pages", "referrers", "countries"];
const MAIN_ROWS = 5;

/** The top lists for a terminal and a model, which both have little room. */
export function pickMainLists(top: Overview["top"]): Overview["top"] {
  return top
    .filter(({ dimension }) => MAIN_LISTS.includes(dimension))
    .map((list) => ({ ...list, rows: list.rows.slice(0, MAIN_ROWS) }));
}

const RANGES_NOTE =
  "A range such as 209–214 is a count that is known only so far, because visits arrived meanwhile or the service cut its list. Ranges are ranked by their least value.";
const EVENTS_NOTE = "Events are not compared.";

/** The overview as tables: the totals with their change, today and now, the trend, and the main lists. */
export function viewOverview(overview: Overview): View[] {
  const lists = pickMainLists(overview.top);
  return [viewTotals(overview), ...viewNow(overview), viewTrend(overview), ...lists.map(viewTop)];
}

export function viewTotals({
  site,
  period,
  filter,
  comparison,
  top,
  missing,
  warnings,
  ...totals
}: ReportedOverview): View {
  const previous = comparison?.previous;
  const { notes, warnings: partial } = describeVisitors(period, warnings);
  const {
    sums,
    rates,
    averages,
    notes: noted,
  } = listTotals(totals, previous, comparison ? { change: comparison, per_day: comparison.per_day } : {});
  const coverage = comparison && describeComparison(comparison, period, filter);
  const isCompared = comparison && (comparison.per_day || comparison.visitors.absolute !== null);
  return {
    name: "totals",
    headline: `${periodHeadline(site.domain, period, filter)}${previous ? `, compared with ${formatSpan(previous)}` : period.partial ? ", so far" : ""}`,
    columns: [{ key: "label", label: "measure", kind: "text" }, ...changeColumns],
    rows: [
      ...sums,
      ...(totals.events === undefined
        ? []
        : [{ ...NO_CHANGE, label: MEASURE_NAMES.events, current: totals.events }]),
      ...rates,
      ...averages,
    ],
    notes: [
      ...notes,
      ...(comparison?.small_sample ? [SMALL_SAMPLE_NOTE] : []),
      ...(coverage?.notes ?? []),
      ...(comparison === null && !period.partial ? ["There are no days before to compare with."] : []),
      ...(previous && isCompared ? noteLengths(period, previous) : []),
      ...(previous && isCompared && totals.events !== undefined ? [forPeople(EVENTS_NOTE)] : []),
      ...(top.some(({ rows }) => rows.length > 0)
        ? [
            forPeople("Rows may not add up: a visitor can count in several."),
            forModels("Rows may not add up."),
          ]
        : []),
      ...noteMissing(missing, "shown"),
      ...noted,
    ],
    // The reason why there is no percentage is given only once.
    warnings: [
      ...partial.filter((warning) => warning !== comparison?.incomplete),
      ...(coverage?.warnings ?? []),
      ...(top.some(hasRanges) ? [RANGES_NOTE] : []),
    ],
  };
}

const NO_CHANGE = { previous: null, change: null, percent: null };

const hasRanges = ({ rows }: Overview["top"][number]) =>
  rows.some(({ visitors_at_most }) => visitors_at_most !== undefined);

/** Why the days of a comparison have no percentages, or only averages. */
export function describeComparison(
  comparison: ComparedTotals,
  { from, to, days }: Days & { days: number },
  filter?: readonly string[],
) {
  const { previous, days_with_data, per_day, visitors } = comparison;
  const current = { from, to, days, days_with_data };
  const shown = { sum: visitors, average: per_day?.visitors };
  return describeCoverage(comparison, { previous, current }, shown, filter);
}

/** Nothing, for days that are over. */
export function viewNow({ today, active_now }: ReportedOverview): View[] {
  if (today === undefined || active_now === undefined) return [];
  const { visitors, hours } = today;
  return [
    {
      name: "now",
      headline: "",
      columns: [
        { key: "today", label: "visitors today", kind: "count" },
        { key: "active_now", label: "active now", kind: "count" },
        ...(hours ? hourColumns : []),
      ],
      rows: [{ today: visitors, active_now, ...hours }],
      notes: [],
    },
  ];
}

/** Today's finished hours beside the same ones of yesterday. */
const hourColumns: readonly Column[] = [
  { key: "until", label: "until", kind: "word" },
  { key: "pageviews", label: "page views", kind: "count" },
  { key: "yesterday", label: "yesterday's", kind: "count" },
];

export function viewTrend({ trend }: ReportedOverview): View {
  if (trend.hours) return viewHours(trend, trend.hours);
  return {
    headline: `Visitors a day from ${trend.from}: ${trend.visitors.map((count) => count ?? "–").join(" ")}${trend.partial ? " (today so far)" : ""}`,
    columns: [],
    rows: [],
    notes: [],
    series: {
      label: "visitors a day",
      from: trend.from,
      values: trend.visitors,
      partial: trend.partial,
    },
  };
}

/** A single day has no trend of days. */
function viewHours(
  { from, partial }: Overview["trend"],
  { times, visitors }: NonNullable<Overview["trend"]["hours"]>,
): View {
  const starts = times.map(nameHour);
  const [first = from, last = from] = [starts[0], starts.at(-1)];
  return {
    headline: `Visitors an hour from ${first}: ${visitors.join(" ")}${partial ? " (this hour so far)" : ""}`,
    columns: [],
    rows: [],
    notes: [],
    series: {
      label: "visitors an hour",
      from: first,
      values: visitors,
      partial,
      interval: { name: "hour", starts, to: last },
    },
  };
}

const SHARE: Column = { key: "percentage", label: "share", kind: "percent", detail: true };

/** What the rows of a list count: visitors, unless the service has another count. */
const findMeasure = (rows: Overview["top"][number]["rows"]) =>
  (["visitors", "pageviews", "count"] as const).find((name) => rows.some((row) => row[name] !== undefined)) ??
  "visitors";

export function viewTop({ dimension, rows, no_period }: Overview["top"][number]): View {
  const measure = findMeasure(rows);
  const name = `top ${dimension.replaceAll("_", " ")}`;
  return {
    name: dimension,
    headline: no_period ? `${name}: ${NO_PERIOD}` : "",
    columns: [
      ...nameColumns(dimension, name),
      { key: measure, label: measure === "pageviews" ? "page views" : measure, kind: "count" },
      ...(rows.some(({ percentage }) => percentage !== undefined) || rows.length === 0 ? [SHARE] : []),
    ],
    rows: rows.map(({ value, label, visitors_at_most, percentage, ...counts }) => ({
      value,
      label,
      [measure]:
        visitors_at_most === undefined ? (counts[measure] ?? null) : `${counts.visitors}–${visitors_at_most}`,
      ...(percentage !== undefined && { percentage }),
    })),
    notes: [],
    // Its headline needs the whole width.
    ...(!no_period && { beside: true as const }),
  };
}
