import { createCache } from "../../client/concurrency.ts";
import type { SiteSelection } from "../../config/site-patterns.ts";
import { AnalyticsError, quoteWord } from "../../errors.ts";
import { nameValue } from "../../names/value-names.ts";
import { listDays } from "../../operations/days.ts";
import { type Dimension, dimensions } from "../../operations/dimensions.ts";
import { cleanText } from "../../render/clean-text.ts";
import { dateAt, listHours, startOfDay } from "../calendar.ts";
import { describeCrawler } from "../crawler-list.ts";
import type { DataSource, SourceSite, Span } from "../data-source.ts";
import { warnOfFilter } from "../data-warnings.ts";
import { OTHER } from "../measure/definition.ts";
import { columnOf } from "../measure/hit-table.ts";
import { isOwnPage } from "../not-found-ranking.ts";
import { identifySite } from "../site-id.ts";
import { createSiteNotFound } from "../site-not-found.ts";
import { coverageWarnings, createGapMarker } from "./coverage.ts";
import { writeFilter } from "./filter-sql.ts";
import {
  crawlerRow,
  dateRow,
  excludedRow,
  notFoundRow,
  type SiteRow,
  siteRow,
  type VisitRow,
  viewRow,
  visitorRow,
} from "./rows.ts";
import { filterTime, querySite, querySpan, type SpanQuery } from "./span-query.ts";
import { createSpanReader } from "./span-reader.ts";
import {
  MAX_SITES,
  type NotFoundQueries,
  type TableLayout,
  type TableQueries,
  untilNow,
} from "./table-queries.ts";
import type { TableReader } from "./table-reader.ts";

/** More than any table has. */
const DAYS_KEPT = 10_000;
const WINDOW_MS = 5 * 60_000;
/** One query asks for the sites and for the totals of its days several times. */
const FRESH_MS = 30_000;

/** A site, its last loaded day, and the dimensions that it lacks. */
interface TableSite extends SourceSite {
  dataUntil: string;
  unrecorded: readonly string[];
}

export interface TableParts {
  reader: TableReader;
  /** The domains to show; empty for all. */
  sites: readonly string[];
  /** Milliseconds since 1970. */
  clock: () => number;
}

