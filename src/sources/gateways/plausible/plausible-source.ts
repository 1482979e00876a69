import * as z from "zod";
import { createGatewayClient, type GatewayService } from "../../../client/gateway-client.ts";
import { AnalyticsError } from "../../../errors.ts";
import { listDays } from "../../../operations/days.ts";
import type { Dimension } from "../../../operations/dimensions.ts";
import { compareRows } from "../../../operations/row-order.ts";
import { offsetAt, startOfDay } from "../../calendar.ts";
import type { DataSource, RankedRow, SourceSite, Span } from "../../data-source.ts";
import { nameValue } from "../../logs/labels.ts";
import { identifySite } from "../../site-id.ts";
import type { GatewayContext } from "../gateway.ts";
import { createTimezonesError, findSiteTimezone, listNamedSites } from "../site-timezones.ts";
import { answer, askRows } from "./query.ts";

const SERVICE: GatewayService = {
  title: "Plausible",
  authorize: (apiKey) => ({ Authorization: `Bearer ${apiKey}` }),
  concurrency: 4,
  quota: { requests: 600, seconds: 3600 },
};

/** What the contract's dimensions are called there. */
const DIMENSIONS: Partial<Record<Dimension, string>> = {
  pages: "event:page",
  entry_pages: "visit:entry_page",
  exit_pages: "visit:exit_page",
  hostnames: "event:hostname",
  referrers: "visit:referrer",
  channels: "visit:channel",
  utm_sources: "visit:utm_source",
  utm_mediums: "visit:utm_medium",
  utm_campaigns: "visit:utm_campaign",
  utm_terms: "visit:utm_term",
  utm_contents: "visit:utm_content",
  countries: "visit:country",
  regions: "visit:region",
  cities: "visit:city",
  devices: "visit:device",
  browsers: "visit:browser",
  operating_systems: "visit:os",
  events: "event:goal",
};

const SITE_FRESH = 3_600;

/** Opens Plausible's Stats API as a source. Visitors are those of each day, by the dimension `time:day`, added up. */
export function openPlausible({ target, siteTimezones, clock, limits }: GatewayContext): DataSource {
  const client = createGatewayClient(SERVICE, target, { clock, limits });

  /** The first day with data. Throws AnalyticsError `usage` if Plausible counts the site's days in another timezone. */
  const readSite = async (domain: string, signal?: AbortSignal): Promise<SourceSite> => {
    const timezone = findSiteTimezone(siteTimezones, domain, SERVICE.title);
    const { results, query } = await client.ask(
      {
        path: "/api/v2/query",
        json: { site_id: domain, metrics: ["pageviews"], date_range: "all" },
        schema: answer,
        freshFor: SITE_FRESH,
      },
      signal,
    );
    const [start] = query.date_range;
    assertTimezone(domain, timezone, start);
    const isEmpty = (results[0]?.metrics[0] ?? 0) === 0;
    const since = start.slice(0, 10);
    return {
      id: identifySite(domain),
      domain,
      name: domain,
      timezone,
      createdAt: startOfDay(since, timezone),
      dataSince: isEmpty ? null : since,
    };
  };
  const named = listNamedSites(siteTimezones).map(([domain]) => domain);

  return {
    sites: async (signal) => {
      if (named.length === 0) throw createTimezonesError(SERVICE.title);
      return Promise.all(named.sort().map((domain) => readSite(domain, signal)));
    },
    site: async (name, signal) => {
      const domain = named.find((each) => each === name || identifySite(each) === name);
      return domain === undefined ? undefined : readSite(domain, signal);
    },
    days: async (span, signal) => {
      const query = { metrics: ["visitors", "pageviews", "events"], dimensions: ["time:day"] } as const;
      const rows = await askRows(client, span, query, signal);
      const byDate = new Map(rows.map(({ dimensions: [date = ""], metrics }) => [date, metrics]));
      return listDays(span.from, span.to).map((date) => {
        const [visitors = 0, pageviews = 0, all = 0] = byDate.get(date) ?? [];
        return { date, visitors, pageviews, events: all - pageviews };
      });
    },
    breakdown: async (span, dimension, limit, signal) => {
      const rows = await readRows(span, dimension, signal);
      return { rows: rows.slice(0, limit), totalRows: rows.length };
    },
    active: async ({ domain }, _, signal) =>
      client.ask(
        { path: "/api/v1/stats/realtime/visitors", query: { site_id: domain }, schema: z.number() },
        signal,
      ),
    dimensions: async () => Object.keys(DIMENSIONS) as Dimension[],
    daysKept: 36_500,
  };

  async function readRows(
    span: Span,
    dimension: Dimension,
    signal: AbortSignal | undefined,
  ): Promise<RankedRow[]> {
    const name = DIMENSIONS[dimension] ?? "";
    const hits = dimension === "events" ? "events" : "pageviews";
    const query = { metrics: ["visitors", hits], dimensions: ["time:day", name] } as const;
    const found = new Map<string, { visitors: number; hits: number }>();
    for (const {
      dimensions: [, value = ""],
      metrics,
    } of await askRows(client, span, query, signal)) {
      const row = found.get(value) ?? { visitors: 0, hits: 0 };
      row.visitors += metrics[0] ?? 0;
      row.hits += metrics[1] ?? 0;
      found.set(value, row);
    }
    return [...found]
      .map(([value, counts]) => ({ value, label: nameValue(dimension, value), ...counts }))
      .sort(compareRows);
  }
}

/** Plausible names no timezone, but writes the first instant of a site's data with its offset from UTC. */
function assertTimezone(domain: string, timezone: string, start: string): void {
  const [, shown] = /([+-]\d\d:\d\d|Z)$/.exec(start) ?? [];
  const instant = Date.parse(start);
  if (shown === undefined || Number.isNaN(instant)) return;
  const offset = Date.parse(`${start.slice(0, 19)}Z`) - instant;
  if (offsetAt(instant, timezone) === offset) return;
  throw new AnalyticsError(
    "usage",
    `Plausible counts the days of ${domain} in another timezone than ${timezone}: its days begin at ${shown === "Z" ? "UTC" : `UTC${shown}`}.`,
    {
      hint: "Look it up in Plausible under the site's settings, General, Reporting timezone, and log in again.",
    },
  );
}
