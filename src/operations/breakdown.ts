import * as z from "zod";
import { quote } from "../errors.ts";
import { dimensions, nameColumns } from "./dimensions.ts";
import {
  count,
  daysParam,
  filterEcho,
  filterParams,
  siteParam,
  siteRef,
  spanParams,
  visitCounts,
} from "./fields.ts";
import { countUnits, forModels, forPeople, type Note, note } from "./note.ts";
import { defineOperation } from "./operation.ts";
import { answerPeriod, describeVisitors, period, periodHeadline, verifyAsked } from "./period.ts";
import { countsAtMost, showCount } from "./ranges.ts";
import { limitParam, listExtent, omitEqualLabels, verifyExtent } from "./ranked-list.ts";
import type { Column } from "./view.ts";
import { listVisitColumns, noteRates, showVisits } from "./visit-rates.ts";
import { showWarnings, UNKNOWN_DAYS, type Warning, warnings } from "./warning.ts";

const row = () =>
  z.object({
    value: z.string().nullable().describe("The value for programs; null if there is none or it is unknown."),
    label: z.string().describe("The value as people read it."),
    other: z
      .literal(true)
      .optional()
      .describe("Set for the row of all values beyond what the service keeps; its value is null."),
    visitors: count.describe("Sum over the days of the distinct visitors with this value."),
    pageviews: count
      .optional()
      .describe(
        "Page views: of the page for `pages`, otherwise of the visits with this value. Absent for `events`.",
      ),
    events: count.optional().describe("How often the event happened. Only for `events`."),
    ...visitCounts(),
    ...countsAtMost("visitors", "pageviews", "events"),
    percentage: z
      .number()
      .min(0)
      .max(100)
      .describe("Share of `totals.visitors`, 0–100, rounded half up to one decimal."),
  });

/** What the rows of a service that only describes itself may lack, or count without saying what. */
const uncertain = () => ({
  visitors: count.optional(),
  count: count.optional().describe("What the service counts, where it does not say what that is."),
  percentage: z.number().min(0).max(100).optional(),
});

const result = () =>
  z.object({
    site: siteRef,
    period,
    ...filterEcho(),
    dimension: z.string().describe("The requested dimension."),
    rows: z.array(row()).describe("At most `limit` rows."),
    ...listExtent,
    totals: z
      .object({
        visitors: count.describe("Visitors of the whole period, as in /stats."),
        pageviews: count.describe("Page views of the whole period, as in /stats."),
        events: count.optional().describe("Custom events of the whole period. Only for `events`."),
        ...visitCounts(),
        ...countsAtMost("visitors", "pageviews", "events"),
      })
      .describe("Totals of the period, not the sum of the rows."),
    warnings,
  });

/** What a row counts in addition to visitors. */
const measureOf = (dimension: string) => (dimension === "events" ? "events" : "pageviews");

type Counts = { visitors: number; pageviews?: number | undefined; events?: number | undefined };

/** Why rows contradict each other or the totals; undefined if they do not. */
function verifyRows(
  rows: readonly (Counts & { value: string | null; other?: true | undefined })[],
  totals: Counts,
  measure: "pageviews" | "events",
): string | undefined {
  const total = totals[measure];
  if (total === undefined) return `it lacks "totals.${measure}"`;
  const seen = new Set<string | null | undefined>();
  for (const [index, row] of rows.entries()) {
    const name = `"rows[${index}]"`;
    const count = row[measure];
    if (count === undefined) return `it lacks "rows[${index}].${measure}"`;
    if (row.visitors > (rows[index - 1] ?? row).visitors)
      return `${name} has more visitors than the row before it`;
    const value = row.other ? undefined : row.value;
    if (seen.has(value)) return `${name} repeats the value of another row`;
    if (row.visitors > totals.visitors)
      return `${name} has ${row.visitors} visitors, but the total is ${totals.visitors}`;
    if (count > total) return `${name} has ${count} ${measure}, but the total is ${total}`;
    seen.add(value);
  }
  return undefined;
}

type Share = { visitors: number; percentage: number };

/**
 * Why the percentages of rows are not those of these totals, as where a filter keeps a part and they are of everything;
 * undefined if they are. Tenths may be rounded in any direction, and so may whole percents, where a service writes no others.
 * Today's totals may be counted a moment after the rows.
 */
function verifyShares(
  rows: readonly Share[],
  totals: { visitors: number },
  isToday: boolean,
): string | undefined {
  const rounding = rows.every(({ percentage }) => Number.isInteger(percentage)) ? 1 : 0.1;
  const late = isToday ? 1 + totals.visitors / 100 : 0;
  const share = (visitors: number, all: number) => (visitors === 0 ? 0 : (100 * visitors) / all);
  const index = rows.findIndex(({ visitors, percentage }) => {
    const least = share(visitors, totals.visitors + late);
    const most = share(visitors, Math.max(visitors, totals.visitors - late));
    return percentage < least - rounding - 1e-6 || percentage > most + rounding + 1e-6;
  });
  const row = rows[index];
  if (row === undefined) return undefined;
  const own = share(row.visitors, totals.visitors).toFixed(1);
  return `"rows[${index}]" has ${row.percentage} percent, but ${own} percent of the total`;
}