/** Creates a function that opens a view of some of a table's sites. All views share a cache. */
export function createClickHouseViews({ reader, sites, clock }: TableParts) {
  const { layout, ask, prepare } = reader;
  const listSites = createCache(FRESH_MS, clock, async (_: string, signal) => {
    const { rows, totalRows } = await ask(
      { write: (queries) => queries.sites(), row: siteRow, maxRows: MAX_SITES + 1 },
      signal,
    );
    if (rows.length > MAX_SITES) throw createTooManySitesError(totalRows);
    const found = rows.map((row) => readSite(row, layout.domainOf)).sort(byDomain);
    assertOneEach(found);
    const chosen = found.filter(({ domain }) => sites.includes(domain));
    // If the table has none of the named sites, their names are mistyped: the error that follows lists all sites.
    return chosen.length > 0 ? chosen : found;
  });
  const spans = createSpanReader(reader, clock);
  /** An answer asks for the same days several times. */
  const cacheDays = <T>(read: (query: SpanQuery, signal?: AbortSignal) => Promise<T>) => {
    const cached = createCache(FRESH_MS, clock, (key: string, signal) => read(JSON.parse(key), signal));
    return (span: Span, signal?: AbortSignal) => cached(JSON.stringify(querySpan(span)), signal);
  };
  const findTotals = cacheDays(spans.totals);
  const findLoadedDays = cacheDays(spans.loadedDays);
  const countTimeless = createCache(FRESH_MS, clock, async (site: string, signal) => {
    const { timeless } = (await prepare(signal)).queries;
    if (timeless === undefined) return 0;
    const { rows } = await ask(
      { write: timeless, params: JSON.parse(site), row: viewRow, maxRows: 1 },
      signal,
    );
    return rows[0]?.view_count ?? 0;
  });

  return (selection?: SiteSelection): DataSource => {
    const sitesOf = async (signal?: AbortSignal) => {
      const found = await listSites("", signal);
      // Who has a key must not learn more than that there is no such site.
      if (selection !== undefined) return found.filter(({ domain }) => selection.includes(domain));
      if (found.length === 0)
        throw new AnalyticsError("usage", layout.noRows.message, { hint: layout.noRows.hint });
      return found;
    };
    const findSite = async ({ domain }: SourceSite, signal?: AbortSignal) => {
      const found = (await sitesOf(signal)).find((site) => site.domain === domain);
      if (found === undefined) throw createSiteNotFound();
      return found;
    };
    const readLoaded = async (span: Span, signal?: AbortSignal) => {
      const [{ dataUntil: lastDay }, days] = await Promise.all([
        findSite(span.site, signal),
        findLoadedDays({ ...span, filter: undefined }, signal),
      ]);
      return { lastDay, days };
    };
    const readGaps = async (span: Span, signal?: AbortSignal) =>
      createGapMarker(await readLoaded(span, signal));
    /** The days of which values were folded that a filter may ask for. */
    const findFolded = async (span: Span, signal?: AbortSignal) => {
      const { params, endsNow, filter } = querySpan(span);
      const asked = new Set(filter.map(({ dimension }) => columnOf(dimension)));
      // These names are never folded.
      asked.delete("events");
      const { folded } = asked.size > 0 ? (await prepare(signal)).queries : {};
      if (folded === undefined) return [];
      const write = () => folded([...asked], filterTime(endsNow));
      const { rows } = await ask({ write, params, row: dateRow, maxRows: DAYS_KEPT }, signal);
      return rows.map(({ date }) => date);
    };
    const crawlers: DataSource["crawlers"] = async (span, limit, signal) => {
      const { params, endsNow } = querySpan(span);
      const write = (queries: TableQueries) => queries.crawlers?.(filterTime(endsNow)) ?? "";
      // The first row has the totals.
      const asked = { params: { ...params, limit: limit + 1 }, row: crawlerRow, maxRows: limit + 1 };
      const { rows, totalRows } = await ask({ write, ...asked }, signal);
      const [totals, ...crawlers] = rows;
      return {
        rows: crawlers.map((row) => ({
          ...describeCrawler(row.value.slice(1)),
          requests: row.request_count,
          pages: row.page_count,
          errors: row.error_count,
          lastSeen: row.last_seen * 1000,
        })),
        totalRows: totals === undefined ? 0 : totalRows - 1,
        totalRequests: totals?.request_count ?? 0,
      };
    };
    const notFound: DataSource["notFound"] = async (span, limit, signal, status = "4xx") => {
      const { params, endsNow } = querySpan(span);
      const write = (name: keyof NotFoundQueries) => (queries: TableQueries) =>
        queries.notFound?.[status][name](filterTime(endsNow)) ?? "";
      // The first row has the totals.
      const asked = { params: { ...params, limit: limit + 1 }, row: notFoundRow, maxRows: limit + 1 };
      const [{ rows, totalRows }, left] = await Promise.all([
        ask({ write: write("paths"), ...asked }, signal),
        ask({ write: write("excluded"), params, row: excludedRow, maxRows: 1 }, signal),
      ]);
      const [totals, ...paths] = rows;
      const [excluded] = left.rows;
      return {
        rows: paths.map((row) => {
          const path = row.value.slice(1);
          return {
            ...(path === OTHER ? { value: null, other: true as const } : { value: path }),
            requests: row.request_count,
            visitors: row.visitor_count,
            referrers: row.pages.map((value, index) => ({
              value,
              internal: isOwnPage(value),
              requests: row.page_counts[index] ?? 0,
            })),
          };
        }),
        totalRows: totals === undefined ? 0 : totalRows - 1,
        totalRequests: totals?.request_count ?? 0,
        excluded: { bots: excluded?.bot_count ?? 0, scanners: excluded?.scan_count ?? 0 },
        ...(totals !== undefined && totals.folded_count > 0 && { folded: true as const }),
      };
    };
    return {
      ...(layout.hasRequests && { crawlers, notFound }),
      filters: layout.hasOwnValues ? "any-values" : true,
      daysKept: DAYS_KEPT,
      sites: sitesOf,
      days: async (span, signal) => {
        const [days, markGap] = await Promise.all([findTotals(span, signal), readGaps(span, signal)]);
        return listDays(span.from, span.to).map((date) => {
          const day = days.get(date);
          return {
            date,
            visitors: day?.visitor_count ?? 0,
            pageviews: day?.view_count ?? 0,
            events: day?.event_count ?? 0,
            ...readVisits(day ?? { visit_count: 0 }),
            ...markGap(date),
          };
        });
      },
      hours: async (span, signal) => {
        const { site, from, to, now } = span;
        const starts = listHours(from, to, site.timezone).filter((start) => start <= now);
        if (starts.length === 0) return [];
        const seconds = starts.map((start) => start / 1000);
        const [hours, markGap] = await Promise.all([
          spans.hours(querySpan(span), seconds, signal),
          readGaps(span, signal),
        ]);
        return starts.map((start) => {
          const hour = hours.get(start / 1000);
          return {
            start,
            visitors: hour?.visitor_count ?? 0,
            pageviews: hour?.view_count ?? 0,
            ...readVisits(hour ?? { visit_count: 0 }),
            ...markGap(dateAt(start, site.timezone)),
          };
        });
      },
      steps: async (span, steps, signal) => {
        const { visit_count: visits, reached, met } = await spans.steps(querySpan(span), steps, signal);
        return { visits, reached, met };
      },
      breakdown: async (span, dimension, limit, signal) => {
        const { rows, totalRows } = await spans.breakdown(querySpan(span), dimension, limit, signal);
        return {
          rows: rows.map((row) => {
            // What the log that was exported had folded.
            const isOther = row.value === OTHER && !layout.hasOwnValues;
            const value = row.value === "" || isOther ? null : row.value;
            return {
              value,
              label: isOther ? OTHER : nameValue(dimension, value),
              ...(isOther && { other: true as const }),
              visitors: row.visitor_count,
              hits: row.hit_count,
              ...readVisits(row),
            };
          }),
          totalRows,
        };
      },
      active: async (site, now, signal, filter) => {
        const [since, until] = [now - WINDOW_MS, now].map((instant) => Math.floor(instant / 1000));
        const [from, to] = [now - WINDOW_MS, now].map((instant) => dateAt(instant, site.timezone));
        const { params: spanParams } = querySpan({ site, from: from ?? "", to: to ?? "", now });
        const written = writeFilter(filter);
        const params = { ...spanParams, ...written.params, since: since ?? 0, now: until ?? 0 };
        const { rows } = await ask(
          { write: (queries) => queries.active(written, untilNow), params, row: visitorRow, maxRows: 1 },
          signal,
        );
        return rows[0]?.visitor_count ?? 0;
      },
      warnings: async (span, signal) => {
        const [loaded, timeless] = await Promise.all([
          readLoaded(span, signal),
          countTimeless(JSON.stringify(querySite(span.site)), signal),
        ]);
        const folded = await findFolded(span, signal);
        return [
          ...coverageWarnings(span, { ...loaded, timeless }),
          ...(folded.length > 0 ? [warnOfFilter(folded)] : []),
        ];
      },
      dimensions: async (site, signal): Promise<readonly Dimension[]> => {
        if (layout.dimensions) return layout.dimensions;
        const { unrecorded } = await findSite(site, signal);
        return dimensions.filter((dimension) => !unrecorded.includes(dimension));
      },
    };
  };
}

