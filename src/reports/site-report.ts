import { addDays } from "../operations/days.ts";
import type { Dimension } from "../operations/dimensions.ts";
import type { View } from "../operations/view.ts";
import { readDeadLinks, viewDeadLinks } from "./dead-links.ts";
import { readOverview } from "./overview.ts";
import { overview, overviewParams } from "./overview-report.ts";
import { type ReportedOverview, reportResult } from "./overview-result.ts";
import { viewNow, viewTop, viewTotals, viewTrend } from "./overview-views.ts";
import { fromReport, type Query } from "./queries.ts";
import { defineReport } from "./report-definition.ts";
import { MEASURE_NAMES } from "./report-fields.ts";

const DIMENSIONS: Dimension[] = [
  ...(["pages", "referrers", "channels", "countries", "devices", "browsers"] as const),
  ...(["operating_systems", "utm_campaigns", "events"] as const),
];

const siteReport = defineReport({
  name: "report",
  summary: "A report to share: one HTML page that needs nothing else, or Markdown for a mail",
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
    const { today, active_now, ...overview } = await readOverview(call, params, options, DIMENSIONS);
    const { from, to } = overview.period;
    const links = await readDeadLinks(
      call,
      { site: params.site, today: today?.date ?? to, from, to },
      options,
    );
    const report = { ...overview, ...(links && { not_found: links }) };
    // Days that are over are read again later, when this moment is over too.
    return report.trend.partial ? { ...report, today, active_now } : report;
  },
  views: (report) => [
    viewTotals(report),
    ...viewNow(report),
    viewTrend(report),
    ...report.top.filter(({ no_period }) => !no_period).map(viewTop),
    ...(report.not_found ? [viewDeadLinks(report.not_found)] : []),
    viewDays(report),
    ...report.top.filter(({ no_period }) => no_period).map(viewTop),
  ],
});

/** The overview with more lists, for a file to share. It is not in `queries`, because an assistant has the overview. */
export const reportQuery: Query = fromReport(siteReport);

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
