import * as z from "zod";
import type { Dimension } from "../operations/dimensions.ts";
import { siteParam } from "../operations/fields.ts";
import { periodParam } from "../operations/period-words.ts";
import { overviewResult } from "./overview-result.ts";
import { pickMainLists, viewOverview } from "./overview-views.ts";
import { defineReport } from "./report-definition.ts";
import { compactNames } from "./report-fields.ts";
import { MAX_WINDOW_DAYS } from "./windows.ts";

const TOP_DIMENSIONS: Dimension[] = ["pages", "referrers", "channels", "countries", "devices"];

export const overviewParams = () =>
  z.strictObject({
    site: siteParam,
    days: z
      .int()
      .min(1)
      .max(MAX_WINDOW_DAYS)
      .default(30)
      .describe("The last complete days, compared with as many before; today is shown separately."),
    period: periodParam(),
  });

export const overview = defineReport({
  name: "overview",
  summary: "A site at a glance: totals, trend, comparison, top pages, referrers and countries, active now",
  tool: {
    name: "get_overview",
    title: "Site at a glance",
    description:
      "Web analytics of a site at a glance: totals of complete days, change, trend, top lists, today so far, active now. Start here for general questions.",
  },
  shell: {
    examples: ["analytics-mcp overview example.com", "analytics-mcp overview example.com --period last-week"],
    fields: "label,current",
  },
  params: overviewParams,
  result: overviewResult,
  compute: async (call, params, options) => {
    const { readOverview } = await import("./overview.ts");
    return readOverview(call, params, options, TOP_DIMENSIONS);
  },
  compact: ({ trend: { from, visitors, partial, hours }, top, ...overview }) => ({
    ...overview,
    trend: { from, visitors, partial, ...(hours && { hours: { visitors: hours.visitors } }) },
    top: pickMainLists(top).map((list) => ({ ...list, rows: compactNames(list.rows) })),
  }),
  drawn: ({ trend, top }) => ({ trend, top }),
  views: viewOverview,
});