/** Nothing in a row without visits. */
const readVisits = ({
  visit_count: visits,
  bounce_count: bounces = 0,
  second_count: visitSeconds = 0,
}: VisitRow) => (visits === undefined ? {} : { visits, bounces, visitSeconds });

function readSite(row: SiteRow, domainOf: TableLayout["domainOf"]): TableSite {
  const { site_key: key, zone, zones, first_day, last_day, lacking = [] } = row;
  const domain = key === undefined ? row.domain : (domainOf?.get(key) ?? (row.domain || key));
  if (zones !== 1) {
    throw new AnalyticsError("usage", `The days of ${quoteSite(domain)} were loaded in several timezones.`, {
      hint: "Remove its rows, and export its logs again with one --timezone.",
    });
  }
  if (!isTimezone(zone)) {
    throw new AnalyticsError("usage", `The table has no timezone for the days of ${quoteSite(domain)}.`, {
      hint: "The column timezone of its rows of kind day must have an IANA name, such as Europe/Berlin.",
    });
  }
  return {
    id: identifySite(domain),
    domain,
    name: domain,
    ...(key !== undefined && { key }),
    timezone: zone,
    dataSince: first_day,
    dataUntil: last_day,
    createdAt: startOfDay(first_day, zone),
    unrecorded: lacking,
  };
}

const byDomain = (a: TableSite, b: TableSite) => (a.domain < b.domain ? -1 : 1);

/** Two ids of one domain: nobody could ask about either of them. */
function assertOneEach(found: readonly TableSite[]): void {
  const second = found.find(({ domain }, index) => found[index - 1]?.domain === domain);
  if (second === undefined) return;
  const { domain } = second;
  const ids = found.filter((site) => site.domain === domain).map(({ key = "" }) => cleanText(key, 40));
  throw new AnalyticsError("usage", `${quoteSite(domain)} is the host of several sites: ${ids.join(", ")}.`, {
    hint: `Name those that you mean: --site ${cleanText(domain, 100)}=${ids[0]} --site other.example=${ids[1]}`,
  });
}

function isTimezone(name: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: name }).format(0);
    return true;
  } catch {
    return false;
  }
}

const quoteSite = (domain: string) => quoteWord(cleanText(domain, 100));

const createTooManySitesError = (count: number) =>
  new AnalyticsError("usage", `The table has ${count} sites, more than the ${MAX_SITES} that can be listed.`);
