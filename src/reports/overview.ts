import * as z from "zod";
import { nameHour } from "../operations/days.ts";
import type { Dimension } from "../operations/dimensions.ts";
import {
  count,
  DEFAULT_DAYS,
  date,
  filterEcho,
  filterParams,
  siteParam,
  siteRef,
  timestamp,
} from "../operations/fields.ts";
import { notFoundRow } from "../operations/not-found.ts";
import { forModels, type Note, propose } from "../operations/note.ts";
import { answerPeriod, describeVisitors, formatSpan, periodHeadline } from "../operations/period.ts";
import { periodParam } from "../operations/period-words.ts";
import { countsAtMost, showCount } from "../operations/ranges.ts";
import { omitEqualLabels } from "../operations/ranked-list.ts";
import type { Column, View } from "../operations/view.ts";
import { NOT_COMPARED, PERIOD_VISITORS, rangeWarning, warnings } from "../operations/warning.ts";
import { comparedTotals, describeComparison, isCompared } from "./compared-totals.ts";
import { missingParts, noteMissing, warnMissing } from "./missing-parts.ts";
import { defineReport } from "./query.ts";
import {
  changeColumns,
  leaveEmpty,
  listTotals,
  MEASURE_NAMES,
  NOW,
  noteCompared,
  visitRates,
} from "./report-fields.ts";
import { hasRanges, pickMainLists, pickMainWarnings, topLists, viewLists } from "./top-lists.ts";
import { MAX_WINDOW_DAYS, SMALL_SAMPLE_NOTE } from "./windows.ts";

const TOP_DIMENSIONS: Dimension[] = ["pages", "referrers", "channels", "countries", "devices"];

export const overviewParams = () =>
  z.strictObject({
    site: siteParam,
    days: z
      .int()
      .min(1)
      .max(MAX_WINDOW_DAYS)
      .default(DEFAULT_DAYS)
      .describe(
        "The last complete days, compared with as many before (2 to 6: the same weekdays a week before); today is shown separately.",
      ),
    period: periodParam(),
    ...filterParams(),
  });

/** Null for a day of which there is no data. */
const counts = z.array(count.nullable());

export const overviewResult = () =>
  z.object({
    site: siteRef,
    ...filterEcho(),
    period: answerPeriod,
    /** Totals are null if no day has data: nobody knows that they were 0. */
    visitors: count.nullable(),
    pageviews: count.nullable(),
    /** Absent where the service has none. */
    events: count.nullable().optional(),
    ...countsAtMost("visitors", "pageviews", "events"),
    ...visitRates,
    visits: count.nullable().optional(),
    comparison: comparedTotals().nullable(),
    /** Absent from a service whose days end yesterday. */
    today: z
      .object({
        date,
        visitors: count,
        pageviews: count,
        /** The page views of today's finished hours, and of yesterday's until the same time. Visitors of hours do not add up. */
        hours: z
          .object({ until: z.string(), pageviews_until_then: count, yesterday_until_then: count })
          .optional(),
      })
      .optional(),
    /** Absent where the source has none. */
    active_now: count.optional(),
    trend: z.object({
      from: date,
      visitors: counts,
      pageviews: counts.optional(),
      visits: counts.optional(),
      partial: z.boolean(),
      /** Of a single day. */
      hours: z
        .object({
          times: z.array(timestamp),
          visitors: counts,
          pageviews: counts.optional(),
          visits: counts.optional(),
        })
        .optional(),
      previous: z
        .object({
          from: date,
          visitors: counts,
          pageviews: counts,
          visits: counts.optional(),
        })
        .optional(),
    }),
    top: topLists(),
    missing: missingParts(),
    warnings,
  });

/** The first dead links, which only a report has. */
const deadLinks = () => z.object({ requests: count, total_rows: count, rows: z.array(notFoundRow()) });

/** The result of a report. On days that are over it has neither today nor this moment. */
export const reportResult = () => overviewResult().extend({ not_found: deadLinks().optional() });
export type ReportedOverview = z.output<ReturnType<typeof reportResult>>;

export type Overview = z.output<ReturnType<typeof overviewResult>>;

export const overview = defineReport({
  name: "overview",
  summary: "A site at a glance: totals, changes and top lists",
  tool: {
    name: "get_overview",
    title: "Site at a glance",
    description:
      "Web analytics of a site at a glance: totals of complete days, change, trend, top lists, today, active now. Start here for general questions.",
  },
  shell: {
    examples: ["analytics-mcp overview example.com", "analytics-mcp overview example.com --period last-week"],
    fields: "label,current",
  },
  params: overviewParams,
  result: overviewResult,
  compute: async (call, params, options) => {
    const { readOverview } = await import("./overview-answer.ts");
    return readOverview(call, params, options, TOP_DIMENSIONS);
  },
  compact: ({ trend: { from, visitors, partial, hours }, top, warnings, ...overview }) => ({
    ...overview,
    warnings: pickMainWarnings(warnings),
    trend: { from, visitors, partial, ...(hours && { hours: { visitors: hours.visitors } }) },
    top: pickMainLists(top).map((list) => ({ ...list, rows: omitEqualLabels(list.rows) })),
  }),
  asksForSites: true,
  drawn: ({ trend, top }) => ({ trend, top }),
  views: viewOverview,
});

const EVENTS_NOTE = "Events are shown without those of the days before.";

/** The overview as tables: the totals with their change, today and now, the trend, and the main lists. */
function viewOverview(overview: Overview): View[] {
  const lists = pickMainLists(overview.top);
  const shown = { ...overview, warnings: pickMainWarnings(overview.warnings) };
  return [viewTotals(shown), ...viewNow(overview), viewTrend(overview), ...viewLists(lists)];
}

