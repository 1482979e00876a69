import { AnalyticsError, createParameterError } from "../errors.ts";
import { readMember } from "../member.ts";
import { createNoStepsError, type StepCounts } from "../operations/call.ts";
import { countDays, type Days } from "../operations/days.ts";
import type { Dimension } from "../operations/dimensions.ts";
import { MAX_HOUR_DAYS } from "../operations/fields.ts";
import { type Filter, formatFilter } from "../operations/filter.ts";
import type { hours } from "../operations/hours.ts";
import {
  type AnyOperation,
  type OperationName,
  type OptionalOperation,
  operations,
} from "../operations/index.ts";
import { readStatus } from "../operations/not-found.ts";
import type { AnswerOf, Operation, ParamsOf } from "../operations/operation.ts";
import { sumAtMost } from "../operations/ranges.ts";
import { PROXIED, type Warning, warnOfSubtraction } from "../operations/warning.ts";
import { dateAt, formatInstant } from "./calendar.ts";
import type {
  CountedDay,
  DataSource,
  PartialSource,
  Ranking,
  SourceSite,
  Span,
  UnlistedSite,
  VisitTotals,
} from "./data-source.ts";
import { warnOfFilter, warnOfFoldedLinks, warnOfFolding } from "./data-warnings.ts";
import {
  type AnswerContext,
  assertCountable,
  assertRecorded,
  openSite,
  openSpan,
  warnOfEvents,
  warnOfNoEvents,
  warnOfValues,
} from "./query-span.ts";

/**
 * Computes the answer of an operation from a data source, by the contract's rules, but without events where the source has none.
 * Throws AnalyticsError `site_not_found`, `not_found` for an operation that the source cannot answer, or `invalid_parameter` for
 * days or a dimension that the source does not have.
 *
 * @param params Parsed with the operation's `allParams`.
 */
export async function answerOperation(
  { name }: { name: string },
  params: object,
  { now, ...rest }: AnswerContext,
): Promise<unknown> {
  // Each answer takes its own operation's parameters; the compiler cannot connect the two through the name.
  const isHours = Reflect.get(params, "interval") === "hour";
  const compute = answers[isHours ? "hours" : (name as OperationName)] as (
    params: object,
    context: AnswerContext,
  ) => Promise<unknown>;
  return compute(params, { now: Math.floor(now / 1000) * 1000, ...rest });
}

/**
 * Counts the visits that took steps, as `Call.countSteps`. Throws AnalyticsError `invalid_parameter` if the source cannot tell, or does
 * not record what a step is about.
 */
export async function answerSteps(
  params: { site: string; days: number } & Days & { filter?: string[] },
  steps: Filter,
  context: AnswerContext,
): Promise<StepCounts> {
  const { source, signal } = context;
  if (source.steps === undefined) throw createNoStepsError();
  const { span } = await openSpan(params, context);
  for (const step of steps) assertCountable(step, source, "steps");
  for (const { dimension } of steps) await assertRecorded(source, span.site, dimension, "steps", signal);
  return source.steps(span, steps, signal);
}

type AnswerTo<O extends Operation> = (
  params: ParamsOf<O> & Partial<Days>,
  context: AnswerContext,
) => Promise<AnswerOf<O>>;

type Answers = { [N in OperationName]: AnswerTo<Extract<AnyOperation, { name: N }>> } & {
  hours: AnswerTo<typeof hours>;
};

const WINDOW_MINUTES = 5;

