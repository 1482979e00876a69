import * as z from "zod";
import { count, siteRef, timestamp } from "./fields.ts";
import { countUnits, forModels, forPeople, note } from "./note.ts";
import { defineOperation } from "./operation.ts";
import { describePeriod, period, periodHeadline, verifyAsked } from "./period.ts";
import { listExtent, omitEqualLabels, requestList, verifyExtent, verifyRequests } from "./ranked-list.ts";
import { warnings } from "./warning.ts";

/** What crawlers collect pages for. A later version may know more. */
export const crawlerPurposes = ["training", "search", "assistant", "other"] as const;

const row = () =>
  z.object({
    value: z
      .string()
      .nullable()
      .describe("The name in the user agent, such as GPTBot; null for crawlers without a known name."),
    label: z.string().describe("The crawler's name as people read it."),
    operator: z.string().nullable().describe("Who runs it; null if that is unknown."),
    purpose: z
      .string()
      .describe(
        "What it collects pages for: `training` (of models), `search` (an index), `assistant` (a page that a person asked for) or `other`.",
      ),
    requests: count.describe("Requests, whatever the answer was."),
    pages: count.describe("Sum over the days of the distinct paths requested."),
    error_percentage: z
      .number()
      .min(0)
      .max(100)
      .describe("Share of `requests` answered with 4xx or 5xx, 0–100, rounded half up to one decimal."),
    last_seen: timestamp.describe("Its last request in the period, with an offset from UTC."),
  });

type Row = z.output<ReturnType<typeof row>>;

/** Why a row contradicts itself; undefined if it does not. */
const verifyRow = ({ requests, pages }: Row, name: string): string | undefined =>
  pages > requests ? `${name} has ${pages} pages, but only ${requests} requests` : undefined;

const PAGES = "Pages are distinct paths of each day, added up: one read on two days counts twice.";

function describeCrawlers(
  requests: number,
  days: number,
  { notes, warnings }: ReturnType<typeof describePeriod>,
) {
  const about =
    requests === 0
      ? "No crawlers in these days."
      : note`Crawlers as they identify themselves: anyone can imitate a user agent. They made ${countUnits(requests, "request")} in total, and are not visitors.`;
  const added = [forPeople(PAGES), forModels("Pages: distinct paths of each day, added up.")];
  return { notes: [about, ...(requests > 0 && days > 1 ? added : []), ...notes], warnings };
}

export const crawlers = defineOperation({
  name: "crawlers",
  path: "/crawlers",
  ...requestList,
  summary: "AI crawlers and other bots that read a site, as they identify themselves",
  description:
    "Optional: a service without it answers 404 `not_found` and does not describe it. Crawlers by requests, highest first, then by value, null last. They are known by the user agent that they send, which anyone can imitate. Every request of a crawler counts in exactly one row, so all rows add up to `totals.requests`. Crawlers are not visitors and are in no other number.",
  tool: {
    name: "get_crawlers",
    title: "AI crawlers and bots",
    description: "AI crawlers and other bots that read a site, as they identify themselves; no visitors.",
  },
  shell: {
    examples: [
      "analytics-mcp crawlers example.com --days 7",
      "analytics-mcp crawlers example.com --period last_month --limit 1000 --csv",
    ],
    fields: "label,requests",
  },
  conform: {
    section: "crawlers",
    ask: (site) => ({ site, limit: 1000, days: 30 }),
    members: "site, period, rows, limit, total_rows, truncated and totals, if the service offers it",
    fix: "error_percentage is from 0 to 100, and last_seen is RFC 3339 with an offset",
  },
  result: () =>
    z.object({
      site: siteRef,
      period,
      rows: z.array(row()).describe("At most `limit` rows."),
      ...listExtent,
      totals: z
        .object({ requests: count.describe("Requests of all crawlers in the period.") })
        .describe("Totals of the period, whatever the limit."),
      warnings,
    }),
  verify: (result, params) =>
    verifyExtent(result, params) ??
    verifyRequests(result.rows, result.totals.requests, verifyRow) ??
    verifyAsked(result, params),
  compact: (result) => ({ ...result, rows: omitEqualLabels(result.rows) }),
  view: ({ site, period, rows, limit, total_rows, totals, warnings }) => ({
    headline: `crawlers of ${periodHeadline({ site, period, warnings })}`,
    columns: [
      { key: "value", label: "value", kind: "text", machine: true },
      { key: "label", label: "crawler", kind: "text" },
      { key: "operator", label: "operator", kind: "text", detail: true },
      { key: "purpose", label: "purpose", kind: "text" },
      { key: "requests", label: "requests", kind: "count" },
      { key: "pages", label: "pages", kind: "count", detail: true },
      { key: "error_percentage", label: "errors", kind: "percent" },
      { key: "last_seen", label: "last seen", kind: "time", detail: true },
    ],
    bars: "requests",
    rows,
    extent: { total: total_rows, limit },
    ...describeCrawlers(totals.requests, period.days, describePeriod(period, warnings)),
  }),
});
