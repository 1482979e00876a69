import * as z from "zod";
import { date, timestamp } from "./fields.ts";
import { forModels } from "./note.ts";
import { defineOperation } from "./operation.ts";
import { showWarnings, warnings } from "./warning.ts";

const site = () =>
  z.object({
    id: z.string().describe("Stable identifier, accepted as `site`."),
    domain: z.string().describe("Domain without scheme and www., accepted as `site`."),
    name: z.string().describe("Name that the owner gave the site."),
    timezone: z.string().describe("IANA timezone that the site's days follow."),
    created_at: timestamp.describe("When the site was added."),
    data_since: date
      .nullable()
      .describe("First day with data, in the site's timezone; null if nothing was ever recorded."),
  });

const siteList = <S extends z.ZodObject>(element: S) =>
  z.object({
    as_of: timestamp.describe("When the list was read, in UTC."),
    sites: z.array(element).describe("Sites, ordered by domain."),
    warnings,
  });

export const sites = defineOperation({
  name: "sites",
  path: "/sites",
  summary: "List your sites",
  description:
    "The sites of the key's organization, ordered by domain. Sites of other organizations are never listed; one of them may have the same domain.",
  tool: {
    name: "list_sites",
    title: "List sites",
    description:
      "The sites with web analytics: id, domain, timezone and first day with data. Call this first if you do not know the site.",
  },
  shell: {
    examples: ["analytics-mcp sites", "analytics-mcp sites --fields domain,timezone"],
    fields: "domain,timezone",
    trendOf: (row) => String(row.id),
  },
  conform: {
    section: "sites",
    ask: () => ({}),
    members: "as_of and sites, each with id, domain, name, timezone, created_at and data_since",
    fix: "timestamps are RFC 3339 with an offset",
  },
  params: () => z.strictObject({}),
  result: () => siteList(site()),
  answer: () => siteList(site().partial({ timezone: true, created_at: true, data_since: true })),
  list: { key: "sites", keep: "first" },
  maxAge: 60,
  view: (result) => ({
    headline: `${result.sites.length} ${result.sites.length === 1 ? "site" : "sites"}`,
    columns: [
      { key: "domain", label: "domain", kind: "text" },
      { key: "id", label: "id", kind: "text", detail: true },
      { key: "name", label: "name", kind: "text", detail: true },
      { key: "timezone", label: "timezone", kind: "text", detail: true },
      { key: "data_since", label: "data since", kind: "date", detail: true },
    ],
    rows: result.sites.map(({ timezone = null, created_at = null, data_since = null, ...site }) => ({
      ...site,
      timezone,
      created_at,
      data_since,
    })),
    notes: [forModels(`As of ${result.as_of}.`)],
    warnings: showWarnings(result.warnings),
  }),
});
