import type * as z from "zod";
import { AnalyticsError } from "../../../errors.ts";
import { addDays, listDays } from "../../../operations/days.ts";
import type { Dimension } from "../../../operations/dimensions.ts";
import { createFilterError, type Filter } from "../../../operations/filter.ts";
import { NEAR, type Warning } from "../../../operations/warning.ts";
import { dateAt, formatInstant, listHours, offsetAt, startOfDay } from "../../calendar.ts";
import type { DataSource, DayTotals, HourTotals, RankedRow, Span } from "../../data-source.ts";
import { describeDates } from "../../data-warnings.ts";
import { createSiteNotFound } from "../../site-not-found.ts";
import type { GatewayContext } from "../gateway.ts";
import { rankRows, sumRows } from "../row-sums.ts";
import { active, eventSeries, me, pageviews, sessionStats, stats } from "./answers.ts";
import { createUmamiApi, type UmamiApi } from "./api.ts";
import { createDayRows, type DayRows } from "./day-rows.ts";
import { DIMENSIONS, labelValue, warnOfDimension } from "./dimensions.ts";
import { assertRows, type UmamiFilter, writeFilter } from "./filter-query.ts";
import { createUmamiSites, type UmamiSite } from "./sites.ts";
import { boundsOf, cutSpan, freshFor } from "./times.ts";

type UmamiSpan = Span & { site: UmamiSite };

/**
 * Opens Umami's API as a source. A visitor is somebody who viewed a page on a day. Visits are left out: Umami's end at the full
 * hour, not after half an hour without a hit.
 */
export function openUmami(context: GatewayContext): DataSource {
  const api = withSiteErrors(createUmamiApi(context));
  const sites = createUmamiSites(api, context);
  const readDayRows = createDayRows(api, context);

  const days = async (span: UmamiSpan, signal?: AbortSignal): Promise<DayTotals[]> => {
    const filter = writeFilter(span.filter, api.isCloud);
    const [views, events, reached] = await Promise.all([
      filter.event === undefined ? readSeries(api, span, filter, signal) : undefined,
      readEvents(api, span, filter, signal),
      filter.event === undefined ? undefined : readDayRows({ ...span, dimension: "events", filter }, signal),
    ]);
    const visitorsOf = new Map(reached?.map(({ date, rows: [row] }) => [date, row?.[1] ?? 0]));
    return listDays(span.from, span.to).map((date) => ({
      date,
      visitors: visitorsOf.get(date) ?? views?.sessions.get(date) ?? 0,
      pageviews: views?.pageviews.get(date) ?? 0,
      events: events.get(date) ?? 0,
    }));
  };

  return {
    sites: sites.all,
    unlisted: sites.unlisted,
    site: sites.find,
    days: (span, signal) => days(span as UmamiSpan, signal),
    hours: (span, signal) => readHours(api, span as UmamiSpan, signal),
    breakdown: async (given, dimension, limit, signal) => {
      const span = given as UmamiSpan;
      const filter = writeFilter(span.filter, api.isCloud);
      assertRows(dimension, filter);
      const [found, totals] = await Promise.all([
        readDayRows({ ...span, dimension, filter }, signal),
        days(span, signal),
      ]);
      return rank(dimension, found, totals, limit);
    },
    active: async ({ id }, now, signal, filter) => {
      if (filter === undefined)
        return (await api.ask({ path: `/websites/${id}/active`, schema: active }, signal)).visitors;
      const { query, isOnViews } = writeFilter(filter, api.isCloud);
      const window = { startAt: String(now - WINDOW_MS + 1), endAt: String(now) };
      // ClickHouse has single hits only for conditions on hits: this one keeps all.
      const hits = isOnViews ? {} : { path: "re.^" };
      const path = `/websites/${id}/sessions/stats`;
      const asked = { path, query: { ...query, ...hits, ...window }, schema: sessionStats };
      return (await api.ask(asked, signal)).visitors.value;
    },
    warnings: async (span) => [...warnOfSalt(span), ...(api.isCloud ? warnOfOldDays(span) : [])],
    filters: true,
    answersFilter: (dimension, filter) => canRank(dimension, filter, api.isCloud),
    daysKept: 36_500,
  };
}

function canRank(dimension: Dimension, filter: Filter, isCloud: boolean): boolean {
  try {
    assertRows(dimension, writeFilter(filter, isCloud));
    return true;
  } catch {
    return false;
  }
}

interface Series {
  /** By date, or by date and hour: `2026-11-20` or `2026-11-20 07`. */
  pageviews: ReadonlyMap<string, number>;
  sessions: ReadonlyMap<string, number>;
}

