import * as z from "zod";
import { daysParam, siteParam } from "../operations/fields.ts";
import { visitDimensions } from "../operations/filter.ts";
import { periodParam } from "../operations/period-words.ts";
import { limitParam } from "../operations/ranked-list.ts";
import { conversionsResult } from "./conversions-result.ts";
import { viewConversions } from "./conversions-views.ts";
import { defineReport } from "./report-definition.ts";

const params = () =>
  z.strictObject({
    site: siteParam,
    goal: z.string().min(1).describe("What visitors reach, such as events=signup or pages=/thanks*."),
    by: z
      .enum(visitDimensions)
      .optional()
      .describe("Also for each value of a dimension of visits, such as channels."),
    limit: limitParam,
    days: daysParam,
    period: periodParam(),
  });

export const conversions = defineReport({
  name: "conversions",
  summary: "How many visitors reached a goal, such as an event or a page",
  tool: {
    name: "get_conversions",
    title: "Conversions",
    description: "Web analytics: the share of visitors who reached a goal (event or page).",
  },
  shell: {
    examples: [
      "analytics-mcp conversions example.com --goal events=signup",
      "analytics-mcp conversions example.com --goal events=signup --by channels",
    ],
    fields: "visitors,converted",
  },
  list: { key: "rows", keep: "first", cut: "truncated" },
  params,
  result: conversionsResult,
  compute: async (call, params, options) => {
    const { countConversions } = await import("./conversions.ts");
    return countConversions(call, params, options);
  },
  compact: ({ rows, ...result }) => ({
    ...result,
    ...(rows && {
      rows: rows.map(({ label, ...row }) => (label === row.value ? row : { ...row, label })),
    }),
  }),
  views: viewConversions,
});
