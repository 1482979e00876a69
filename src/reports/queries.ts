import * as z from "zod";
import { askForSite } from "../client/site-lookup.ts";
import { limitTime } from "../client/time-limit.ts";
import { AnalyticsError, quoteIfNeeded } from "../errors.ts";
import { readMember } from "../member.ts";
import type { Call, CallOptions } from "../operations/call.ts";
import { type Dimension, dimensions } from "../operations/dimensions.ts";
import { filterParams } from "../operations/fields.ts";
import { conditionOf, formatFilter } from "../operations/filter.ts";
import { readFilterInput } from "../operations/filter-input.ts";
import { breakdown, operations, sites, takesDays, timeseries } from "../operations/index.ts";
import { forModels } from "../operations/note.ts";
import type { Operation, Presentation } from "../operations/operation.ts";
import { periodParam } from "../operations/period-words.ts";
import { once } from "../operations/schemas.ts";
import { listSites } from "../operations/site-name.ts";
import type { View } from "../operations/view.ts";
import { noteMissingVisits, withoutVisits } from "../operations/visit-rates.ts";
import { cleanText } from "../render/clean-text.ts";
import { compare } from "./compare-report.ts";
import { conversions } from "./conversions-report.ts";
import type { QueryOptions } from "./default-days.ts";
import { describeEmpty } from "./empty-answer.ts";
import { anySeriesResult, intervalParam } from "./intervals.ts";
import { overview } from "./overview-report.ts";
import { adviseOnQuota } from "./quota-advice.ts";
import type { Report } from "./report-definition.ts";
import { siteList } from "./site-list-report.ts";
import { askDays, callOffered } from "./site-period.ts";

/** An answer, with the parameters of its query and the tables that show it. */
export interface Answer {
  params: Record<string, unknown>;
  result: Record<string, unknown>;
  views: View[];
  /** If there is no data of these days: a sentence in place of tables of zeros. */
  empty?: string;
  /** What to ask about the first row alone, where the source has filters: "and of those?" */
  ofFirst?: FirstRow;
  /** If the data ended before them: its last days, as a period to ask for instead. */
  lastDays?: string;
}

export interface FirstRow {
  /** The conditions that keep only this row. */
  filter: string[];
  /** What to list of it. */
  dimension: Dimension;
}

/** What people and assistants can ask: an operation or a report. Each is a command and a tool. */
export interface Query extends Presentation {
  readonly name: string;
  /** `site` is optional: `ask` can find it. */
  readonly params: z.ZodObject;
  readonly result: z.ZodObject;
  /** The result with less than it has, to save a model tokens. */
  compact?(result: Record<string, unknown>, params?: Record<string, unknown>): Record<string, unknown>;
  /** Members of the result in full, for a chart: `compact` shortens them for a model. */
  drawn?(result: Record<string, unknown>): Record<string, unknown>;
  /** @param params Parsed with `params`. */
  ask(call: Call, params: Record<string, unknown>, options: QueryOptions): Promise<Answer>;
}

/** What people and assistants ask in place of an operation, where that is more than its declaration says. */
const ownQueries: ReadonlyMap<Operation, Query> = new Map<Operation, Query>([
  [sites, fromReport(siteList)],
  [
    timeseries,
    fromOperation(timeseries, {
      params: () => ({ interval: intervalParam() }),
      result: anySeriesResult,
      ask: async (...asked) => (await import("./series.ts")).askSeries(...asked),
    }),
  ],
  [breakdown, fromOperation(breakdown, { keepFirst })],
]);

export const queries: readonly Query[] = [
  ...operations.map((operation) => ownQueries.get(operation) ?? fromOperation(operation)),
  // It takes several requests anyway: one more finds the other sites.
  fromReport(overview, { asksForSites: true }),
  fromReport(compare),
  fromReport(conversions),
];

/** Returns the query of that name. Throws TypeError if there is none. */
export function findQuery(name: string): Query {
  const query = queries.find((known) => known.name === name);
  if (query === undefined) throw new TypeError(`There is no query ${name}.`);
  return query;
}

/** What a query has beside its operation's declaration. */
interface Additions {
  params?(): z.ZodRawShape;
  /** In place of the operation's. */
  result?(): z.ZodObject;
  ask?: Ask;
  keepFirst?: typeof keepFirst;
}

/** An operation that counts days answers for `days` that end today and, computed if the service cannot, any `period`. */
function fromOperation(operation: Operation, added: Additions = {}): Query {
  const ask: Ask = async (call, params, options) => {
    const { with: extra, ...asked } = params;
    const { period: _, ...rest } = asked;
    const result = takesDays(operation)
      ? await askDays(call, operation, asked, options)
      : await callOffered(call, operation, rest, options);
    const shown = extra === "visits" ? result : omitVisits(operation, result);
    const view = operation.view(shown, rest);
    return { result, views: [extra === "visits" ? noteMissingVisits(view, result) : view] };
  };
  const more = () => ({
    ...(takesDays(operation) && { period: periodParam() }),
    ...("filter" in operation.allParams.shape && filterParams()),
    ...(operation.list?.hasVisits && { with: withParam() }),
    ...added.params?.(),
  });
  const compact: Query["compact"] = (result, params) => {
    const shown = params?.with === "visits" ? result : omitVisits(operation, result);
    return operation.compact?.(shown) ?? shown;
  };
  const source = {
    ...presentationOf(operation),
    get params() {
      return operation.params;
    },
    get result() {
      return added.result?.() ?? operation.answer;
    },
  };
  return createQuery(source, { ask: added.ask ?? ask, more, compact, keepFirst: added.keepFirst });
}

