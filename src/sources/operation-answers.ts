import { buildOpenApi } from "../documents/openapi-document.ts";
import { AnalyticsError } from "../errors.ts";
import type { Days } from "../operations/days.ts";
import type { Dimension } from "../operations/dimensions.ts";
import { type AnyOperation, type OperationName, operations } from "../operations/index.ts";
import type { ParamsOf, ResultOf } from "../operations/operation.ts";
import { normalizeSite } from "../operations/site-name.ts";
import type { Warning } from "../operations/warning.ts";
import { dateAt, formatInstant } from "./calendar.ts";
import type { DataSource, DayTotals, SourceSite, Span } from "./data-source.ts";
import { createSiteNotFound } from "./site-not-found.ts";
import { buildPeriod, resolveSpan } from "./span.ts";

/** What an answer is computed from. */
export interface AnswerContext {
  source: DataSource;
  /** Milliseconds since 1970. Rounded down to a second, like the contract's timestamps; nothing later is counted. */
  now: number;
  signal?: AbortSignal | undefined;
}

/**
 * Computes the result of an operation from a data source, by the contract's rules. Throws AnalyticsError
 * `site_not_found`, `not_found` for an optional operation that the source cannot answer, or `invalid_parameter` for days
 * or a dimension that the source does not have.
 *
 * @param params Parsed with the operation's `allParams`.
 */
export async function answerOperation(
  { name }: { name: string },
  params: object,
  { now, ...rest }: AnswerContext,
): Promise<unknown> {
  // Each answer takes its own operation's parameters; the compiler cannot connect the two through the name.
  const compute = answers[name as OperationName] as (
    params: object,
    context: AnswerContext,
  ) => Promise<unknown>;
  return compute(params, { now: Math.floor(now / 1000) * 1000, ...rest });
}

type Answers = {
  [N in OperationName]: (
    params: ParamsOf<Extract<AnyOperation, { name: N }>> & Partial<Days>,
    context: AnswerContext,
  ) => Promise<ResultOf<Extract<AnyOperation, { name: N }>>>;
};

const WINDOW_MINUTES = 5;

const answers: Answers = {
  sites: async (_, { source, now, signal }) => {
    const sites = await source.sites(signal);
    return {
      as_of: formatUtc(now),
      sites: sites.map(({ id, domain, name, timezone, createdAt, dataSince }) => ({
        id,
        domain,
        name,
        timezone,
        created_at: formatUtc(createdAt),
        data_since: dataSince,
      })),
    };
  },

  stats: async (params, context) => {
    const { span, head, tail } = await openSpan(params, context);
    const days = await context.source.days(span, context.signal);
    return { ...head, ...sumDays(days), ...tail };
  },

  timeseries: async (params, context) => {
    const { span, head, tail } = await openSpan(params, context);
    const days = await context.source.days(span, context.signal);
    const points = days.map(({ date, visitors, pageviews }) => ({
      date,
      visitors,
      pageviews,
      ...(head.period.partial && date === span.to && { partial: true }),
    }));
    return { ...head, interval: "day", points, ...tail };
  },

  breakdown: async (params, context) => {
    const { source, signal } = context;
    const { dimension, limit } = params;
    const { span, head, tail } = await openSpan(params, context);
    await assertRecorded(source, span.site, dimension, signal);
    const [{ rows, totalRows }, days] = await Promise.all([
      source.breakdown(span, dimension, limit, signal),
      source.days(span, signal),
    ]);
    const { visitors, pageviews, events } = sumDays(days);
    const isEvents = dimension === "events";
    return {
      ...head,
      dimension,
      rows: rows.map(({ value, label, other, hits, ...row }) => ({
        value,
        label,
        ...(other && { other }),
        visitors: row.visitors,
        ...(isEvents ? { events: hits } : { pageviews: hits }),
        percentage: Math.round((1000 * row.visitors) / visitors) / 10,
      })),
      limit,
      total_rows: totalRows,
      truncated: totalRows > limit,
      totals: { visitors, pageviews, ...(isEvents && { events }) },
      ...tail,
    };
  },

  crawlers: async ({ limit, ...params }, context) => {
    const { source, signal } = context;
    if (source.crawlers === undefined) throw createNoCrawlersError();
    const { span, head, tail } = await openSpan(params, context);
    const { rows, totalRows, totalRequests } = await source.crawlers(span, limit, signal);
    return {
      ...head,
      rows: rows.map(({ value, label, operator, purpose, requests, pages, errors, lastSeen }) => ({
        value,
        label,
        operator,
        purpose,
        requests,
        pages,
        error_percentage: Math.round((1000 * errors) / requests) / 10,
        last_seen: formatInstant(lastSeen, span.site.timezone),
      })),
      limit,
      total_rows: totalRows,
      truncated: totalRows > limit,
      totals: { requests: totalRequests },
      ...tail,
    };
  },

  realtime: async (params, { source, now, signal }) => {
    const site = await findSite(source, params.site, signal);
    const today = dateAt(now, site.timezone);
    const [visitors, warnings = []] = await Promise.all([
      source.active(site, now, signal),
      source.warnings?.({ site, from: today, to: today, now }, signal),
    ]);
    // Of the warnings about today, only the one that today's data is missing matters here.
    const about = warnings.filter(({ code }) => code === "stale");
    return {
      site: { id: site.id, domain: site.domain },
      visitors,
      window_minutes: WINDOW_MINUTES,
      as_of: formatInstant(now, site.timezone),
      ...(about.length > 0 && { warnings: about }),
    };
  },

  openapi: async (_, { source }) =>
    buildOpenApi(operations.filter((operation) => offersOperation(source, operation))),
};