/** Asks about the days of a span, in as many parts as Umami answers by day. */
const askDays = <T>(
  api: UmamiApi,
  { site, now, ...span }: UmamiSpan,
  { query }: UmamiFilter,
  { path, schema }: { path: string; schema: z.ZodType<T> },
  signal: AbortSignal | undefined,
): Promise<T[]> =>
  Promise.all(
    cutSpan(span.from, span.to).map(({ from, to }) =>
      api.ask(
        {
          path: `/websites/${site.id}/${path}`,
          query: { ...query, ...boundsOf(from, to, site.timezone), unit: "day", timezone: site.timezone },
          schema,
          freshFor: freshFor(to, site, now),
        },
        signal,
      ),
    ),
  );

/** Page views and distinct visitors of each day. */
async function readSeries(
  api: UmamiApi,
  span: UmamiSpan,
  filter: UmamiFilter,
  signal: AbortSignal | undefined,
): Promise<Series> {
  const parts = await askDays(api, span, filter, { path: "pageviews", schema: pageviews }, signal);
  const join = (name: "pageviews" | "sessions") =>
    sumUp(parts.flatMap((part) => part[name].map(({ x, y }) => [readDate(x, span), y])));
  return { pageviews: join("pageviews"), sessions: join("sessions") };
}

/** The events of each day. */
async function readEvents(
  api: UmamiApi,
  span: UmamiSpan,
  filter: UmamiFilter,
  signal: AbortSignal | undefined,
): Promise<ReadonlyMap<string, number>> {
  const parts = await askDays(api, span, filter, { path: "events/series", schema: eventSeries }, signal);
  return sumUp(parts.flat().map(({ t, y }) => [readDate(t, span), y]));
}

/** The date of a count. Throws AnalyticsError `bad_answer` for another day than was asked for, such as the first of a month. */
function readDate(time: string, { from, to }: { from: string; to: string }): string {
  const date = time.slice(0, "2026-11-20".length);
  if (date >= from && date <= to) return date;
  throw new AnalyticsError(
    "bad_answer",
    `Umami answered about ${date}, but was asked about ${from} to ${to}.`,
    {
      hint: "Nothing was shown, because the numbers could be wrong. Check that Umami's version is 3.",
    },
  );
}

function sumUp(counts: readonly (readonly [key: string, count: number])[]): Map<string, number> {
  const sums = new Map<string, number>();
  for (const [key, count] of counts) sums.set(key, (sums.get(key) ?? 0) + count);
  return sums;
}

const WINDOW_MS = 300_000;
const HOUR_MS = 3_600_000;
/** Over more days than these, Umami answers by day although it is asked by hour. */
const HOURLY_DAYS = 30;

/**
 * The hours of a span. Umami names hours by the clock alone, which shows some twice. In UTC it shows none twice, but a zone
 * whose offset has half hours has other hours: each of them is then a request.
 */
async function readHours(api: UmamiApi, span: UmamiSpan, signal?: AbortSignal): Promise<HourTotals[]> {
  const { site, from, to, now } = span;
  const filter = writeFilter(span.filter, api.isCloud);
  if (filter.event !== undefined) {
    throw createFilterError(
      "on events cannot be used for hours with Umami, which lists only page views there",
    );
  }
  const ends = [...listHours(from, to, site.timezone), startOfDay(addDays(to, 1), site.timezone)];
  const hours = ends.slice(0, -1).filter((start) => start <= now);
  const shared = { path: `/websites/${site.id}/pageviews`, freshFor: freshFor(to, site, now) };
  if (hours.every((start) => offsetAt(start, site.timezone) % HOUR_MS === 0)) {
    const starts = listDays(from, to).filter((_, index) => index % HOURLY_DAYS === 0);
    api.assertAffordable(starts.length, (most) => `By hour, ask for at most ${most * HOURLY_DAYS} days.`);
    const answers = await Promise.all(
      starts.map((start) => {
        const end = addDays(start, HOURLY_DAYS - 1);
        const bounds = boundsOf(start, end < to ? end : to, site.timezone);
        const query = { ...filter.query, ...bounds, unit: "hour", timezone: "UTC" };
        return api.ask({ ...shared, query, schema: pageviews }, signal);
      }),
    );
    const read = (rows: { x: string; y: number }[]) =>
      new Map(rows.map(({ x, y }) => [Date.parse(`${x.slice(0, 10)}T${x.slice(11, 13)}:00:00Z`), y]));
    const views = read(answers.flatMap((answer) => answer.pageviews));
    const sessions = read(answers.flatMap((answer) => answer.sessions));
    return hours.map((start) => ({
      start,
      visitors: sessions.get(start) ?? 0,
      pageviews: views.get(start) ?? 0,
    }));
  }
  api.assertAffordable(hours.length, (most) => `By hour, ask for at most ${Math.floor(most / 24)} days.`);
  return Promise.all(
    hours.map(async (start, index) => {
      const endAt = String((ends[index + 1] ?? start) - 1);
      const query = { ...filter.query, startAt: String(start), endAt };
      const path = `/websites/${site.id}/stats`;
      const { visitors, pageviews } = await api.ask({ ...shared, path, query, schema: stats }, signal);
      return { start, visitors, pageviews };
    }),
  );
}