const withParam = () =>
  z.enum(["visits"]).optional().describe("visits: adds visits, bounce rate and time to each row.");

/** Leaves out the visits of single rows, which few questions need. */
function omitVisits({ list }: Operation, result: Record<string, unknown>): Record<string, unknown> {
  if (!list?.hasVisits) return result;
  const rows = readMember(result, list.key);
  return Array.isArray(rows) ? { ...result, [list.key]: rows.map(withoutVisits) } : result;
}

/** A report as a query, with the site found and the time limited. */
export function fromReport(report: Report, { asksForSites }: { asksForSites?: true } = {}): Query {
  const ask: Ask = async (call, params, options) => {
    const counted = await adviseOnQuota(call, params, (each) => report.compute(each, params, options));
    const { filter } = options;
    const result = { ...counted, ...(filter && { filter: formatFilter(filter) }) };
    return { result, views: report.views(result) };
  };
  const more = () => ("site" in report.params.shape ? filterParams() : {});
  return createQuery(report, { ask, more, compact: report.compact, asksForSites });
}

/** @param params Without the filter, which is in the options. */
type Ask = (
  call: Call,
  params: Record<string, unknown>,
  options: QueryOptions,
) => Promise<Pick<Answer, "result" | "views">>;

interface QueryParts {
  ask: Ask;
  /** The parameters beside those that are declared. */
  more(): z.ZodRawShape;
  compact: Query["compact"];
  keepFirst?: typeof keepFirst | undefined;
  /** Whether it may ask a service for its sites, to name the others if none was named. */
  asksForSites?: boolean | undefined;
}

function createQuery(
  source: Omit<Query, "ask" | "compact">,
  { ask, more, compact, keepFirst, asksForSites }: QueryParts,
): Query {
  const { drawn } = source;
  const params = once((): z.ZodObject => {
    const all = source.params.extend(more());
    return "site" in all.shape ? all.partial({ site: true }) : all;
  });
  return {
    ...presentationOf(source),
    ...(compact && { compact }),
    ...(drawn && { drawn }),
    // Getters, because reading these members builds the schemas.
    get params() {
      return params();
    },
    get result() {
      return source.result;
    },
    ask: async (call, { filter: texts, ...given }, limits) => {
      const filter = readFilterInput(texts as string[] | undefined);
      return answerInTime({ ...limits, ...(filter && { filter }) }, (options) => {
        const answer = async (complete: Record<string, unknown>): Promise<Answer> => {
          const { result, views } = await ask(call, complete, options);
          const params = { ...complete, ...(filter && { filter: formatFilter(filter) }) };
          const [empty, ofFirst, others] = await Promise.all([
            describeEmpty(call, result, views, options),
            keepFirst?.(call, result, options),
            given.site === undefined && (asksForSites || call.readDataDays !== undefined)
              ? listOtherSites(call, source, complete, options)
              : [],
          ]);
          const named = others.length > 0 ? noteSites(views, String(complete.site), others) : views;
          return { params, result, views: named, ...empty, ...(ofFirst && { ofFirst }) };
        };
        return "site" in source.params.shape ? askForSite(call, given, options, answer) : answer(given);
      });
    },
  };
}

/**
 * The sites that a query without one could have been about as well: those beside the default site.
 */
async function listOtherSites(
  call: Call,
  { params }: { params: z.ZodObject },
  { site }: Record<string, unknown>,
  options: CallOptions,
): Promise<string[]> {
  if (!("site" in params.shape)) return [];
  if ((await call.readSite?.()) === undefined) return [];
  const all = await call(sites, {}, options).catch(() => undefined);
  return (all?.sites ?? []).flatMap(({ id, domain }) => (site === id || site === domain ? [] : [domain]));
}

const MAX_OTHERS = 5;

function noteSites([first, ...rest]: View[], site: string, others: readonly string[]): View[] {
  if (first === undefined) return [];
  // People see the site in the heading.
  const told = forModels(
    `No site was named: this is ${quoteIfNeeded(site)}. Others: ${listSites(others, MAX_OTHERS)}.`,
  );
  return [{ ...first, notes: [...first.notes, told] }, ...rest];
}

/** What a query declares, without its schemas, which reading would build. */
function presentationOf({
  name,
  summary,
  tool,
  shell,
  list,
  isDescription,
}: Presentation & { name: string }) {
  return { name, summary, tool, shell, ...(list && { list }), ...(isDescription && { isDescription }) };
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
        { hint: "Ask for less at once (stats, timeseries, breakdown), or try again later.", cause },
      );
    }
  });
}