const answers: Answers = {
  sites: async (_, { source, now, signal, withDates }) => {
    const [sites, unlisted = []] = await Promise.all([
      source.sites(signal, withDates),
      source.unlisted?.(signal),
    ]);
    const [first] = unlisted;
    // Nothing can be asked: the reason says more than an empty list.
    if (sites.length === 0 && first !== undefined) throw first.reason;
    return {
      as_of: formatUtc(now),
      sites: sites.flatMap(({ id, domain, name, timezone, createdAt, dataSince }) =>
        createdAt === undefined
          ? []
          : [
              {
                id,
                domain,
                name,
                timezone,
                created_at: formatUtc(createdAt),
                ...(dataSince !== undefined && { data_since: dataSince }),
              },
            ],
      ),
      ...joinWarnings(await warnOfMissing(sites, unlisted, source)),
    };
  },

  stats: async (params, context) => {
    const { span, head, warnings } = await openSpan(params, context);
    const days = await context.source.days(span, context.signal);
    const { events, ...totals } = await addEvents(sumDays(days), span, context);
    return {
      ...head,
      ...totals,
      ...(events !== undefined && { events }),
      ...joinWarnings(
        warnings,
        await warnOfDays(span, days, context),
        ...(events === 0
          ? [await warnOfNoEvents(span.site, context), warnOfEvents("events", context.source)]
          : []),
        await warnOfEventCount(span, context),
      ),
    };
  },

  timeseries: async (params, context) => {
    if ("interval" in params) assertHours(context.source);
    const { span, head, warnings } = await openSpan(params, context);
    const days = await context.source.days(span, context.signal);
    const points = days.map(({ date, ...day }) => ({
      date,
      visitors: day.visitors,
      pageviews: day.pageviews,
      ...describeVisits(day),
      ...describeMost(day),
      ...(head.period.partial && date === span.to && { partial: true }),
      ...markMissing(day, date, span.site),
    }));
    return {
      ...head,
      interval: "day",
      points,
      ...joinWarnings(warnings, await warnOfDays(span, days, context)),
    };
  },

  hours: async (params, context) => {
    const { source, signal } = context;
    assertHours(source);
    assertFewDays(params);
    const { span, head, warnings } = await openSpan(params, context);
    const hours = await source.hours(span, signal);
    const { timezone } = span.site;
    const folded = new Set(hours.flatMap(({ start, most }) => (most ? dateAt(start, timezone) : [])));
    const points = hours.map(({ start, ...hour }, index) => ({
      time: formatInstant(start, timezone),
      visitors: hour.visitors,
      pageviews: hour.pageviews,
      ...describeVisits(hour),
      ...describeMost(hour),
      ...(head.period.partial && index === hours.length - 1 && { partial: true }),
      ...markMissing(hour, dateAt(start, timezone), span.site),
    }));
    return {
      ...head,
      interval: "hour",
      points,
      ...joinWarnings(
        warnings,
        folded.size > 0 ? [warnOfFilter([...folded])] : await warnOfValues(span, hours, context),
      ),
    };
  },

  breakdown: async (params, context) => {
    const { signal } = context;
    const source = demand("breakdown", context);
    const { dimension, limit } = params;
    const { span, head, warnings } = await openSpan(params, context);
    await assertRecorded(source, span.site, dimension, "dimension", signal);
    const [{ rows, totalRows, moreRows = 0, warnings: ofRows = [] }, days] = await Promise.all([
      source.breakdown(span, dimension, limit, signal),
      source.days(span, signal),
    ]);
    const isEvents = dimension === "events";
    const sums = sumDays(days);
    const { visitors, pageviews, events, ...rest } = isEvents ? await addEvents(sums, span, context) : sums;
    const { events_at_most, ...visits } = rest;
    return {
      ...head,
      dimension,
      rows: rows.map(({ value, label, other, hits, most, ...row }) => ({
        value,
        label,
        ...(other && { other }),
        visitors: row.visitors,
        ...(isEvents ? { events: hits } : { pageviews: hits }),
        ...describeVisits(row),
        percentage: computePercentage(row.visitors, visitors, head.period.partial),
        ...(most && {
          visitors_at_most: most.visitors,
          [isEvents ? "events_at_most" : "pageviews_at_most"]: most.hits,
        }),
      })),
      ...describeLimit(limit, totalRows),
      totals: { visitors, pageviews, ...(isEvents && { events, events_at_most }), ...visits },
      ...joinWarnings(
        warnings,
        ofRows,
        totalRows === 0 ? warnOfEvents(dimension, source) : [],
        isEvents ? await warnOfEventCount(span, context) : [],
        moreRows > 0 ? [warnOfSubtraction({ more_rows: moreRows })] : [],
        await warnOfDays(span, days, context),
        warnOfFolded(dimension, rows, [...warnings, ...ofRows]),
      ),
    };
  },

  crawlers: async ({ limit, ...params }, context) => {
    const { signal } = context;
    const source = demand("crawlers", context);
    const { span, head, warnings } = await openSpan(params, context);
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
      ...describeLimit(limit, totalRows),
      totals: { requests: totalRequests },
      ...joinWarnings(warnings),
    };
  },

  "not-found": async ({ limit, ...params }, context) => {
    const { signal } = context;
    const source = demand("not-found", context);
    const status = readStatus(params);
    const { span, head, warnings } = await openSpan(params, context);
    const { rows, totalRows, totalRequests, excluded, folded } = await source.notFound(
      span,
      limit,
      signal,
      status,
    );
    return {
      ...head,
      ...(status && { status }),
      rows: rows.map(({ value, other, requests, visitors, referrers }) => ({
        value,
        ...(other && { other }),
        requests,
        visitors,
        referrers: referrers.map(({ value, internal, requests }) => ({ value, internal, requests })),
      })),
      ...describeLimit(limit, totalRows),
      totals: { requests: totalRequests },
      excluded: { bots: excluded.bots, scanners: excluded.scanners },
      ...joinWarnings(warnings, folded ? [warnOfFoldedLinks()] : []),
    };
  },

  realtime: async (params, context) => {
    const { now, signal } = context;
    const source = demand("realtime", context);
    const { site, filter } = await openSite(params, source, signal);
    const today = dateAt(now, site.timezone);
    const [visitors, warnings = []] = await Promise.all([
      source.active(site, now, signal, filter),
      source.warnings?.({ site, from: today, to: today, now }, signal),
    ]);
    // Of the warnings about today, only those that today's data is missing matter here, or what a filter asks for.
    const about = warnings.filter(({ code }) => ABOUT_MISSING.has(code) || (filter && code === "folded"));
    return {
      site: { id: site.id, domain: site.domain },
      ...(filter && { filter: formatFilter(filter) }),
      visitors,
      window_minutes: WINDOW_MINUTES,
      as_of: formatInstant(now, site.timezone),
      ...joinWarnings(about),
    };
  },

  openapi: async (_, { source }) => {
    // The longest text of all, and nearly no question is about it.
    const { buildOpenApi } = await import("../documents/openapi-document.ts");
    return buildOpenApi(
      operations.filter((operation) => offersOperation(source, operation)),
      listUnsupported(source),
    );
  },
};