/** Adds the days up. Who is in no row of what every visitor has is the row of none. */
function rank(dimension: Dimension, found: readonly DayRows[], totals: readonly DayTotals[], limit: number) {
  const { isOfVisitor } = DIMENSIONS[dimension];
  const isCut = found.some((day) => day.isCut);
  const rows: RankedRow[] = [];
  const add = (value: string | null, visitors: number, hits: number) =>
    rows.push({ value, label: labelValue(dimension, value), visitors, hits });
  let withoutViews = 0;
  for (const [index, { rows: ofDay, ...day }] of found.entries()) {
    const total = totals[index] ?? { visitors: 0, pageviews: 0 };
    let rest = [total.visitors, total.pageviews] as const;
    for (const [value, visitors, hits] of ofDay) {
      const counted = dimension === "events" ? Math.min(visitors, total.visitors) : visitors;
      withoutViews += visitors - counted;
      add(value, counted, hits);
      rest = [rest[0] - visitors, rest[1] - hits];
    }
    if (isOfVisitor && !day.isCut && rest[0] > 0) add(null, rest[0], Math.max(0, rest[1]));
  }
  const warnings = [
    warnOfDimension(dimension),
    isCut ? warnOfCut : undefined,
    withoutViews > 0 ? warnOfEventsAlone : undefined,
  ].filter((warning) => warning !== undefined);
  return { ...rankRows(sumRows(rows), limit), warnings };
}

/** Months that Umami Cloud shows without a subscription, beside the one that is going on. It does not say that it leaves days out. */
const FREE_MONTHS = 6;

function warnOfOldDays({ from, now, site }: Span): Warning[] {
  const today = new Date(`${dateAt(now, site.timezone)}T00:00:00Z`);
  today.setUTCDate(1);
  today.setUTCMonth(today.getUTCMonth() - FREE_MONTHS);
  const since = today.toISOString().slice(0, "2026-11-20".length);
  if (from >= since) return [];
  return [
    {
      code: "may_be_missing",
      detail: `Umami Cloud shows the days before ${since} as zero if it has no subscription.`,
      values: { since },
    },
  ];
}

/** Whoever comes before and after the turn of a month, by the clock of Umami's server, is two visitors. */
function warnOfSalt({ site: { timezone }, from, to, now }: Span): Warning[] {
  // The turn of a month may be on the last day of one at the site, or on the first of the next.
  const turns = listDays(from, addDays(to, 1)).flatMap((date) => {
    const turn = Date.parse(`${date}T00:00:00Z`);
    const day = dateAt(turn, timezone);
    const isInside = day >= from && day <= to && startOfDay(day, timezone) !== turn;
    return date.endsWith("-01") && turn < now && isInside ? { day, turn } : [];
  });
  const last = turns.at(-1);
  if (last === undefined) return [];
  const time = formatInstant(last.turn, timezone).slice(11, 16);
  const which = turns.length === 1 ? "" : `${turns.length} times here, the last time `;
  const detail = `Umami's ids of people change with the month of its server, whose clock mostly shows UTC (${which}${last.day} at ${time}): whoever came both before and after that on one day counts twice.`;
  return [{ code: NEAR, detail, values: describeDates(turns.map(({ day }) => day)) }];
}

const warnOfCut: Warning = {
  code: "cut",
  detail:
    "Umami has more values on some days than it lists: values with few visitors may be missing or too low.",
};

const warnOfEventsAlone: Warning = {
  code: "events_without_views",
  detail:
    "On some days more people triggered an event than viewed a page. Umami's visitors are those who viewed a page, and a row has no more visitors than the day.",
};

/**
 * Umami refuses a website that is not the user's, or was deleted, with the status of a wrong key. If the key is still good, it
 * is the site that is not found.
 */
const withSiteErrors = (api: UmamiApi): UmamiApi => ({
  ...api,
  ask: async (request, signal) => {
    try {
      return await api.ask(request, signal);
    } catch (error) {
      const isRefused = Reflect.get(Object(error), "code") === "invalid_api_key";
      if (!isRefused || !request.path.startsWith("/websites/")) throw error;
      await api.ask({ path: "/me", schema: me }, signal);
      throw createSiteNotFound();
    }
  },
});
