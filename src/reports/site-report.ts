import { addDays } from "../operations/days.ts";
import type { Dimension } from "../operations/dimensions.ts";
import type { View } from "../operations/view.ts";
import { overview, overviewParams, readOverview } from "./overview.ts";
import { type ReportedOverview, reportResult } from "./overview-result.ts";
import { viewNow, viewTop, viewTotals, viewTrend } from "./overview-views.ts";
import { fromReport, type Query } from "./queries.ts";
import { defineReport } from "./report-definition.ts";

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
    const { today, active_now, ...report } = await readOverview(call, params, options, DIMENSIONS);
    // Days that are over are read again later, when this moment is over too.
    return report.trend.partial ? { ...report, today, active_now } : report;
  },
  views: (report) => [
    viewTotals(report),
    ...viewNow(report),
    viewTrend(report),
    ...report.top.map(viewTop),
    viewDays(report),
  ],
});

/** The overview with more lists, for a file to share. It is not in `queries`, because an assistant has the overview. */
export const reportQuery: Query = fromReport(siteReport);

/** Each day beside the same day of the span before. */
function viewDays({ trend: { from, visitors, pageviews = [], previous } }: ReportedOverview): View {
  return {
    name: "days",
    headline: "Day by day",
    columns: [
      { key: "date", label: "day", kind: "date" },
      { key: "visitors", label: "visitors", kind: "count" },
      { key: "pageviews", label: "page views", kind: "count" },
      ...(previous
        ? ([
            { key: "date_before", label: "compared with", kind: "date" },
            { key: "visitors_before", label: "visitors", kind: "count" },
            { key: "pageviews_before", label: "page views", kind: "count" },
          ] as const)
        : []),
    ],
    rows: visitors.map((count, index) => ({
      date: addDays(from, index),
      visitors: count,
      pageviews: pageviews[index] ?? null,
      ...(previous &&
        index < previous.visitors.length && {
          date_before: addDays(previous.from, index),
          visitors_before: previous.visitors[index] ?? null,
          pageviews_before: previous.pageviews[index] ?? null,
        }),
    })),
    notes: [],
  };
}
