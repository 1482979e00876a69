import { AnalyticsError, quoteIfNeeded } from "../errors.ts";
import { readMember } from "../member.ts";
import { countDays, type Days } from "../operations/days.ts";
import type { Dimension } from "../operations/dimensions.ts";
import { MAX_HOUR_DAYS } from "../operations/fields.ts";
import {
  type Condition,
  type Filter,
  formatCondition,
  formatFilter,
  parseFilter,
  readFilter,
} from "../operations/filter.ts";
import type { hours } from "../operations/hours.ts";
import {
  type AnyOperation,
  type OperationName,
  type OptionalOperation,
  operations,
} from "../operations/index.ts";
import type { Operation, ParamsOf, ResultOf } from "../operations/operation.ts";
import { normalizeSite } from "../operations/site-name.ts";
import type { Warning } from "../operations/warning.ts";
import { dateAt, formatInstant } from "./calendar.ts";
import type { CountedDay, DataSource, Ranking, SourceSite, Span, VisitTotals } from "./data-source.ts";
import { warnOfFoldedLinks, warnOfFolding, warnOfUnlisted } from "./data-warnings.ts";
import { assertPossibleValues } from "./dimension-values.ts";
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
  const isHours = Reflect.get(params, "interval") === "hour";
  const compute = answers[isHours ? "hours" : (name as OperationName)] as (
    params: object,
    context: AnswerContext,
  ) => Promise<unknown>;
  return compute(params, { now: Math.floor(now / 1000) * 1000, ...rest });
}

type AnswerTo<O extends Operation> = (
  params: ParamsOf<O> & Partial<Days>,
  context: AnswerContext,
) => Promise<ResultOf<O>>;

type Answers = { [N in OperationName]: AnswerTo<Extract<AnyOperation, { name: N }>> } & {
  hours: AnswerTo<typeof hours>;
};

const WINDOW_MINUTES = 5;