const FROM_LOGS =
  "Access logs do (--logs), and tables that were exported from them (--clickhouse without --map and --schema).";

/** What an operation that a source may lack needs: the method of the port, what that counts, and where else people find it. */
const NEEDED = {
  breakdown: { method: "breakdown", what: "lists of pages, countries and so on", hint: "" },
  crawlers: { method: "crawlers", what: "crawlers", hint: FROM_LOGS },
  "not-found": { method: "notFound", what: "requests for what is not there", hint: FROM_LOGS },
  realtime: { method: "active", what: "active visitors", hint: "" },
  hours: { method: "hours", what: "hours", hint: "" },
} as const satisfies Record<
  OptionalOperation["name"] | "breakdown" | "realtime" | "hours",
  { method: keyof DataSource; what: string; hint: string }
>;

type Having<N extends keyof typeof NEEDED> = PartialSource &
  Required<Pick<DataSource, (typeof NEEDED)[N]["method"]>>;

/**
 * The source of those who query it themselves, if it has what the operation needs: the REST API refuses what it does not offer
 * before it gets here. Throws AnalyticsError `not_found`.
 */
function demand<N extends keyof typeof NEEDED>(name: N, { source, label }: AnswerContext): Having<N> {
  const { method, what, hint } = NEEDED[name];
  // By the table, it has the method.
  if (source[method] !== undefined) return source as Having<N>;
  throw new AnalyticsError(
    "not_found",
    `This source${label === undefined ? "" : ` (${label})`} does not record ${what}.`,
    { status: 404, ...(hint && { hint }) },
  );
}

/** The optional parameters that a source cannot answer. */
const listUnsupported = ({ filters, hours, spans }: PartialSource): string[] => [
  ...(filters === undefined ? ["filter"] : []),
  ...(hours === undefined ? ["interval"] : []),
  ...(spans === false ? ["from", "to"] : []),
];

type WithHours = PartialSource & Required<Pick<DataSource, "hours">>;

function assertHours(source: PartialSource): asserts source is WithHours {
  if (source.hours !== undefined) return;
  throw createParameterError("interval", "cannot be hour: this source only has days", {
    code: "unknown_parameter",
    hint: "Ask by day, week, month or weekday.",
  });
}

function assertFewDays({ days, from, to }: { days: number } & Partial<Days>): void {
  const isSpan = from !== undefined && to !== undefined;
  const count = isSpan ? countDays(from, to) : days;
  if (count <= MAX_HOUR_DAYS) return;
  if (isSpan) {
    const detail = `begins a span of ${count} days, and interval=hour is for at most ${MAX_HOUR_DAYS}`;
    throw createParameterError("from", detail);
  }
  const detail = `must be a whole number from 1 to ${MAX_HOUR_DAYS} with interval=hour`;
  throw createParameterError("days", detail, { range: { minimum: 1, maximum: MAX_HOUR_DAYS } });
}

/** Whether a source can answer an operation by the contract, or for hours. It must, unless the operation is optional. */
export function offersOperation(source: PartialSource, { name }: { name: string }): boolean {
  const method = readMember(NEEDED, name)?.method;
  return findLack(source, name) === undefined && (method === undefined || source[method] !== undefined);
}

/** Why a source cannot answer an operation by the contract, if it says why. */
export const findLack = ({ lacks = {} }: PartialSource, name: string): string | undefined =>
  readMember(lacks, name);

/** The refusal of an operation that the source does not offer: to callers, there is nothing at its path. */
export const createNotOfferedError = (reason?: string) =>
  new AnalyticsError(
    "not_found",
    reason === undefined
      ? "There is nothing at this path."
      : `There is nothing at this path, because of the service that this API stands in front of: ${reason}.`,
    { status: 404 },
  );

