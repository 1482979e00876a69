import * as z from "zod";
import { quoteIfNeeded } from "../errors.ts";
import { count, filterEcho, filterParams, siteParam, siteRef, timestamp } from "./fields.ts";
import { headFilter, readFilter, verifyFilter } from "./filter.ts";
import { forModels, forPeople } from "./note.ts";
import { defineOperation } from "./operation.ts";
import { verifySite } from "./site-name.ts";
import { showWarnings, warnings } from "./warning.ts";

export const realtime = defineOperation({
  name: "realtime",
  path: "/realtime",
  summary: "Visitors active on a site in the last five minutes",
  description:
    "How many distinct visitors had a page view or an event in the window (as_of − window_minutes, as_of].",
  tool: {
    name: "get_realtime",
    title: "Active visitors now",
    description: "Web analytics right now: visitors active in the last five minutes, not what they look at.",
  },
  shell: {
    examples: ["analytics-mcp realtime example.com", "analytics-mcp realtime example.com --watch"],
    fields: "visitors,as_of",
    canWatch: true,
  },
  conform: {
    section: "realtime",
    ask: (site) => ({ site }),
    members: "site, visitors, window_minutes and as_of",
    fix: "as_of is RFC 3339 with an offset",
  },
  params: () => z.strictObject({ site: siteParam }),
  optionalParams: filterParams,
  result: () =>
    z.object({
      site: siteRef,
      ...filterEcho(),
      visitors: count.describe("Distinct visitors active in the window."),
      window_minutes: z.int().min(1).describe("Length of the window in minutes: 5."),
      as_of: timestamp.describe("End of the window, with the site's offset from UTC."),
      warnings,
    }),
  maxAge: 0,
  verify: (result, params) =>
    verifySite(result.site, params.site) ?? verifyFilter(result.filter, readFilter(params)),
  view: (result) => ({
    headline: `${quoteIfNeeded(result.site.domain)}${headFilter(result.filter)}, active in the last ${result.window_minutes === 1 ? "minute" : `${result.window_minutes} minutes`}`,
    columns: [
      { key: "visitors", label: "visitors", kind: "count" },
      { key: "as_of", label: "as_of", kind: "time", machine: true },
    ],
    rows: [{ visitors: result.visitors, as_of: result.as_of }],
    notes: [
      forPeople(
        `As of ${result.as_of.slice(0, 10)}, ${result.as_of.slice(11, 19)} ${result.as_of.endsWith("Z") ? "UTC" : "at the site"}.`,
      ),
      forModels(`As of ${result.as_of}.`),
    ],
    warnings: showWarnings(result.warnings),
  }),
});