export const NO_DAYS_BEFORE = "There are no days before to compare with.";
/** A page has a link for it. */
const COMPARE_A_WEEK = propose({
  why: "To compare the last 7 days with the 7 before",
  name: "compare",
  params: { days: 7 },
});

/**
 * Whether there is nothing before these days. Visitors that do not add up are those of days until the last one, which have no days
 * before of their own; and which days cannot be compared with is said by a warning of its own.
 */
export const isFirst = ({
  comparison,
  period,
  warnings,
}: Pick<ReportedOverview, "comparison" | "period" | "warnings">): boolean =>
  comparison === null &&
  period.partial === false &&
  !warnings?.some(({ code }) => code === PERIOD_VISITORS || code === NOT_COMPARED);

/** Where longer days are not compared, shorter ones may be. */
const proposeWeek = (answer: Parameters<typeof isFirst>[0]): Note[] => {
  const isUncompared = answer.warnings?.some(({ code }) => code === NOT_COMPARED);
  return isUncompared || (isFirst(answer) && answer.period.days > 7) ? [COMPARE_A_WEEK] : [];
};

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
  // The reason why there is no percentage is given only once.
  const told = warnings?.filter(({ detail }) => detail !== comparison?.incomplete);
  const { notes, warnings: partial } = describeVisitors(period, told);
  const {
    sums,
    rates,
    averages,
    notes: noted,
  } = listTotals(totals, previous, comparison ? { change: comparison, per_day: comparison.per_day } : {});
  const rows = [
    ...sums,
    ...(totals.events === undefined
      ? []
      : [{ ...NO_CHANGE, label: MEASURE_NAMES.events, current: showCount(totals, "events") }]),
    ...rates,
    ...averages,
  ];
  const coverage = comparison && describeComparison(comparison, period, filter);
  const hasChange = comparison && isCompared(comparison);
  return {
    name: "totals",
    headline: `${periodHeadline({ site, period, filter, warnings })}${previous && previous.days_with_data !== 0 ? `, compared with ${formatSpan(previous)}` : period.partial ? ", so far" : ""}`,
    columns: [{ key: "label", label: "measure", kind: "text" }, ...leaveEmpty(changeColumns, rows)],
    rows,
    notes: [
      // A terminal has room for a few: first what is not there, then what changes most how the numbers are read.
      ...noteMissing(missing, "shown", true),
      ...(isFirst({ comparison, period, warnings }) ? [NO_DAYS_BEFORE] : []),
      ...(comparison?.small_sample ? [SMALL_SAMPLE_NOTE] : []),
      // Without a sum, today is among these days and not among the compared ones.
      ...(previous && hasChange
        ? noteCompared({ ...period, days: period.days - Number(previous.pageviews === null) }, previous)
        : []),
      ...proposeWeek({ comparison, period, warnings }),
      // An empty cell beside a count reads as a failure; beside none, it needs no word.
      ...(previous && hasChange && totals.events ? [EVENTS_NOTE] : []),
      ...(coverage?.notes ?? []),
      ...notes,
      ...(top.some(({ rows }) => rows.length > 0)
        ? ["Rows may not add up: a visitor can count in several."]
        : []),
      ...noted,
    ],
    warnings: [
      ...warnMissing(missing, "shown"),
      ...partial,
      ...(coverage?.warnings ?? []),
      ...(top.some(hasRanges) ? [rangeWarning.detail] : []),
    ],
  };
}

const NO_CHANGE = { previous: null, change: null, percent: null };

/** Nothing, for days that are over. */
export function viewNow({ today, active_now }: ReportedOverview): View[] {
  if (today === undefined) return [];
  const { visitors, hours } = today;
  return [
    {
      name: NOW,
      headline: "",
      columns: [
        { key: "today", label: "visitors today", kind: "count" },
        ...(active_now === undefined ? [] : [activeColumn]),
        ...(hours ? hourColumns(hours.until) : []),
      ],
      rows: [{ today: visitors, ...(active_now !== undefined && { active_now }), ...hours }],
      // The heads of people's columns say so.
      notes: hours ? [forModels(`Until then: until ${hours.until}.`)] : [],
    },
  ];
}

const activeColumn: Column = { key: "active_now", label: "active now", kind: "count" };

/** Today's finished hours beside the same ones of yesterday. */
const hourColumns = (until: string): Column[] => [
  { key: "until", label: "page views until", kind: "word", machine: true },
  { key: "pageviews_until_then", label: `page views today by ${until}`, kind: "count" },
  { key: "yesterday_until_then", label: `yesterday by ${until}`, kind: "count" },
];

const listNumbers = (counts: readonly (number | null)[]) => counts.map((count) => count ?? "–").join(" ");

export function viewTrend({ trend: { from, visitors, partial, hours } }: ReportedOverview): View {
  const view = { columns: [], rows: [], notes: [] };
  // A single day has no trend of days.
  if (hours) {
    const starts = hours.times.map(nameHour);
    const [first = from, last = from] = [starts[0], starts.at(-1)];
    const interval = { name: "hour" as const, starts, to: last };
    return {
      ...view,
      headline: `Visitors an hour from ${first}: ${listNumbers(hours.visitors)}${partial ? " (this hour so far)" : ""}`,
      series: { label: "visitors an hour", from: first, values: hours.visitors, partial, interval },
    };
  }
  return {
    ...view,
    headline: `Visitors a day from ${from}: ${listNumbers(visitors)}${partial ? " (today so far)" : ""}`,
    series: { label: "visitors a day", from, values: visitors, partial },
  };
}
