import type { SiteSelection } from "../../config/site-patterns.ts";
import { AnalyticsError } from "../../errors.ts";
import { listDays } from "../../operations/days.ts";
import { type Dimension, dimensions } from "../../operations/dimensions.ts";
import { dateAt, startOfDay } from "../calendar.ts";
import { describeCrawler } from "../crawler-list.ts";
import type { DataSource, SourceSite, Span } from "../data-source.ts";
import { nameValue } from "../logs/labels.ts";
import { identifySite } from "../site-id.ts";
import { createSiteNotFound } from "../site-not-found.ts";
import type { Row } from "./answer.ts";
import { createCache } from "./cache.ts";
import type { Connection, QueryParams } from "./connection.ts";
import { coverageWarnings } from "./coverage.ts";
import { filterTime, querySpan, type SpanQuery } from "./span-query.ts";
import { createSpanReader } from "./span-reader.ts";
import { type TableQueries, untilNow } from "./table-queries.ts";

/** More than any table has. */
const DAYS_KEPT = 10_000;
const WINDOW_MS = 5 * 60_000;
/** One query asks for the sites and for the totals of its days several times. */
const FRESH_MS = 30_000;
/** If a table has more, the column is probably not a site. */
const MAX_SITES = 10_000;

/** A site, its last loaded day, and the dimensions that it lacks. */
interface TableSite extends SourceSite {
  dataUntil: string;
  unrecorded: readonly string[];
}

export interface TableParts {
  connection: Connection;
  queries: TableQueries;
  /** Parameters of every query. */
  commonParams?: QueryParams;
  /** The domains to show; empty for all. */
  sites: readonly string[];
  /** Milliseconds since 1970. */
  clock: () => number;
}

/** Creates a function that opens a view of some of a table's sites. All views share a cache. */
export function createClickHouseViews({ connection, queries, commonParams, sites, clock }: TableParts) {
  const ask: Connection["ask"] = (query, params, signal) =>
    connection.ask(query, { ...commonParams, ...params }, signal);
  const listSites = createCache(FRESH_MS, clock, async (_: string, signal) => {
    const { rows } = await ask(queries.sites(), {}, signal);
    if (rows.length > MAX_SITES) throw createTooManySitesError(rows.length);
    const found = rows.map(readSite);
    const chosen = found.filter(({ domain }) => sites.includes(domain));
    // If the table has none of the named sites, their names are mistyped: the error that follows lists all sites.
    return chosen.length > 0 ? chosen : found;
  });
  const reader = createSpanReader(queries, ask, clock);
  const countDays = createCache(FRESH_MS, clock, async (key: string, signal) => {
    const query: SpanQuery = JSON.parse(key);
    return reader.days(query, signal);
  });
  const daysOf = (span: Span, signal?: AbortSignal) => countDays(JSON.stringify(querySpan(span)), signal);

  return (selection?: SiteSelection): DataSource => {
    const sitesOf = async (signal?: AbortSignal) => {
      const found = await listSites("", signal);
      return selection === undefined ? found : found.filter(({ domain }) => selection.includes(domain));
    };
    const findSite = async ({ domain }: SourceSite, signal?: AbortSignal) => {
      const found = (await sitesOf(signal)).find((site) => site.domain === domain);
      if (found === undefined) throw createSiteNotFound();
      return found;
    };
    const { crawlers: queryCrawlers } = queries;
    /** Absent if the table does not have crawlers. */
    const crawlers: DataSource["crawlers"] =
      queryCrawlers &&
      (async (span, limit, signal) => {
        const { params, endsNow } = querySpan(span);
        const withSums = { ...params, limit: limit + 1 };
        const { rows, totalRows } = await ask(queryCrawlers(filterTime(endsNow)), withSums, signal);
        const [sums, ...crawlers] = rows;
        return {
          rows: crawlers.map((row) => ({
            ...describeCrawler(String(row.value)),
            requests: Number(row.request_count),
            pages: Number(row.page_count),
            errors: Number(row.error_count),
            lastSeen: Number(row.last_seen) * 1000,
          })),
          totalRows: sums === undefined ? 0 : totalRows - 1,
          totalRequests: Number(sums?.request_count ?? 0),
        };
      });
    return {
      ...(crawlers && { crawlers }),
      daysKept: DAYS_KEPT,
      sites: sitesOf,
      days: async (span, signal) => {
        const days = await daysOf(span, signal);
        return listDays(span.from, span.to).map((date) => {
          const { visitors, pageviews, events } = days.get(date) ?? NO_VISITS;
          return { date, visitors, pageviews, events };
        });
      },
      breakdown: async (span, dimension, limit, signal) => {
        const { rows, totalRows } = await reader.breakdown(querySpan(span), dimension, limit, signal);
        return {
          rows: rows.map((row) => {
            const value = row.value === "" ? null : String(row.value);
            const label = nameValue(dimension, value);
            return { value, label, visitors: Number(row.visitor_count), hits: Number(row.hit_count) };
          }),
          totalRows,
        };
      },
      active: async (site, now, signal) => {
        const [since, until] = [now - WINDOW_MS, now].map((instant) => Math.floor(instant / 1000));
        const [from, to] = [now - WINDOW_MS, now].map((instant) => dateAt(instant, site.timezone));
        const { params: spanParams } = querySpan({ site, from: from ?? "", to: to ?? "", now });
        const params = { ...spanParams, since: since ?? 0, now: until ?? 0 };
        const { rows } = await ask(queries.active(untilNow), params, signal);
        return Number(rows[0]?.visitor_count ?? 0);
      },
      warnings: async (span, signal) => {
        const [{ dataUntil }, days] = await Promise.all([findSite(span.site, signal), daysOf(span, signal)]);
        return coverageWarnings(span, dataUntil, days);
      },
      dimensions: async (site, signal): Promise<readonly Dimension[]> => {
        if (queries.dimensions) return queries.dimensions;
        const { unrecorded } = await findSite(site, signal);
        return dimensions.filter((dimension) => !unrecorded.includes(dimension));
      },
    };
  };
}

function readSite({ domain, zone, zones, first_day: first, last_day: last, lacking }: Row): TableSite {
  const name = String(domain);
  const timezone = String(zone);
  if (Number(zones) !== 1) {
    throw new AnalyticsError("usage", `The days of ${name} were loaded in several timezones.`, {
      hint: "Remove its rows, and export its logs again with one --timezone.",
    });
  }
  const dataSince = String(first);
  return {
    id: identifySite(name),
    domain: name,
    name,
    timezone,
    dataSince,
    dataUntil: String(last),
    createdAt: startOfDay(dataSince, timezone),
    unrecorded: Array.isArray(lacking) ? lacking.map(String) : [],
  };
}

const NO_VISITS = { visitors: 0, pageviews: 0, events: 0 };

const createTooManySitesError = (count: number) =>
  new AnalyticsError("usage", `The table has ${count} sites, more than the ${MAX_SITES} that can be listed.`);
