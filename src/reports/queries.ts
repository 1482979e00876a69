import type * as z from "zod";
import { askForSite } from "../client/site-lookup.ts";
import type { Call, CallOptions } from "../operations/call.ts";
import { addDays, type Days } from "../operations/days.ts";
import { type DaysOperation, operations, takesDays } from "../operations/index.ts";
import type { Operation, ParamsOf, Presentation } from "../operations/operation.ts";
import { periodParam, resolvePeriod } from "../operations/period-words.ts";
import { once } from "../operations/schemas.ts";
import type { View } from "../operations/view.ts";
import { compare } from "./compare.ts";
import { answerInTime } from "./deadline.ts";
import { describeEmptySite } from "./empty-site.ts";
import { explainUnoffered } from "./optional-operation.ts";
import { overview } from "./overview.ts";
import { adviseOnQuota } from "./quota-advice.ts";
import type { Report } from "./report-definition.ts";
import { answerToday, askSpan } from "./site-period.ts";
import { fitUsual, type QueryOptions, readUsualData } from "./usual-days.ts";

/** An answer, with the parameters of its query and the tables that show it. */
export interface Answer {
  params: Record<string, unknown>;
  result: Record<string, unknown>;
  views: View[];
  /** If the site never had any data: a sentence for people, in place of tables of zeros and notes. */
  empty?: string;
}

/** What people and assistants can ask: an operation or a report. Each is a command and a tool. */
export interface Query extends Presentation {
  readonly name: string;
  /** `site` is optional: `ask` can find it. */
  readonly params: z.ZodObject;
  readonly result: z.ZodObject;
  readonly compact?: Operation["compact"];
  /** Members of the result in full, for a chart: `compact` shortens them for a model. */
  drawn?(result: Record<string, unknown>): Record<string, unknown>;
  /** @param params Parsed with `params`. */
  ask(call: Call, params: Record<string, unknown>, options: QueryOptions): Promise<Answer>;
}

export const queries: readonly Query[] = [
  ...operations.map(fromOperation),
  fromReport(overview),
  fromReport(compare),
];

/** Returns the query of that name. Throws TypeError if there is none. */
export function findQuery(name: string): Query {
  const query = queries.find((each) => each.name === name);
  if (query === undefined) throw new TypeError(`There is no query ${name}.`);
  return query;
}

/** An operation that counts days answers for `days` that end today and, computed if the service cannot, any `period`. */
function fromOperation(operation: Operation): Query {
  const explain = explainFor(operation);
  const ask = async (call: Call, params: Record<string, unknown>, options: QueryOptions) => {
    const { period: _, ...rest } = params;
    const result = takesDays(operation)
      ? await askDays(call, operation, params, options)
      : await call(operation, rest, options).catch(explain);
    return createAnswer(call, params, result, [operation.view(result, rest)], options);
  };
  return createQuery(operation, ask, () => (takesDays(operation) ? { period: periodParam() } : {}));
}

/** Rethrows an error; if the service does not offer the operation, the new error says so. */
function explainFor(operation: Operation): (error: unknown) => never {
  return (error) => {
    throw explainUnoffered(operation, error);
  };
}

/** Answers for `period`, else for `days` that end today. */
async function askDays(
  call: Call,
  operation: DaysOperation,
  { period, ...params }: Record<string, unknown>,
  options: QueryOptions,
) {
  const site = String(params.site);
  const explain = explainFor(operation);
  const ask = (days: Days, today: string) =>
    askSpan(call, operation, params, { site, today, ...days }, options).catch(explain);
  if (typeof period === "string")
    return answerToday(call, site, options, (today) => ask(resolvePeriod(period, today), today));
  const data = await readUsualData(call, site, options);
  if (data === undefined) return call(operation, params as ParamsOf<DaysOperation>, options).catch(explain);
  return answerToday(call, site, options, async (today) => {
    const usual = { from: addDays(today, 1 - Number(params.days)), to: today };
    const fitted = fitUsual(usual, data, today);
    const result = await ask(fitted.days, today);
    if (fitted.warnings.length === 0) return result;
    return { ...result, warnings: [...fitted.warnings, ...(result.warnings ?? [])] };
  });
}

/** A report as a query, with the site found and the time limited. */
export function fromReport(report: Report): Query {
  return createQuery(report, async (call, params, options) => {
    const result = await adviseOnQuota(call, params, (counted) => report.compute(counted, params, options));
    return createAnswer(call, params, result, report.views(result), options);
  });
}

async function createAnswer(
  call: Call,
  params: Record<string, unknown>,
  result: Record<string, unknown>,
  views: View[],
  options: CallOptions,
): Promise<Answer> {
  const empty = await describeEmptySite(call, result, views, options);
  return { params, result, views, ...(empty !== undefined && { empty }) };
}

function createQuery(
  source: Omit<Query, "ask">,
  ask: (call: Call, params: Record<string, unknown>, options: QueryOptions) => Promise<Answer>,
  more: () => z.ZodRawShape = () => ({}),
): Query {
  const { name, summary, tool, shell, list, isDescription, compact, drawn } = source;
  const params = once((): z.ZodObject => {
    const all = source.params.extend(more());
    return "site" in all.shape ? all.partial({ site: true }) : all;
  });
  return {
    name,
    summary,
    tool,
    shell,
    ...(list && { list }),
    ...(isDescription && { isDescription }),
    ...(compact && { compact }),
    ...(drawn && { drawn }),
    // Getters, because reading these members builds the schemas.
    get params() {
      return params();
    },
    get result() {
      return source.result;
    },
    ask: (call, given, limits) =>
      answerInTime(limits, (options) =>
        "site" in source.params.shape
          ? askForSite(call, given, options, (complete) => ask(call, complete, options))
          : ask(call, given, options),
      ),
  };
}
