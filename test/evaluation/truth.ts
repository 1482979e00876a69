import { Temporal } from "temporal-polyfill";
import type { Dimension } from "../../src/operations/dimensions.ts";
import { readFixtures } from "../../src/sources/demo/fixtures.ts";
import { createCount, type RawSite, type Row } from "../oracle/count.ts";
import { countCrawlers } from "../oracle/crawler-count.ts";
import { countDeadLinks } from "../oracle/expected-dead-links.ts";
import { readRaw } from "../oracle/raw.ts";
import { listDays, resolveSpan, type Span } from "./spans.ts";

/** The right numbers at one moment, counted from the raw visits without any code of the product's answers. */
export type Truth = (domain: string) => SiteTruth;
export type SiteTruth = ReturnType<typeof createSiteTruth>;

/** Conditions, as the contract has them. */
type Filter = readonly string[];

export function createTruth(now: number): Truth {
  const sites = new Map(
    readRaw(readFixtures(), "analytics", now).map((site) => [site.domain, createSiteTruth(site, now)]),
  );
  return (domain) => {
    const site = sites.get(domain);
    if (!site) throw new Error(`The fixtures have no site ${domain}.`);
    return site;
  };
}

function createSiteTruth(site: RawSite, now: number) {
  const counted = createCount(site);
  const clock = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(site.timezone);
  const today = clock.toPlainDate();
  const dates = (span: Span) => resolveSpan(span, today);
  const total = (span: Span, filter?: Filter) => counted.totals(now, listDays(dates(span)), filter);
  const rank = (span: Span, dimension: Dimension, filter?: Filter): Row[] =>
    counted.rows(now, listDays(dates(span)), dimension, filter);
  const row = (span: Span, dimension: Dimension, value: string | null, filter?: Filter): Row =>
    rank(span, dimension, filter).find((each) => each.value === value) ?? { value, visitors: 0, hits: 0 };
  return {
    ...site,
    clock,
    today: today.toString(),
    dates,
    total,
    daysWithData: (span: Span) =>
      listDays(dates(span)).filter((date) => site.since !== null && date >= site.since).length,
    visitors: (span: Span, filter?: Filter) => total(span, filter).visitors,
    pageviews: (span: Span) => total(span).pageviews,
    events: (span: Span) => total(span).events,
    days: (span: Span, filter?: Filter) =>
      listDays(dates(span)).map((date) => ({ date, ...total(date, filter) })),
    hours: (span: Span) => counted.hours(now, listDays(dates(span))),
    active: (filter?: Filter) => counted.active(now, filter),
    /** Most requests first. */
    crawlers: (span: Span) => countCrawlers(site, listDays(dates(span)), now),
    /** Most requests first. */
    notFound: (span: Span) => countDeadLinks(site, listDays(dates(span)), now).rows,
    row,
    /** In percent of all visitors, 0–100 with one decimal. */
    share: (span: Span, dimension: Dimension, value: string | null) =>
      percentOf(row(span, dimension, value).visitors, total(span).visitors),
    /** Most visitors first. */
    rows: rank,
    /** The value with the most visitors. */
    top: (span: Span, dimension: Dimension): Row => first(rank(span, dimension)),
    /** The change in visitors of each value between two spans, greatest loss first. */
    moves: (before: Span, after: Span, dimension: Dimension) => {
      const values = [...rank(before, dimension), ...rank(after, dimension)].map(({ value }) => value);
      return [...new Set(values)]
        .map((value) => {
          const [old, recent] = [row(before, dimension, value), row(after, dimension, value)];
          return { value, visitors: recent.visitors - old.visitors };
        })
        .sort((a, b) => a.visitors - b.visitors);
    },
  };
}

/** What people ask about visits; there is no rate of no visits. */
export function rateVisits({ pageviews, visits = 0, bounces = 0, visit_seconds: seconds = 0 }: WithVisits) {
  const divide = (count: number, scale: number) =>
    visits === 0 ? null : Math.round((scale * count) / visits) / scale;
  return {
    visits,
    bounce_rate: divide(100 * bounces, 10),
    views_per_visit: divide(pageviews, 100),
    seconds_per_visit: divide(seconds, 1),
  };
}

interface WithVisits {
  pageviews: number;
  visits?: number | undefined;
  bounces?: number | undefined;
  visit_seconds?: number | undefined;
}

/** The first of several. Throws if there is none, because two missing answers would be equal. */
export function first<T>(values: readonly T[]): T {
  const [value] = values;
  if (value === undefined) throw new Error("There is none.");
  return value;
}

export const percentOf = (part: number, whole: number) => Math.round((part / whole) * 1000) / 10;