const describeLimit = (limit: number, totalRows: number) => ({
  limit,
  total_rows: totalRows,
  truncated: totalRows > limit,
});

const ABOUT_MISSING = new Set(["stale", "damaged_history", "unread_input", PROXIED]);

/** Says which sites a list lacks. */
async function warnOfMissing(
  { length }: readonly SourceSite[],
  unlisted: readonly UnlistedSite[],
  { selected }: PartialSource,
): Promise<Warning[]> {
  if (unlisted.length === 0 && (length > 0 || selected === undefined)) return [];
  const { warnOfNone, warnOfUnlisted } = await import("./unlisted-sites.ts");
  return unlisted.length > 0 ? warnOfUnlisted(unlisted) : [warnOfNone(selected ?? [])];
}

/** The member of an answer with its warnings; there is none without. */
function joinWarnings(...lists: (readonly Warning[])[]): { warnings?: Warning[] } {
  const warnings = lists.flat();
  return warnings.length > 0 ? { warnings } : {};
}

/** Says that a row has what was folded, unless the source has said so. */
function warnOfFolded(
  dimension: Dimension,
  rows: Ranking["rows"],
  told: readonly Warning[],
): readonly Warning[] {
  const folded = rows.find(({ other }) => other);
  const isTold = told.some(({ code }) => code === "folded");
  return isTold || folded === undefined ? [] : [warnOfFolding([dimension], folded.label)];
}

/**
 * A row's share of all visitors, in percent with one decimal. Throws AnalyticsError `bad_answer` if there are more in the
 * row than in all. Of today there may be: a service may count a visitor between the answers to two requests.
 */
function computePercentage(visitors: number, all: number, isToday: boolean): number {
  if (visitors <= all) return Math.round((1000 * visitors) / all) / 10;
  if (isToday) return 100;
  throw new AnalyticsError(
    "bad_answer",
    `A row has ${visitors} visitors, but all rows together have ${all}.`,
    {
      hint: "Nothing was shown, because the numbers could be wrong. Report it to the service's operator.",
    },
  );
}

/** Says that the zeros of a day or an hour are no counts: there is no data of it. */
function markMissing(
  { visitors, pageviews, missing }: Pick<CountedDay, "visitors" | "pageviews" | "missing">,
  date: string,
  { dataSince }: SourceSite,
): { missing?: true } {
  const isMissing = missing || !dataSince || date < dataSince;
  return isMissing && visitors + pageviews === 0 ? { missing: true } : {};
}

/** The visits of a day or row as the contract has them; nothing if the source does not know visits. */
function describeVisits({ visits, bounces, visitSeconds }: Partial<VisitTotals>) {
  return visits === undefined ? {} : { visits, bounces, visit_seconds: visitSeconds };
}

/** The upper ends of a day or an hour that is known only as a range. */
const describeMost = ({ most }: { most?: { visitors: number; pageviews: number } }) =>
  most && { visitors_at_most: most.visitors, pageviews_at_most: most.pageviews };

function sumDays(days: readonly CountedDay[]) {
  const sum = (name: Exclude<keyof CountedDay, "date" | "missing" | "most">) =>
    days.reduce((total, day) => total + (day[name] ?? 0), 0);
  const visits = days.every((day) => day.visits !== undefined)
    ? { visits: sum("visits"), bounces: sum("bounces"), visitSeconds: sum("visitSeconds") }
    : {};
  return {
    visitors: sum("visitors"),
    pageviews: sum("pageviews"),
    events: days.every((day) => day.events !== undefined) ? sum("events") : undefined,
    ...describeVisits(visits),
    ...sumAtMost(days.map((day) => ({ ...day, ...describeMost(day), events_at_most: day.most?.events }))),
  };
}

/** What to know about what a filter keeps of some days: nothing is said to be missing that may have been folded. */
async function warnOfDays(
  span: Span,
  days: readonly CountedDay[],
  context: AnswerContext,
): Promise<Warning[]> {
  const dates = days.flatMap(({ date, most }) => (most ? date : []));
  return dates.length > 0 ? [warnOfFilter(dates, sumDays(days))] : warnOfValues(span, days, context);
}

/** What a filter keeps has visitors, so that it lacks nothing. */
const warnOfEventCount = async (span: Span, { source, signal }: AnswerContext) =>
  span.filter === undefined ? ((await source.eventWarnings?.(span, signal)) ?? []) : [];

/** The totals with the events of a source that knows them only of all days. */
const addEvents = async (
  totals: ReturnType<typeof sumDays>,
  span: Span,
  { source, signal }: AnswerContext,
) => ({ ...totals, events: totals.events ?? (await source.events?.(span, signal)) });

function formatUtc(instant: number): string {
  return `${new Date(instant).toISOString().slice(0, 19)}Z`;
}