function noteTotals({
  dimension,
  total_rows,
  totals: { visitors, pageviews, events },
}: {
  dimension: string;
  total_rows: number;
  totals: { visitors: number; pageviews: number; events?: number | undefined };
}): Note[] {
  const happened = events === undefined ? "" : note`, ${countUnits(events, "event")}`;
  const totals = note`${countUnits(visitors, "visitor")}, ${countUnits(pageviews, "page view")}${happened}.`;
  if (total_rows === 0) return [note`No ${dimension} in these days. Totals: ${totals}`];
  return [
    forPeople(note`Rows may not add up, since a visitor can count in several. In all: ${totals}`),
    forModels(note`Rows may not add up to the totals: ${totals}`),
  ];
}

const column = (key: "visitors" | "pageviews" | "events" | "count"): Column => ({
  key,
  label: key === "pageviews" ? "page views" : key,
  kind: "count",
});
const SHARE: Column = { key: "percentage", label: "share", kind: "percent" };

/** What is said of a list whose service does not say which days it covers, but perhaps has words for them. */
export const namePeriod = (warnings: readonly Warning[] = []): string =>
  String(
    warnings.find(({ code }) => code === UNKNOWN_DAYS)?.values?.said ?? "period not stated by the service",
  );

export const breakdown = defineOperation({
  name: "breakdown",
  path: "/breakdown",
  summary: "Top pages, referrers, countries, browsers and other dimensions of a site",
  description:
    "The values of one dimension, most visitors first, then most page views (for `events`: most events), then by value, null last. Rows may not add up to the totals, because one visitor can read several pages. entry_pages and exit_pages are the first and last page of a visit (without page views, the page of its first and last event). In every dimension except `pages` and `events`, a row counts the page views of whole visits. Countries are ISO 3166-1 alpha-2 codes, regions ISO 3166-2, languages BCP 47.",
  tool: {
    name: "get_breakdown",
    title: "Breakdown by dimension",
    description:
      "Web analytics by dimension: top pages, referrers, countries, events. Combine dimensions by filter, never by multiplying. Never add rows: use `totals`.",
  },
  shell: {
    examples: [
      "analytics-mcp breakdown pages --site example.com --days 7",
      "analytics-mcp breakdown example.com --dimension countries --limit 1000 --csv",
    ],
    fields: "label,visitors",
  },
  conform: {
    section: "breakdown",
    ask: (site) => ({ site, dimension: "pages" as const, limit: 1000, days: 30 }),
    members: "site, period, dimension, rows, limit, total_rows, truncated and totals",
    fix: "value may be null, but label may not",
    totals: ({ totals }) => totals,
  },
  params: () =>
    z.strictObject({
      site: siteParam,
      dimension: z.enum(dimensions).describe("What to rank by."),
      limit: limitParam,
      days: daysParam,
    }),
  optionalParams: () => ({ ...spanParams(), ...filterParams() }),
  result,
  answer: () =>
    result()
      .partial({ total_rows: true, totals: true })
      .extend({
        period: answerPeriod.optional(),
        rows: z.array(row().extend(uncertain())).describe("At most `limit` rows."),
      }),
  list: { key: "rows", keep: "first", hasVisits: true },
  maxAge: 60,
  verify: (result, params) => {
    if (result.dimension !== params.dimension) {
      return `its dimension is ${quote(result.dimension)}, not ${params.dimension}`;
    }
    return (
      verifyExtent(result, params) ??
      verifyRows(result.rows, result.totals, measureOf(result.dimension)) ??
      verifyShares(result.rows, result.totals, result.period.partial) ??
      verifyAsked(result, params)
    );
  },
  compact: (result) => ({ ...result, rows: omitEqualLabels(result.rows) }),
  view: (result) => {
    const { site, period, dimension, totals, total_rows } = result;
    const { notes, warnings } = period
      ? describeVisitors(period, result.warnings)
      : { notes: [], warnings: showWarnings(result.warnings) };
    const measure = measureOf(dimension);
    const has = (name: "visitors" | "pageviews" | "events" | "count" | "percentage") =>
      result.rows.some((row) => row[name] !== undefined);
    const isEmpty = result.rows.length === 0;
    const columns: Column[] = [
      ...(has("visitors") || isEmpty ? [column("visitors")] : []),
      ...(has(measure) || isEmpty
        ? [{ ...column(measure), ...(has("visitors") && { spare: true as const }) }]
        : []),
      ...(has("count") ? [column("count")] : []),
    ];
    return {
      headline: `${dimension} of ${period ? periodHeadline({ ...result, period }) : `${site.domain} (${namePeriod(result.warnings)})`}`,
      columns: [
        ...nameColumns(dimension),
        ...columns,
        ...(has("percentage") || isEmpty ? [SHARE] : []),
        ...listVisitColumns(result.rows),
      ],
      bars: columns[0]?.key ?? "visitors",
      rows: result.rows.map((row) => ({
        value: row.value,
        label: row.label,
        visitors: showCount(row, "visitors"),
        [measure]: showCount(row, measure),
        ...(row.count !== undefined && { count: row.count }),
        percentage: row.percentage ?? null,
        ...showVisits(row),
      })),
      ...((total_rows !== undefined || result.truncated) && {
        extent: { total: total_rows, limit: result.limit },
      }),
      notes: [
        ...(totals ? noteTotals({ dimension, total_rows: total_rows ?? result.rows.length, totals }) : []),
        ...notes,
        ...noteRates(result.rows),
      ],
      warnings,
    };
  },
});
