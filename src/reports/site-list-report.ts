import * as z from "zod";
import { sites } from "../operations/index.ts";
import { periodParam } from "../operations/period-words.ts";
import { defineReport } from "./report-definition.ts";
import { siteListResult } from "./site-list-result.ts";
import { viewSites } from "./site-list-views.ts";

export const siteList = defineReport({
  name: sites.name,
  summary: "List your sites and their visitors",
  tool: {
    name: sites.tool.name,
    title: sites.tool.title,
    description:
      "The sites with web analytics and, with a period, the visitors of each. Call this first if you do not know the site.",
  },
  shell: {
    examples: [
      "analytics-mcp sites",
      "analytics-mcp sites --period last-week",
      "analytics-mcp sites --fields domain,timezone",
    ],
    fields: "domain,timezone",
    trendOf: (row) => String(row.id),
  },
  params: () =>
    z.strictObject({
      period: periodParam().describe(
        "Adds each site's visitors and page views in these days, and their change: yesterday, last_week, last_7_days (complete days), october, 2026-11, 2026-11-01/2026-11-15.",
      ),
    }),
  result: siteListResult,
  list: { key: "sites", keep: "first" },
  compute: async (call, params, options) => {
    const { listSites } = await import("./site-list.ts");
    return listSites(call, params, options);
  },
  views: viewSites,
});
