import type * as z from "zod";
import { askForSite } from "../client/site-lookup.ts";
import { limitTime } from "../client/time-limit.ts";
import { AnalyticsError, quoteIfNeeded } from "../errors.ts";
import type { Call, CallOptions } from "../operations/call.ts";
import { type Dimension, dimensions } from "../operations/dimensions.ts";
import { conditionOf, formatFilter, isOnHits } from "../operations/filter.ts";
import { readFilterInput } from "../operations/filter-input.ts";
import { breakdown, sites } from "../operations/index.ts";
import { forModels } from "../operations/note.ts";
import type { Presentation } from "../operations/operation.ts";
import { type LazySchemas, type Schemas, withLazySchemas } from "../operations/schemas.ts";
import { listSites } from "../operations/site-name.ts";
import { hasNoCounts, type View } from "../operations/view.ts";
import { describeLeftRates, withoutRates } from "../operations/visit-rates.ts";
import { cleanText } from "../render/clean-text.ts";
import type { QueryOptions } from "./default-days.ts";
import type { InPlace } from "./empty-answer.ts";
import { MEASURE_NAMES } from "./report-fields.ts";

/** An answer, with the parameters of its query and the tables that show it. */
export interface Answer extends InPlace {
  params: Record<string, unknown>;
  result: Record<string, unknown>;
  views: View[];
  /** What to ask about the first row alone, where the source has filters: "and of those?" */
  ofFirst?: FirstRow;
}

interface FirstRow {
  /** The conditions that keep only this row. */
  filter: string[];
  /** What to list of it. */
  dimension: Dimension;
}

interface Declaration<Name extends string, Result extends z.ZodObject> extends Presentation {
  readonly name: Name;
  /** Whether it may ask a service for its sites, to name the others if none was named: it takes several requests anyway. */
  readonly asksForSites?: true;
  /** Whether it proposes to ask about the first row alone: "and of those?" */
  readonly asksOfFirst?: true;
  /** The result with less than it has, to save a model tokens. */
  compact?(result: z.output<Result>, params?: Record<string, unknown>): Record<string, unknown>;
  /** Members of the result in full, for a chart. Only people see them, so they cost a model nothing. */
  drawn?(result: z.output<Result>): Record<string, unknown>;
}

/** What people and assistants can ask: an operation or a report. Each is a command and a tool. */
export interface Query<
  Name extends string = string,
  Params extends z.ZodObject = z.ZodObject,
  Result extends z.ZodObject = z.ZodObject,
> extends Declaration<Name, Result>,
    // At runtime, `site` is optional in `params`: `ask` can find it.
    Pick<Schemas<Params, Result>, "params" | "result"> {
  /** @param params Parsed with `params`. */
  ask(call: Call, params: Record<string, unknown>, options: QueryOptions): Promise<Answer>;
}

interface Emptiness {
  /** Whether the totals of its result are null if there is no data of its days; the contract has zeros with a warning. */
  readonly isReport?: true;
}

interface Asking<Params extends z.ZodObject> extends Emptiness {
  /** @param params With the site, and without the filter, which is in the options. */
  reply(
    call: Call,
    params: z.output<Params>,
    options: QueryOptions,
  ): Promise<Pick<Answer, "result" | "views">>;
}

