import * as z from "zod";
import { count, siteRef, spanParams } from "./fields.ts";
import { countUnits, note } from "./note.ts";
import { defineOperation } from "./operation.ts";
import { describePeriod, period, periodHeadline, verifyAsked } from "./period.ts";
import { listExtent, requestList, verifyExtent, verifyRequests } from "./ranked-list.ts";
import type { Column, View } from "./view.ts";
import { warnings } from "./warning.ts";

/** How many pages that sent people to a path are shown. */
export const MAX_REFERRERS = 3;

/** What browsers and phones ask for although nothing links there. */
export const UNPROMPTED = /^\/(?:favicon\.ico$|apple-touch-icon[^/]*\.png$|\.well-known\/)/;

/** Whether browsers ask for a path of their own accord. The contract leaves these paths out. */
export const isUnprompted = (path: string): boolean => UNPROMPTED.test(path);

/** What went wrong: there is nothing at the path, or the server failed. */
export const failures = ["4xx", "5xx"] as const;
export type Failure = (typeof failures)[number];

export const statusParam = () => ({
  status: z
    .enum(failures)
    .optional()
    .describe(
      "How requests were answered: 4xx (404 or 410, the default), or 5xx (500–599), where scanners count too.",
    ),
});

/** The status that a query names; undefined if it names none. */
export const readStatus = (params: object): Failure | undefined => Reflect.get(params, "status");

const referrer = () =>
  z.object({
    value: z.string().describe("A page's path if it is the site's own, else a host."),
    internal: z.boolean().describe("Whether the page is the site's own."),
    requests: count.describe("Requests that came from there."),
  });

export const notFoundRow = () =>
  z.object({
    value: z.string().nullable().describe("The path, as in the dimension `pages`; null for `other`."),
    other: z
      .literal(true)
      .optional()
      .describe("Set for the row of all paths beyond what the service keeps; its value is null."),
    requests: count.describe("Requests for the path that were answered so."),
    visitors: count.describe("Sum over the days of the distinct people who asked."),
    referrers: z
      .array(referrer())
      .max(MAX_REFERRERS)
      .describe(
        "The pages that sent most of them there, by requests, then by value. Requests that name no page are in none.",
      ),
  });

type Row = z.output<ReturnType<typeof notFoundRow>>;

/** Why a row contradicts itself; undefined if it does not. */
function verifyRow({ requests, visitors, referrers }: Row, name: string): string | undefined {
  if (visitors > requests) return `${name} has ${visitors} visitors, but only ${requests} requests`;
  const linked = referrers.reduce((all, each) => all + each.requests, 0);
  return linked > requests
    ? `the referrers of ${name} have ${linked} requests, but it has only ${requests}`
    : undefined;
}

const listColumns = (label: string): Column[] => [
  { key: "value", label, kind: "text", untrusted: true, keepsEnd: true },
  { key: "requests", label: "requests", kind: "count" },
  { key: "visitors", label: "visitors", kind: "count", detail: true },
  { key: "referrers", label: "referrers", kind: "text", untrusted: true, wraps: true, keepsEnd: true },
];

/** Dead links as a table. */
export const notFoundColumns = listColumns("not found");

/** The rows of such a table. */
export const listNotFound = (rows: readonly Row[]): View["rows"] =>
  rows.map(({ value, other, requests, visitors, referrers }) => ({
    value: other ? "(other)" : value,
    requests,
    visitors,
    referrers: showReferrers(referrers),
  }));

/** In a table, a referrer is one of several in a cell. */
const MAX_SHOWN = 60;

const showReferrers = (referrers: Row["referrers"]) =>
  referrers
    .map(({ value, requests }) => {
      // Paths differ at their end.
      const shown = value.length > MAX_SHOWN ? `…${value.slice(1 - MAX_SHOWN)}` : value;
      return `${shown} (${requests})`;
    })
    .join(", ") || null;

type Excluded = Record<"bots" | "scanners", number>;

const noteDeadLinks = ({ requests }: { requests: number }, { bots, scanners }: Excluded) =>
  requests === 0
    ? note`No dead links in these days. Not counted: ${countUnits(bots, "request")} from bots, ${scanners} from scanners.`
    : note`${countUnits(requests, "request")} from people got 404 or 410. Not counted: ${bots} from bots, ${scanners} from scanners.`;

const noteErrors = ({ requests }: { requests: number }, { bots }: Excluded) =>
  requests === 0
    ? note`No request was answered 500–599 in these days. Not counted: ${bots} from bots.`
    : note`${countUnits(requests, "request")} got 500–599. Not counted: ${bots} from bots.`;

export const notFound = defineOperation({
  name: "not-found",
  path: "/not-found",
  ...requestList,
  summary: "Dead links: what people asked for and did not get, and which pages sent them there",
  description:
    "Optional: a service without it answers 404 `not_found` and does not describe it. The paths that people (no bots, no scanners) asked for by GET and that were answered 404 or 410, by requests, highest first, then by value, null last. With `status=5xx`, the paths that were answered 500–599, whoever asked but bots. All rows add up to `totals.requests`. Left out is what browsers ask for unprompted: `/favicon.ico`, `/apple-touch-icon*.png` and everything below `/.well-known/`.",
  tool: {
    name: "get_not_found",
    title: "Dead links",
    description: "Paths that people got 404 or 410 for, and which pages link there.",
  },
  shell: {
    examples: [
      "analytics-mcp not-found example.com --days 7",
      "analytics-mcp not-found example.com --status 5xx --period yesterday",
      "analytics-mcp not-found example.com --period last_month --limit 1000 --json",
    ],
    fields: "value,requests",
  },
  conform: {
    section: "not-found",
    ask: (site) => ({ site, limit: 1000, days: 30 }),
    members:
      "site, period, rows, limit, total_rows, truncated, totals and excluded, if the service offers it",
    fix: "a row has at most three referrers, and internal is true or false",
  },
  optionalParams: () => ({ ...spanParams(), ...statusParam() }),
  result: () =>
    z.object({
      site: siteRef,
      period,
      status: z.enum(failures).optional().describe("The requested status; absent if none was."),
      rows: z.array(notFoundRow()).describe("At most `limit` rows."),
      ...listExtent,
      totals: z
        .object({ requests: count.describe("All such requests of people in the period.") })
        .describe("Totals of the period, whatever the limit."),
      excluded: z
        .object({
          bots: count.describe("Such requests of bots, by their user agents."),
          scanners: count.describe("Such requests of scanners; 0 with `status=5xx`, where they count."),
        })
        .describe("Requests that are in no row, because no person sent them."),
      warnings,
    }),
  verify: (result, params) =>
    (result.status === readStatus(params) ? undefined : "it is not about the requested status") ??
    verifyExtent(result, params) ??
    verifyRequests(result.rows, result.totals.requests, verifyRow) ??
    verifyAsked(result, params),
  view: ({ site, period, status, rows, limit, total_rows, totals, excluded, warnings }) => {
    const described = describePeriod(period, warnings);
    return {
      headline: `${status === "5xx" ? "server errors" : "not found"} at ${periodHeadline({ site, period, warnings })}`,
      columns: status === "5xx" ? listColumns("path") : notFoundColumns,
      bars: "requests",
      rows: listNotFound(rows),
      extent: { total: total_rows, limit },
      notes: [
        status === "5xx" ? noteErrors(totals, excluded) : noteDeadLinks(totals, excluded),
        ...described.notes,
      ],
      warnings: described.warnings,
    };
  },
});
