import { AnalyticsError, type ErrorCode } from "../errors.ts";
import type { Call } from "../operations/call.ts";
import { addDays } from "../operations/days.ts";
import type { Dimension } from "../operations/dimensions.ts";
import { notFound } from "../operations/index.ts";
import { listNotFound, notFoundColumns } from "../operations/not-found.ts";
import { countUnits, note } from "../operations/note.ts";
import type { View } from "../operations/view.ts";
import type { QueryOptions } from "./default-days.ts";
import type { Missing } from "./missing-parts.ts";
import {
  overview,
  overviewParams,
  type ReportedOverview,
  reportResult,
  viewNow,
  viewTotals,
  viewTrend,
} from "./overview.ts";
import { readOverview } from "./overview-answer.ts";
import { defineReport, type Query } from "./query.ts";
import { keepMissing, readPart } from "./read-parts.ts";
import { MEASURE_NAMES } from "./report-fields.ts";
import { askSpan, type SitePeriod } from "./site-period.ts";
import { nameOtherDays, viewLists } from "./top-lists.ts";

const DIMENSIONS: Dimension[] = [
  ...(["pages", "referrers", "channels", "countries", "devices", "browsers"] as const),
  ...(["operating_systems", "utm_campaigns", "events"] as const),
];

const declareReport = (
  dimensions: readonly Dimension[],
  readLinks: typeof readDeadLinks | undefined,
): Query =>
  defineReport({
    name: "report",
    summary: "A report to share: an HTML page, Markdown or a mail",
    tool: overview.tool,
    shell: {
      examples: [
        "analytics-mcp report example.com --period last-month --open",
        "analytics-mcp report example.com -o november.html --period 2026-11",
        "analytics-mcp report example.com -o week.md --period last-week",
      ],
      fields: "label,current",
    },
    params: overviewParams,
    result: reportResult,
    compute: async (call, params, options) => {
      const { today, active_now, ...overview } = await readOverview(call, params, options, dimensions);
      const { from, to } = overview.period;
      const read = await readLinks?.(
        call,
        { site: params.site, today: today?.date ?? to, from, to },
        options,
      );
      const report = {
        ...overview,
        ...(read?.links?.rows.length && { not_found: read.links }),
        ...keepMissing(overview.missing ?? [], read?.missing ?? []),
      };
      // Days that are over are read again later, when this moment is over too.
      return report.trend.partial ? { ...report, today, active_now } : report;
    },
    views: (report) => [
      viewTotals(report),
      ...viewNow(report),
      viewTrend(report),
      ...viewLists(report.top.filter((list) => nameOtherDays(list) === "")),
      ...(report.not_found ? [viewDeadLinks(report.not_found)] : []),
      viewDays(report),
      ...viewLists(report.top.filter((list) => nameOtherDays(list) !== "")),
    ],
  });

/** The overview with more lists, for a file to share. It is not in `queries`, because an assistant has the overview. */
export const reportQuery = declareReport(DIMENSIONS, readDeadLinks);
/** The report without its lists, which take longest. */
export const headQuery = declareReport([], undefined);

const MEASURES = ["visitors", "pageviews", "visits"] as const;

/** Each day beside the same day of the span before. */
function viewDays({ trend }: ReportedOverview): View {
  const { from, visitors, previous } = trend;
  const measures = MEASURES.filter((measure) => trend[measure] !== undefined);
  const listColumns = (suffix: string) =>
    measures.map((measure) => ({
      key: `${measure}${suffix}`,
      label: MEASURE_NAMES[measure],
      kind: "count" as const,
    }));
  return {
    name: "days",
    headline: "Day by day",
    columns: [
      { key: "date", label: "day", kind: "date" },
      ...listColumns(""),
      ...(previous
        ? [{ key: "date_before", label: "compared with", kind: "date" as const }, ...listColumns("_before")]
        : []),
    ],
    rows: visitors.map((_, index) => ({
      date: addDays(from, index),
      ...Object.fromEntries(measures.map((measure) => [measure, trend[measure]?.[index] ?? null])),
      ...(previous &&
        index < previous.visitors.length && {
          date_before: addDays(previous.from, index),
          ...Object.fromEntries(
            measures.map((measure) => [`${measure}_before`, previous[measure]?.[index] ?? null]),
          ),
        }),
    })),
    notes: [],
  };
}

type DeadLinks = NonNullable<ReportedOverview["not_found"]>;

const ROWS = 10;

/** What a service answers that does not offer dead links, or not for these days. */
const LACKING: ReadonlySet<ErrorCode> = new Set(["not_found", "invalid_parameter"]);

/** Reads the first dead links. There are none if the source does not know them. */
export async function readDeadLinks(
  call: Call,
  span: SitePeriod,
  options: QueryOptions,
  limit = ROWS,
): Promise<{ links?: DeadLinks | undefined; missing: Missing }> {
  // They belong to no visit, so that no filter can choose among them.
  if (options.filter !== undefined) return { missing: [] };
  const read = async () => {
    try {
      const { totals, total_rows, rows } = await askSpan(call, notFound, { limit }, span, options);
      return { requests: totals.requests, total_rows, rows };
    } catch (error) {
      if (error instanceof AnalyticsError && LACKING.has(error.code)) return undefined;
      throw error;
    }
  };
  const { found, missing } = await readPart({ part: "not_found" }, read);
  return { links: found[0], missing };
}

const viewDeadLinks = ({ requests, total_rows, rows }: DeadLinks): View => ({
  name: "not_found",
  headline: "",
  columns: notFoundColumns,
  rows: listNotFound(rows),
  notes: [
    note`Not found: ${countUnits(requests, "request")} from people for ${countUnits(total_rows, "path")} got 404 or 410.`,
  ],
});