/** Declares a query. Its answer is limited in time, and is about the site that is named, or else the default one. */
export function defineQuery<const N extends string, P extends z.ZodObject, R extends z.ZodObject>(
  declaration: Declaration<N, R> & LazySchemas<P, R> & Asking<P>,
): Query<N, P, R> {
  const query: Query<N, P, R> = withLazySchemas({
    ...declaration,
    params: () => {
      const params = declaration.params();
      return ("site" in params.shape ? params.partial({ site: true }) : params) as z.ZodObject as P;
    },
    ask: async (call: Call, { filter: texts, ...given }: Record<string, unknown>, limits: QueryOptions) => {
      const filter = readFilterInput(texts as string[] | undefined);
      return answerInTime({ ...limits, ...(filter && { filter }) }, (options) => {
        const answer = async (complete: Record<string, unknown>): Promise<Answer> => {
          const reply = (params: object, options: QueryOptions) =>
            declaration.reply(leaveRates(call, options), params as z.output<P>, options);
          const hasConditions = filter !== undefined || complete.goal !== undefined;
          const { result, views, params, nothing, ...kept } = hasConditions
            ? await (await import("./named-values.ts")).replyByName(call, complete, options, reply)
            : { ...(await reply(complete, options)), params: complete, options, nothing: undefined };
          const [counted, ofFirst, others] = await Promise.all([
            findEmpty(call, { result, views }, { ...declaration, nothing }, options),
            query.asksOfFirst ? keepFirst(call, result, kept.options) : undefined,
            given.site === undefined ? listOtherSites(call, query, complete, options) : [],
          ]);
          const { result: shown, views: all, ...rest } = counted;
          return {
            params,
            result: shown,
            views: noteSites(
              rest.empty === undefined ? noteLeftRates(all, kept.options) : all,
              String(complete.site),
              others,
            ),
            ...rest,
            ...(ofFirst && { ofFirst }),
          };
        };
        return "site" in query.params.shape ? askForSite(call, given, options, answer) : answer(given);
      });
    },
  });
  return query;
}

/**
 * Says so if an answer has no counts because there is no data of its days, and leaves out its zeros; or because nothing meets its
 * filter.
 */
async function findEmpty(
  call: Call,
  answer: Pick<Answer, "result" | "views">,
  { isReport, nothing }: Emptiness & { nothing: string | undefined },
  options: CallOptions,
): Promise<Pick<Answer, "result" | "views"> & InPlace> {
  const { result, views } = answer;
  const [first] = views;
  // The days before may have had some.
  const rows = first?.rows.map((row) => ({ ...row, previous: null })) ?? [];
  if (first === undefined) return answer;
  const isBlank = hasNoCounts({ ...first, rows });
  if (!isBlank && !("current" in result)) return answer;
  const { describeEmpty, describeUncompared, leaveUncounted, sayAlone } = await import("./empty-answer.ts");
  const uncompared = describeUncompared(result);
  if (!isBlank) return uncompared ? sayAlone(answer, uncompared) : answer;
  const { isUnread = false, ...found } = await describeEmpty(call, result, views, options);
  const isCounted = found.empty === undefined && !isUnread;
  if (!isCounted) return { ...leaveUncounted(answer, { isReport, isUnread }), ...found };
  const said = nothing !== undefined && views.every(hasNoCounts) ? { empty: nothing } : uncompared;
  return said ? sayAlone(answer, said) : answer;
}

/** A query that combines several operations. */
interface Report<Params extends z.ZodObject, Result extends z.ZodObject> {
  /** Answers with operations of the contract only. */
  compute(call: Call, params: z.output<Params>, options: QueryOptions): Promise<z.output<Result>>;
  /** The answer as tables, in order; the headline and notes of the first apply to all. */
  views(result: z.output<Result>, params?: z.output<Params>): View[];
}

export function defineReport<const N extends string, P extends z.ZodObject, R extends z.ZodObject>(
  report: Declaration<N, R> & LazySchemas<P, R> & Report<P, R>,
): Query<N, P, R> & Report<P, R> {
  const query = defineQuery<N, P, R>({
    ...report,
    isReport: true,
    reply: async (call, params, options) => {
      const { adviseOnQuota } = await import("./quota-advice.ts");
      const counted = await adviseOnQuota(call, params, (each) => report.compute(each, params, options));
      const { filter } = options;
      const result = { ...counted, ...(filter && { filter: formatFilter(filter) }) };
      return { result, views: report.views(result, params) };
    },
  });
  return Object.assign(query, { compute: report.compute, views: report.views });
}

/**
 * The sites that a query without one could have been about as well: those beside the default site. A service is asked for
 * them only by a query that takes several requests anyway.
 */
