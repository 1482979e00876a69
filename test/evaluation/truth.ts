import { Temporal } from "temporal-polyfill";
import type { Dimension } from "../../src/operations/dimensions.ts";
import type { Fixtures } from "../../src/sources/demo/fixture-types.ts";
import { readFixtures } from "../../src/sources/demo/fixtures.ts";
import { createCount, type RawSite, type Row } from "../oracle/count.ts";
import { countCrawlers } from "../oracle/crawler-count.ts";
import { countDeadLinks } from "../oracle/expected-dead-links.ts";
import { readRaw } from "../oracle/raw.ts";
import { listDays, resolveSpan, type Span } from "./spans.ts";

/** The right numbers of `fixtures` at one moment, counted from the raw visits without any code of the product's answers. */
export type Truth = (domain: string) => SiteTruth;
export type SiteTruth = ReturnType<typeof createSiteTruth>;

/** Conditions, as the contract has them. */
type Filter = readonly string[];

/** The demo with at most so many visitors a day: making them up and counting them takes most of the time. */
export const fixtures = limitVisitors(120);

function limitVisitors(most: number): Fixtures {
  const { sites, ...rest } = readFixtures();
  return {
    ...rest,
    sites: sites.map((site) => {
      const share = Math.min(1, most / site.visitors);
      const story = site.story.map(({ extra, ...chapter }) => ({
        ...chapter,
        ...(extra && { extra: { ...extra, visitors: extra.visitors * share } }),
      }));
      return { ...site, visitors: site.visitors * share, story };
    }),
  };
}

export function createTruth(now: number): Truth {
  const sites = new Map(
    readRaw(fixtures, "analytics", now).map((site) => [site.domain, createSiteTruth(site, now)]),
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
      const moved = new Map<string | null, number>();
      const add = ({ value }: Row, visitors: number) => moved.set(value, (moved.get(value) ?? 0) + visitors);
      for (const each of rank(before, dimension)) add(each, -each.visitors);
      for (const each of rank(after, dimension)) add(each, each.visitors);
      return [...moved]
        .map(([value, visitors]) => ({ value, visitors }))
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