/** Whether a source can answer an operation. It must, unless the operation is optional. */
export function offersOperation(source: DataSource, { name }: AnyOperation): boolean {
  return name !== "crawlers" || source.crawlers !== undefined;
}

/** For those who query the source itself: the REST API refuses an operation that it does not offer before it gets here. */
const createNoCrawlersError = () =>
  new AnalyticsError("not_found", "This source does not record crawlers.", {
    status: 404,
    hint: "Access logs do (--logs), and tables that were exported from them (--clickhouse without --map).",
  });

/** The refusal of an operation that the source does not offer: to callers, there is nothing at its path. */
export const createNotOfferedError = () =>
  new AnalyticsError("not_found", "There is nothing at this path.", { status: 404 });

/** Finds the site and the days of a query, and what every answer about days begins and ends with. */
async function openSpan(params: { site: string; days: number } & Partial<Days>, context: AnswerContext) {
  const { source, now, signal } = context;
  const site = await findSite(source, params.site, signal);
  const span: Span = { site, ...resolveSpan(params, site, source.daysKept, now), now };
  const warnings = [...warnOfStart(span), ...((await source.warnings?.(span, signal)) ?? [])];
  return {
    span,
    head: { site: { id: site.id, domain: site.domain }, period: buildPeriod(span) },
    tail: warnings.length > 0 ? { warnings } : {},
  };
}

/** Finds a site by its id or domain, as a person may write it. Throws AnalyticsError `site_not_found`. */
export async function findSite(source: DataSource, name: string, signal?: AbortSignal): Promise<SourceSite> {
  const wanted = normalizeSite(name);
  const site = (await source.sites(signal)).find(({ id, domain }) => id === wanted || domain === wanted);
  if (site) return site;
  throw createSiteNotFound();
}

async function assertRecorded(
  source: DataSource,
  site: SourceSite,
  dimension: Dimension,
  signal?: AbortSignal,
): Promise<void> {
  const recorded = await source.dimensions?.(site, signal);
  if (recorded === undefined || recorded.includes(dimension)) return;
  const allowed = [...recorded];
  const option = source.missingOption?.(dimension);
  const without = option === undefined ? "" : ` without ${option}`;
  const detail = `is ${dimension}, which this source does not record${without}; it has ${allowed.join(", ")}`;
  throw new AnalyticsError("invalid_parameter", `dimension ${detail}.`, {
    status: 400,
    parameters: [{ parameter: "dimension", detail, allowed }],
  });
}

function warnOfStart({ site: { dataSince }, from }: Span): Warning[] {
  if (dataSince !== null && dataSince <= from) return [];
  const detail =
    dataSince === null
      ? "The site has no data yet: every number is zero."
      : `The site has had data since ${dataSince}: earlier days show as zero.`;
  return [{ code: "before_data_since", detail, values: { data_since: dataSince } }];
}

function sumDays(days: readonly DayTotals[]) {
  const sum = (name: "visitors" | "pageviews" | "events") =>
    days.reduce((total, day) => total + day[name], 0);
  return { visitors: sum("visitors"), pageviews: sum("pageviews"), events: sum("events") };
}

function formatUtc(instant: number): string {
  return `${new Date(instant).toISOString().slice(0, 19)}Z`;
}