async function listOtherSites(
  call: Call,
  { params, asksForSites }: Query,
  { site }: Record<string, unknown>,
  options: CallOptions,
): Promise<string[]> {
  const isFree = call.readDataDays !== undefined;
  if (!("site" in params.shape) || !(isFree || asksForSites)) return [];
  if ((await call.readSite?.()) === undefined) return [];
  const all = await call(sites, {}, options).catch(() => undefined);
  return (all?.sites ?? []).flatMap(({ id, domain }) => (site === id || site === domain ? [] : [domain]));
}

/** The call without the rates of visits, if a filter keeps single hits. */
function leaveRates(call: Call, { filter = [] }: CallOptions): Call {
  if (!filter.some(isOnHits)) return call;
  const left: Call = async (...asked) => withoutRates(await call(...asked));
  return Object.assign(left, call);
}

/** Says why there are visits without their rates. */
function noteLeftRates([first, ...rest]: View[], { filter = [] }: CallOptions): View[] {
  if (first === undefined) return [];
  const reason = describeLeftRates(filter);
  const showsVisits =
    first.columns.some(({ key }) => key === "visits") ||
    first.rows.some(({ label }) => label === MEASURE_NAMES.visits);
  return [reason && showsVisits ? { ...first, notes: [...first.notes, reason] } : first, ...rest];
}

const MAX_OTHERS = 5;

function noteSites(views: View[], site: string, others: readonly string[]): View[] {
  const [first, ...rest] = views;
  if (first === undefined || others.length === 0) return views;
  // People see the site in the heading.
  const told = forModels(
    `No site was named: this is ${quoteIfNeeded(site)}. Others: ${listSites(others, MAX_OTHERS)}.`,
  );
  return [{ ...first, notes: [...first.notes, told] }, ...rest];
}

/** What to ask about the first row; undefined if a service is not known to have filters. */
async function keepFirst(
  call: Call,
  result: Record<string, unknown>,
  options: CallOptions,
): Promise<FirstRow | undefined> {
  const { dimension, rows } = breakdown.answer.pick({ dimension: true, rows: true }).parse(result);
  const [first] = rows;
  const named = dimensions.find((known) => known === dimension);
  if (first === undefined || first.other || named === undefined || rows.length === 1) return undefined;
  // Asking a service would take another request.
  const isOffered =
    options.filter !== undefined ||
    (call.readDataDays !== undefined && (await call.offersFilter?.(breakdown, options)));
  if (!isOffered) return undefined;
  const all = [...(options.filter ?? []), conditionOf(named, first.value)];
  const filter = formatFilter(all);
  // A text that cannot be shown as it is cannot be repeated.
  if (filter.some((text) => cleanText(text, MAX_CONDITION) !== text)) return undefined;
  const candidates: Dimension[] = named.endsWith("pages") ? ["referrers", "countries"] : ["pages"];
  for (const next of candidates) {
    if ((await call.answersFilter?.(next, all)) ?? true) return { filter, dimension: next };
  }
  return undefined;
}

const MAX_CONDITION = 200;

/** Milliseconds for all the calls of a query together: MCP clients give up after 60 seconds. */
const DEADLINE_MS = 50_000;

/** Limits the time of a query. Throws AnalyticsError `timeout` if it takes longer. */
export function answerInTime<T, O extends CallOptions>(
  options: O,
  ask: (options: O) => Promise<T>,
  milliseconds = DEADLINE_MS,
): Promise<T> {
  return limitTime(milliseconds, options.signal, async ({ signal, hasTimedOut }) => {
    try {
      return await ask({ ...options, signal });
    } catch (cause) {
      if (!hasTimedOut()) throw cause;
      throw new AnalyticsError(
        "timeout",
        `The service took longer than ${milliseconds / 1000} seconds in total.`,
        { hint: "Ask for less at once, such as one list, or try again later.", cause },
      );
    }
  });
}