const answers: Answers = {
  sites: async (_, { source, now, signal }) => {
    const [sites, unlisted = []] = await Promise.all([source.sites(signal), source.unlisted?.(signal)]);
    const [first] = unlisted;
    // Nothing can be asked: the reason says more than an empty list.
    if (sites.length === 0 && first !== undefined) throw first.reason;
    return {
      as_of: formatUtc(now),
      sites: sites.flatMap(({ id, domain, name, timezone, createdAt, dataSince }) =>
        createdAt === undefined
          ? []
          : [{ id, domain, name, timezone, created_at: formatUtc(createdAt), data_since: dataSince }],
      ),
      ...(unlisted.length > 0 && { warnings: warnOfUnlisted(unlisted) }),
    };
  },

  stats: async (params, context) => {
    const { span, head, tail } = await openSpan(params, context);
    const days = await context.source.days(span, context.signal);
    const { events, ...totals } = await addEvents(sumDays(days), span, context);
    if (events === undefined) throw createNotOfferedError("it has no events");
    return { ...head, ...totals, events, ...(await warnOfValues(span, days, tail, context)) };
  },

  timeseries: async (params, context) => {
    if ("interval" in params) assertHours(context.source);
    const { span, head, tail } = await openSpan(params, context);
    const days = await context.source.days(span, context.signal);
    const points = days.map(({ date, visitors, pageviews, ...day }) => ({
      date,
      visitors,
      pageviews,
      ...describeVisits(day),
      ...(head.period.partial && date === span.to && { partial: true }),
    }));
    return { ...head, interval: "day", points, ...(await warnOfValues(span, days, tail, context)) };
  },

  hours: async (params, context) => {
    const { source, signal } = context;
    assertHours(source);
    assertFewDays(params);
    const { span, head, tail } = await openSpan(params, context);
    const hours = await source.hours(span, signal);
    const { timezone } = span.site;
    const points = hours.map(({ start, visitors, pageviews, ...hour }, index) => ({
      time: formatInstant(start, timezone),
      visitors,
      pageviews,
      ...describeVisits(hour),
      ...(head.period.partial && index === hours.length - 1 && { partial: true }),
    }));
    return { ...head, interval: "hour", points, ...(await warnOfValues(span, hours, tail, context)) };
  },

  breakdown: async (params, context) => {
    const { source, signal } = context;
    const { dimension, limit } = params;
    const { span, head, tail } = await openSpan(params, context);
    await assertRecorded(source, span.site, dimension, "dimension", signal);
    const [{ rows, totalRows, warnings: ownWarnings = [] }, days] = await Promise.all([
      source.breakdown(span, dimension, limit, signal),
      source.days(span, signal),
    ]);
    const isEvents = dimension === "events";
    const sums = sumDays(days);
    const { visitors, pageviews, events, ...visits } = isEvents ? await addEvents(sums, span, context) : sums;
    return {
      ...head,
      dimension,
      rows: rows.map(({ value, label, other, hits, ...row }) => ({
        value,
        label,
        ...(other && { other }),
        visitors: row.visitors,
        ...(isEvents ? { events: hits } : { pageviews: hits }),
        ...describeVisits(row),
        percentage: computePercentage(row.visitors, visitors, head.period.partial),
      })),
      limit,
      total_rows: totalRows,
      truncated: totalRows > limit,
      totals: { visitors, pageviews, ...(isEvents && { events }), ...visits },
      ...warnOfFolded(
        dimension,
        rows,
        await warnOfValues(span, days, addWarnings(tail, ownWarnings), context),
      ),
    };
  },

  crawlers: async ({ limit, ...params }, context) => {
    const { source, signal } = context;
    if (source.crawlers === undefined) throw createNotRecordedError("crawlers");
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

  "not-found": async ({ limit, ...params }, context) => {
    const { source, signal } = context;
    if (source.notFound === undefined) throw createNotRecordedError("requests for what is not there");
    const { span, head, tail } = await openSpan(params, context);
    const { rows, totalRows, totalRequests, excluded, folded } = await source.notFound(span, limit, signal);
    return {
      ...head,
      rows: rows.map(({ value, other, requests, visitors, referrers }) => ({
        value,
        ...(other && { other }),
        requests,
        visitors,
        referrers: referrers.map(({ value, internal, requests }) => ({ value, internal, requests })),
      })),
      limit,
      total_rows: totalRows,
      truncated: totalRows > limit,
      totals: { requests: totalRequests },
      excluded: { bots: excluded.bots, scanners: excluded.scanners },
      ...(folded ? { warnings: [...(tail.warnings ?? []), warnOfFoldedLinks()] } : tail),
    };
  },

  realtime: async (params, { source, now, signal }) => {
    const { site, filter } = await openSite(params, source, signal);
    const today = dateAt(now, site.timezone);
    const [visitors, warnings = []] = await Promise.all([
      source.active(site, now, signal, filter),
      source.warnings?.({ site, from: today, to: today, now }, signal),
    ]);
    // Of the warnings about today, only those that today's data is missing matter here.
    const about = warnings.filter(({ code }) => code === "stale" || code === "damaged_history");
    return {
      site: { id: site.id, domain: site.domain },
      ...(filter && { filter: formatFilter(filter) }),
      visitors,
      window_minutes: WINDOW_MINUTES,
      as_of: formatInstant(now, site.timezone),
      ...(about.length > 0 && { warnings: about }),
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

/** The method of the port that an optional operation needs. */
const NEEDED: Readonly<Record<OptionalOperation["name"], keyof DataSource>> = {
  crawlers: "crawlers",
  "not-found": "notFound",
};
/** The optional parameters that a source cannot answer. */
const listUnsupported = ({ filters, hours, spans }: DataSource): string[] => [
  ...(filters === undefined ? ["filter"] : []),
  ...(hours === undefined ? ["interval"] : []),
  ...(spans === false ? ["from", "to"] : []),
];

type WithHours = DataSource & Required<Pick<DataSource, "hours">>;

function assertHours(source: DataSource): asserts source is WithHours {
  if (source.hours !== undefined) return;
  throw new AnalyticsError("unknown_parameter", "interval is unknown: this source has no hours.", {
    status: 400,
    parameters: [{ parameter: "interval", detail: "is unknown: this source has no hours" }],
  });
}

function assertFewDays({ days, from, to }: { days: number } & Partial<Days>): void {
  const isSpan = from !== undefined && to !== undefined;
  const count = isSpan ? countDays(from, to) : days;
  if (count <= MAX_HOUR_DAYS) return;
  const refused = isSpan
    ? {
        parameter: "from",
        detail: `begins a span of ${count} days, and interval=hour is for at most ${MAX_HOUR_DAYS}`,
      }
    : {
        parameter: "days",
        detail: `must be a whole number from 1 to ${MAX_HOUR_DAYS} with interval=hour`,
        minimum: 1,
        maximum: MAX_HOUR_DAYS,
      };
  throw new AnalyticsError("invalid_parameter", `${refused.parameter} ${refused.detail}.`, {
    status: 400,
    parameters: [refused],
  });
}

/** Whether a source can answer an operation. It must, unless the operation is optional. */
export function offersOperation(source: DataSource, { name }: AnyOperation): boolean {
  const method: keyof DataSource | undefined = readMember(NEEDED, name);
  return findLack(source, name) === undefined && (method === undefined || source[method] !== undefined);
}

/** Why a source cannot answer an operation by the contract, if it says why. */
export const findLack = ({ lacks = {} }: DataSource, name: string): string | undefined =>
  readMember(lacks, name);

/** For those who query the source itself: the REST API refuses an operation that it does not offer before it gets here. */
const createNotRecordedError = (what: string) =>
  new AnalyticsError("not_found", `This source does not record ${what}.`, {
    status: 404,
    hint: "Access logs do (--logs), and tables that were exported from them (--clickhouse without --map and --schema).",
  });

/** The refusal of an operation that the source does not offer: to callers, there is nothing at its path. */
export const createNotOfferedError = (reason?: string) =>
  new AnalyticsError(
    "not_found",
    reason === undefined
      ? "There is nothing at this path."
      : `There is nothing at this path, because of the service that this API stands in front of: ${reason}.`,
    { status: 404 },
  );

/** Finds the site and the days of a query, and what every answer about days begins and ends with. */
async function openSpan(params: { site: string; days: number } & Partial<Days>, context: AnswerContext) {
  const { source, now, signal } = context;
  if (source.spans === false) assertNoSpan(params);
  const { site, filter } = await openSite(params, source, signal);
  const days = resolveSpan(params, site, source.daysKept, now);
  const span: Span = { site, ...days, now, ...(filter && { filter }) };
  const warnings = [...warnOfStart(span), ...((await source.warnings?.(span, signal)) ?? [])];
  return {
    span,
    head: {
      site: { id: site.id, domain: site.domain },
      period: buildPeriod(span),
      ...(filter && { filter: formatFilter(filter) }),
    },
    tail: warnings.length > 0 ? { warnings } : {},
  };
}

function assertNoSpan(params: Partial<Days>): void {
  const parameter = (["from", "to"] as const).find((name) => params[name] !== undefined);
  if (parameter === undefined) return;
  const detail = "is unknown: this source only answers for days until today";
  throw new AnalyticsError("unknown_parameter", `${parameter} ${detail}.`, {
    status: 400,
    parameters: [{ parameter, detail }],
  });
}

/** Finds the site and the conditions of a query. Like all parameters, conditions are checked before the site. */
async function openSite(
  params: { site: string },
  source: DataSource,
  signal: AbortSignal | undefined,
): Promise<{ site: SourceSite; filter: Filter | undefined }> {
  const filter = readConditions(params, source);
  const site = await findSite(source, params.site, signal);
  for (const { dimension } of filter ?? []) await assertRecorded(source, site, dimension, "filter", signal);
  return { site, filter };
}

/** The conditions of a query. Throws AnalyticsError if the source has no filters, or no such value. */
function readConditions(params: object, source: DataSource): Filter | undefined {
  const texts = readFilter(params);
  if (texts === undefined || texts.length === 0) return undefined;
  if (source.filters === undefined) {
    throw new AnalyticsError("unknown_parameter", "filter is unknown: this source has no filters.", {
      status: 400,
      parameters: [{ parameter: "filter", detail: "is unknown: this source has no filters" }],
    });
  }
  const filter = parseFilter(texts);
  if (source.filters === true) assertPossibleValues(filter);
  return filter;
}

const addWarnings = ({ warnings = [] }: { warnings?: Warning[] }, more: readonly Warning[]) =>
  warnings.length + more.length > 0 ? { warnings: [...warnings, ...more] } : {};

/** The warnings of an answer, and one if a row has what was folded, unless the source has said so. */
function warnOfFolded(
  dimension: Dimension,
  rows: Ranking["rows"],
  { warnings = [] }: { warnings?: Warning[] },
): { warnings?: Warning[] } {
  const isTold = warnings.some(({ code }) => code === "folded");
  const folded = rows.find(({ other }) => other);
  if (isTold || folded === undefined) return warnings.length > 0 ? { warnings } : {};
  return { warnings: [...warnings, warnOfFolding([dimension], folded.label)] };
}

/** How many values are looked for. */
const MAX_SOUGHT = 10;

/** The warnings of an answer, and one if there is nothing because nobody had the value of a condition. */
async function warnOfValues(
  span: Span,
  counts: readonly { visitors: number; events?: number }[],
  tail: { warnings?: Warning[] },
  { source, signal }: AnswerContext,
): Promise<{ warnings?: Warning[] }> {
  if (span.filter === undefined || counts.some(({ visitors, events = 0 }) => visitors + events > 0))
    return tail;
  const sought = span.filter.flatMap(({ isNot, alternatives, ...condition }) =>
    isNot || alternatives.some((parts) => parts?.length !== 1)
      ? []
      : alternatives.map((parts) => ({ ...condition, isNot, alternatives: [parts] })),
  );
  const missing: Condition[] = [];
  for (const condition of sought.slice(0, MAX_SOUGHT)) {
    const found = await source.days({ ...span, filter: [condition] }, signal);
    if (found.every(({ visitors }) => visitors === 0)) missing.push(condition);
  }
  const [first] = missing;
  if (first === undefined) return tail;
  const detail = `Nothing in these days has ${missing.map((each) => quoteIfNeeded(formatCondition(each))).join(" or ")}: a value that was never recorded, or not in these days.`;
  const warning = { code: "no_such_value", detail, values: { filter: formatCondition(first) } };
  return { warnings: [...(tail.warnings ?? []), warning] };
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

/** The visits of a day or row as the contract has them; nothing if the source does not know visits. */
function describeVisits({ visits, bounces, visitSeconds }: Partial<VisitTotals>) {
  return visits === undefined ? {} : { visits, bounces, visit_seconds: visitSeconds };
}

/** Finds a site by its id or domain, as a person may write it. Throws AnalyticsError `site_not_found`. */
export async function findSite(source: DataSource, name: string, signal?: AbortSignal): Promise<SourceSite> {
  const wanted = normalizeSite(name);
  const site = source.site
    ? await source.site(wanted, signal)
    : (await source.sites(signal)).find(({ id, domain }) => id === wanted || domain === wanted);
  if (site) return site;
  throw createSiteNotFound();
}

async function assertRecorded(
  source: DataSource,
  site: SourceSite,
  dimension: Dimension,
  parameter: "dimension" | "filter",
  signal?: AbortSignal,
): Promise<void> {
  const recorded = await source.dimensions?.(site, signal);
  if (recorded === undefined || recorded.includes(dimension)) return;
  const allowed = [...recorded];
  const option = source.missingOption?.(dimension);
  const without = option === undefined ? "" : ` without ${option}`;
  const detail = `is ${dimension}, which this source does not record${without}; it has ${allowed.join(", ")}`;
  throw new AnalyticsError("invalid_parameter", `${parameter} ${detail}.`, {
    status: 400,
    parameters: [{ parameter, detail, allowed }],
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

function sumDays(days: readonly CountedDay[]) {
  const sum = (name: Exclude<keyof CountedDay, "date">) =>
    days.reduce((total, day) => total + (day[name] ?? 0), 0);
  const visits = days.every((day) => day.visits !== undefined)
    ? { visits: sum("visits"), bounces: sum("bounces"), visitSeconds: sum("visitSeconds") }
    : {};
  return {
    visitors: sum("visitors"),
    pageviews: sum("pageviews"),
    events: days.every((day) => day.events !== undefined) ? sum("events") : undefined,
    ...describeVisits(visits),
  };
}

/** The totals with the events of a source that knows them only of all days. */
const addEvents = async (
  totals: ReturnType<typeof sumDays>,
  span: Span,
  { source, signal }: AnswerContext,
) => ({ ...totals, events: totals.events ?? (await source.events?.(span, signal)) });

function formatUtc(instant: number): string {
  return `${new Date(instant).toISOString().slice(0, 19)}Z`;
}
