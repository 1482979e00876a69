import type { SiteSelection } from "../../config/site-patterns.ts";
import { AnalyticsError } from "../../errors.ts";
import { listDays } from "../../operations/days.ts";
import type { Dimension } from "../../operations/dimensions.ts";
import { compareRows } from "../../operations/row-order.ts";
import { dateAt } from "../calendar.ts";
import type { DataSource, RankedRow, SourceSite, Span } from "../data-source.ts";
import { identifySite } from "../site-id.ts";
import { createSiteNotFound } from "../site-not-found.ts";
import type { OpenView } from "../source-types.ts";
import { countActive } from "./active.ts";
import { coverageWarnings } from "./coverage.ts";
import { rankCrawlers } from "./crawler-days.ts";
import type { DayCounts } from "./day-counts.ts";
import { nameValue } from "./labels.ts";
import type { LogStore } from "./log-store.ts";
import { isOfPlace, listRecorded } from "./recorded.ts";
import { warnOfRepeats } from "./repeated-lines.ts";
import type { LogSettings } from "./settings.ts";
import { countOpenDay, type SiteLog } from "./site-log.ts";
import { listOwnSites, listSites } from "./sites.ts";
import { DayCountedAgain } from "./stored-tallies.ts";
import { spaceOf } from "./values.ts";

/** No limit in practice: even logs of the year 2000 can be asked about. */
const DAYS_KEPT = 10_000;
const WINDOW_MS = 5 * 60_000;

/** Creates a data source from a store of logs. Nothing is read before the first query. */
export function createLogSource(settings: LogSettings, store: LogStore): DataSource {
  return createView({ settings, store });
}

/** Creates a function that shows some of the sites. All views share what was read and counted. */
export function createLogViews(settings: LogSettings, store: LogStore): OpenView {
  return (selection) => createView({ settings, store, selection });
}

interface ViewParts {
  settings: LogSettings;
  store: LogStore;
  /** All sites if absent. */
  selection?: SiteSelection;
}

function createView({ settings, store, selection }: ViewParts): DataSource {
  const read = async (signal?: AbortSignal) => {
    const { collector, book } = await store.read(signal);
    const logs =
      selection === undefined ? listSites(collector, settings) : listOwnSites(collector, settings, selection);
    return { logs, book };
  };
  const readSite = async ({ domain }: SourceSite, signal?: AbortSignal) => {
    const { logs, book } = await read(signal);
    const log = logs.find((each) => each.domain === domain);
    if (log === undefined) throw createSiteNotFound();
    return { log, book };
  };
  const readDays = async ({ site, from, to, now }: Span, signal?: AbortSignal) => {
    const { log } = await readSite(site, signal);
    return { log, days: listDays(from, to).map((date) => ({ date, counts: findCounts(log, date, now) })) };
  };
  /** The days of a query about visitors. */
  const countDays = async (span: Span, signal?: AbortSignal) => {
    const found = await readDays(span, signal);
    if (!settings.acceptProxyAddresses) assertNotProxied(found.days);
    return found;
  };

  return {
    daysKept: DAYS_KEPT,
    sites: async (signal) => (await read(signal)).logs.map(describeSite),
    days: async (span, signal) => {
      const { days } = await countDays(span, signal);
      return days.map(({ date, counts }) => ({ date, ...(counts?.totals ?? NOTHING) }));
    },
    breakdown: async (span, dimension, limit, signal) => {
      const ask = async () => {
        const { log, days } = await countDays(span, signal);
        return rank(log, dimension, limit, days);
      };
      try {
        return await ask();
      } catch (error) {
        if (!(error instanceof DayCountedAgain)) throw error;
        store.forget();
        return ask();
      }
    },
    crawlers: async (span, limit, signal) => {
      const { days } = await readDays(span, signal);
      return rankCrawlers(
        days.flatMap(({ counts }) => counts?.crawlers ?? []),
        limit,
      );
    },
    active: async (site, now, signal) =>
      countActive((await readSite(site, signal)).log, (now - WINDOW_MS) / 1000, now / 1000),
    warnings: async (span, signal) => {
      const { log, book } = await readSite(span.site, signal);
      return [...coverageWarnings(log, span, settings), ...warnOfRepeats(book.contents.values(), log.domain)];
    },
    dimensions: async (site, signal) => listRecorded((await readSite(site, signal)).log),
    missingOption: (dimension) =>
      settings.geoip === undefined && isOfPlace(dimension) ? "--geoip" : undefined,
  };
}

const NOTHING = { visitors: 0, pageviews: 0, events: 0 };

function describeSite({ domain, timezone, first }: SiteLog): SourceSite {
  return {
    id: identifySite(domain),
    domain,
    name: domain,
    timezone,
    createdAt: (first ?? 0) * 1000,
    dataSince: first === undefined ? null : dateAt(first * 1000, timezone),
  };
}

/** The counts of a day; undefined if there is no line of it. */
function findCounts(log: SiteLog, date: string, now: number): DayCounts | undefined {
  const sealed = log.sealed.get(date);
  const day = log.open.get(date);
  if (sealed !== undefined || day === undefined) return sealed;
  // The server's clock may be ahead of ours: lines after `now` are left out.
  const isCut = log.last !== undefined && log.last > now / 1000;
  return countOpenDay(log, day, isCut ? now / 1000 : undefined);
}

/** Adds up days. The visitors of a span are by definition the sum of daily visitors. */
function rank(
  log: SiteLog,
  dimension: Dimension,
  limit: number,
  days: readonly { counts: DayCounts | undefined }[],
): { rows: RankedRow[]; totalRows: number } {
  const values = log.values(spaceOf(dimension));
  const visitors = new Float64Array(values.size);
  const hits = new Float64Array(values.size);
  for (const { counts } of days) {
    const tallies = counts?.tallies.get(dimension);
    tallies?.values.forEach((value, index) => {
      visitors[value] = (visitors[value] ?? 0) + (tallies.visitors[index] ?? 0);
      hits[value] = (hits[value] ?? 0) + (tallies.hits[index] ?? 0);
    });
  }
  const rows: { value: string | null; visitors: number; hits: number }[] = [];
  visitors.forEach((count, number) => {
    if (count > 0) rows.push({ value: values.at(number), visitors: count, hits: hits[number] ?? 0 });
  });
  rows.sort(compareRows);
  return {
    rows: rows.slice(0, limit).map((row) => ({ ...row, label: nameValue(dimension, row.value) })),
    totalRows: rows.length,
  };
}

function assertNotProxied(days: readonly { date: string; counts: DayCounts | undefined }[]): void {
  const proxied = days.filter(({ counts }) => counts?.isProxied);
  const [first] = proxied;
  if (first === undefined) return;
  const others = proxied.length === 1 ? "" : ` and ${proxied.length - 1} more days`;
  throw new AnalyticsError(
    "usage",
    `Visitors cannot be counted on ${first.date}${others}: nearly all page views come from three addresses or fewer, as if from a proxy in front of the server.`,
    {
      hint: "Have the server log the visitor's address (nginx: real_ip_header; Apache: mod_remoteip; Caddy: trusted_proxies). If X-Forwarded-For is in the log, add --trust-forwarded 1. If these are the visitors, add --accept-proxy-addresses.",
    },
  );
}
