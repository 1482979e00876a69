import { AnalyticsError, createParameterError } from "../errors.ts";
import type { AllDays, Call, CallOptions, DataDays } from "../operations/call.ts";
import { addDays, countDays, type Days } from "../operations/days.ts";
import type { Dimension } from "../operations/dimensions.ts";
import { MAX_DAYS, MAX_HOUR_DAYS } from "../operations/fields.ts";
import type { hours } from "../operations/hours.ts";
import {
  type breakdown,
  type DaysOperation,
  realtime,
  sites,
  stats,
  timeseries,
} from "../operations/index.ts";
import type { AnswerOf, Operation, ParamsOf } from "../operations/operation.ts";
import { createPeriodError, isAll, resolvePeriod } from "../operations/period-words.ts";
import { verifySite } from "../operations/site-name.ts";
import type { Warning } from "../operations/warning.ts";
import { readLastDay } from "./added-days.ts";
import {
  fitDefaultDays,
  type QueryOptions,
  readDataForDefault,
  readDataTold,
  SHORTENED,
  warnOfFit,
} from "./default-days.ts";

/** What can be asked for any days. */
type SpanOperation = DaysOperation | typeof hours;

/** A query for the days of a period at a site. */
export interface SitePeriod extends Days {
  site: string;
  /** The date at the site. */
  today: string;
}

/** The days that a query names: a `period`, else the `days` that end today. */
export interface AskedDays {
  site: string;
  days: number;
  period?: string | undefined;
}

/** Asks an operation about the days of a query. */
export type AskDays = <O extends SpanOperation>(
  operation: O,
  params: Record<string, unknown>,
  options: CallOptions,
) => Promise<AnswerOf<O>>;

/** Answers an operation for `period`, else for the `days` that end today. */
export async function askDays<O extends SpanOperation>(
  call: Call,
  operation: O,
  { period, ...params }: Record<string, unknown>,
  options: QueryOptions,
): Promise<AnswerOf<O>> {
  const asked = {
    site: String(params.site),
    days: Number(params.days),
    ...(typeof period === "string" && { period }),
  };
  const isGiven = !options.usesDefaultDays && !options.takesNearDays;
  const refuse = async () => {
    const { createNoDaysError, findRefusal } = await import("./counted-list.ts");
    const { dimension } = params as { dimension: Dimension };
    const refusal = await findRefusal(call, { site: asked.site, dimension }, options);
    throw refusal ?? createNoDaysError(period === undefined ? "days" : "period", dimension);
  };
  if ((await call.offersDays?.(operation, options)) === false) {
    // Of an operation that a service does not offer at all, the call says so.
    if (isGiven && !operation.isOptional) return refuse();
    return callOffered(call, operation, params as ParamsOf<O>, options);
  }
  const answer = await answerDays<AnswerOf<O> & Dated>(
    call,
    operation,
    asked,
    options,
    (ask) => ask(operation, params, options) as Promise<AnswerOf<O> & Dated>,
  );
  // The service may only now have turned out to be one whose breakdowns take no days.
  if (answer.period === undefined && isGiven) return refuse();
  return answer;
}

/** What all answers about days have, which the compiler cannot see through a type parameter. */
interface Dated {
  period?: { to: string; as_of: string } | undefined;
  warnings?: Warning[] | undefined;
}

/**
 * Answers a query from any number of calls about the same days.
 *
 * @param operation One of those that are called: it decides which days the source offers.
 */
export async function answerDays<
  T extends { period?: { to: string; as_of: string } | undefined; warnings?: Warning[] | undefined },
>(
  call: Call,
  operation: SpanOperation,
  { site, days: count, period }: AskedDays,
  options: QueryOptions,
  answer: (ask: AskDays) => Promise<T>,
): Promise<T> {
  const data = await readDataForDefault(call, site, options);
  const resolve =
    period === undefined
      ? (today: string) => ({ days: { from: addDays(today, 1 - count), to: today }, warnings: [] })
      : await preparePeriod(call, operation, site, period, options);
  const askFitted = async (today: string, data: DataDays | undefined) => {
    const { days, warnings } = resolve(today);
    const fitted = fitDefaultDays(days, data, today);
    const ask = (days: Days) =>
      answer((asked, params, given) => askSpan(call, asked, params, { site, today, ...days }, given));
    const result = await ask(fitted.days).catch(async (error) => {
      if (period === undefined) throw error;
      const { answerNear } = await import("./list-days.ts");
      return answerNear(error, call, { operation, site, today, ...fitted.days }, options, ask);
    });
    return addWarnings(result, [...warnings, ...fitted.warnings]);
  };
  /** A service tells from when to when it has data with its answer. */
  const fitAnswer = async (result: T, today: string) => {
    const told = data ? undefined : await readDataTold(call, operation, result.warnings, options);
    return told ? askFitted(today, told) : result;
  };
  if (period !== undefined || data !== undefined)
    return answerToday(call, site, options, async (today) => fitAnswer(await askFitted(today, data), today));
  const askFor = (days: number) =>
    answer((asked, params, given) =>
      // The parameters of this operation, which the compiler cannot see.
      callOffered(call, asked, { ...params, site, days } as ParamsOf<typeof asked>, given),
    );
  const result = await askFor(count).catch(async (error: unknown) => {
    // The service may have only others.
    const mayFit = options.usesDefaultDays || options.takesNearDays;
    const fitted = mayFit && (await call.fitDays?.(operation, count, options));
    if (!fitted || fitted === count) throw error;
    const { readReason } = await import("./list-days.ts");
    return addWarnings(await askFor(fitted), [warnOfFit(fitted, count, readReason(error), options)]);
  });
  return result.period ? fitAnswer(result, result.period.to) : result;
}

function addWarnings<T extends { warnings?: Warning[] | undefined }>(result: T, warnings: Warning[]): T {
  return warnings.length === 0 ? result : { ...result, warnings: [...warnings, ...(result.warnings ?? [])] };
}

/**
 * Prepares to resolve a period at a date. For `all`, reads when the site's data begins; a service that answers only for
 * days until today may not reach back so far, and the warnings say so.
 */
export async function preparePeriod(
  call: Call,
  operation: { path: string },
  site: string,
  period: string,
  options: CallOptions,
): Promise<(today: string) => { days: Days; warnings: Warning[] }> {
  if (!isAll(period)) return (today) => ({ days: resolvePeriod(period, today), warnings: [] });
  const [since, isFree] = await Promise.all([
    readStart(call, site, options),
    call.offersSpans?.(operation, options),
  ]);
  // Known after the list of sites, which shows what kind of service it is.
  const own = since === undefined ? await call.allDays?.(operation, site, options) : undefined;
  if (own) return () => ({ days: { from: own.from, to: own.to }, warnings: warnOfStart(own) });
  return (today) => {
    const days = resolvePeriod(period, today, { since });
    const earliest = findEarliest(today);
    if (isFree || days.from >= earliest) return { days, warnings: [] };
    return {
      days: { from: earliest, to: today },
      warnings: warnOfStart({ since: days.from, from: earliest, to: today }),
    };
  };
}

/** What is to be said if all days of a service are not all days with data, or may not be. */
function warnOfStart({ since, from, to }: AllDays): Warning[] {
  if (since === undefined) {
    const detail = `These are the last ${countDays(from, to)} days: whether there is data before ${from} is not known.`;
    return [{ code: SHORTENED, detail, values: { from } }];
  }
  if (since === null || since >= from) return [];
  const detail = `The data begins on ${since}, but this service reaches back only to ${from}.`;
  return [{ code: SHORTENED, detail, values: { data_since: since, from } }];
}

/** Returns the first day with data of a site; undefined if there is none. */
async function readStart(call: Call, site: string, options: CallOptions): Promise<string | undefined> {
  if (call.readDataDays) return (await call.readDataDays(site, options)).since ?? undefined;
  const { sites: all } = await call(sites, {}, options);
  return all.find((each) => verifySite(each, site) === undefined)?.data_since ?? undefined;
}

const findEarliest = (today: string) => addDays(today, 1 - MAX_DAYS);

/** Answers for the date at the site. If midnight passed meanwhile, does so once more. */
export async function answerToday<T extends { period?: { as_of: string } | undefined }>(
  call: Call,
  site: string,
  options: CallOptions,
  answer: (today: string, readActive: Now["readActive"]) => Promise<T>,
): Promise<T> {
  const attempt = async () => {
    const { today, readActive } = await readToday(call, site, options);
    const result = await answer(today, readActive);
    const asOf = result.period?.as_of ?? today;
    // Where no timezone is known, the time is in UTC, and only the source can tell whether it is another day now.
    const isSameDay = asOf.startsWith(today) || (await call.today?.(site, options)) === today;
    return { result, isSameDay };
  };
  const { result, isSameDay } = await attempt();
  return isSameDay ? result : (await attempt()).result;
}

interface Now {
  /** The date at the site, by the source's clock. */
  today: string;
  /** Returns the number of active visitors. Asks for them only if they did not come with the date. */
  readActive(): Promise<number>;
}

/** Reads the date at the site. A service is asked for its active visitors: that answer is never cached. */
export async function readToday(call: Call, site: string, options: CallOptions): Promise<Now> {
  const readRealtime = () => call(realtime, { site }, options);
  const today = await call.today?.(site, options);
  if (today !== undefined) return { today, readActive: async () => (await readRealtime()).visitors };
  const now = readRealtime();
  await now.catch(() => {});
  // A service that only describes itself is known by its first answer, and then tells its date better, also without active visitors.
  const known = await call.today?.(site, options);
  return { today: known ?? (await now).as_of.slice(0, 10), readActive: async () => (await now).visitors };
}

/** Whether a service that has only some numbers of days answers for any of these days: a list is not subtracted from others then. */
const takesAny = ({ name }: { name: string }): boolean => name === stats.name || name === timeseries.name;

/** Answers an operation for any days. Refused are the days that were named, also where others had to be asked for. */
export async function askSpan<O extends SpanOperation>(
  call: Call,
  operation: O,
  params: Record<string, unknown>,
  days: SitePeriod,
  options: CallOptions,
  summary?: Promise<AnswerOf<typeof stats>>,
): Promise<AnswerOf<O>> {
  try {
    return await answerSpan(call, operation, params, days, options, summary);
  } catch (error) {
    const { assertWithinReach, readMaximum } = await import("./subtracted-spans.ts");
    const maximum = readMaximum(error);
    if (maximum === undefined) throw error;
    assertWithinReach(days.from, days.today, maximum, takesAny(operation) ? days.to : undefined);
    throw error;
  }
}

/**
 * Answers an operation for any days: directly if the source can, else by subtracting what came after them. Throws
 * AnalyticsError `invalid_parameter` for days that cannot be reached; the message says what is possible.
 *
 * @param summary The totals of the same days, if they are being asked for, so that they are not computed twice.
 */
async function answerSpan<O extends SpanOperation>(
  call: Call,
  operation: O,
  params: Record<string, unknown>,
  { site, from, to: asked, today }: SitePeriod,
  options: CallOptions,
  summary?: Promise<AnswerOf<typeof stats>>,
): Promise<AnswerOf<O>> {
  const last = await readLastDay(call, { site, today }, options);
  const to = asked > last ? last : asked;
  if (from > to) throw createPeriodError(`must not begin after ${last}, the last day that this service has`);
  const days = countDays(from, to);
  // The parameters of this operation but for the days, which the compiler cannot see.
  const all = { ...params, site, days } as ParamsOf<O>;
  if (operation.name === "hours") assertFewDays({ from, to });
  if (to === last && days <= MAX_DAYS) return callOffered(call, operation, all, options);
  if (await call.offersSpans?.(operation, options)) {
    return callOffered(call, operation, all, { ...options, span: { from, to } }).catch(renameRefusal);
  }
  const span = { site, from, to, last, long: countDays(from, last), short: countDays(addDays(to, 1), last) };
  // Loaded on demand: sources and most services answer for any days.
  const subtracted = await import("./subtracted-spans.ts");
  const end = takesAny(operation) ? to : undefined;
  subtracted.assertWithinReach(from, last, await subtracted.readReach(call, options), end);
  switch (operation.name) {
    case "stats":
      return (await subtracted.subtractStats(call, span, options)) as AnswerOf<O>;
    case "timeseries":
      return (await subtracted.subtractSeries(call, span, options)) as AnswerOf<O>;
    case "hours": {
      const { assertRecent, subtractHours } = await import("./subtracted-hours.ts");
      assertRecent(from, today);
      return (await subtractHours(call, span, options)) as AnswerOf<O>;
    }
    case "breakdown":
      return (await subtracted.subtractBreakdown(
        call,
        span,
        all as ParamsOf<typeof breakdown>,
        options,
        summary,
      )) as AnswerOf<O>;
    default:
      // A service without an optional operation says so instead.
      if (operation.isOptional) await callOffered(call, operation, { ...all, days: 1 }, options);
      // Not every answer can be subtracted: the last request of a crawler, for example, or a percentage.
      throw createPeriodError(
        `must end today: for ${operation.name}, this service only answers for days up to today`,
      );
  }
}

/** Throws AnalyticsError `invalid_parameter` for more days than a series of hours can have. */
function assertFewDays({ from, to }: Days): void {
  const count = countDays(from, to);
  if (count <= MAX_HOUR_DAYS) return;
  throw createTooLongError("period", `covers ${count} days, and hours are for at most ${MAX_HOUR_DAYS}`);
}

/** Refuses more days than a series of hours can have, and says what can be asked. */
export const createTooLongError = (parameter: "days" | "period", detail: string) =>
  createParameterError(parameter, detail, {
    hint: `Hours: at most ${MAX_HOUR_DAYS} days, such as yesterday or last_28_days. Days, weeks and months: any period.`,
  });

/** Renames `from` and `to` in an error to `period`, which is what people gave. */
function renameRefusal(error: unknown): never {
  const refused = error instanceof AnalyticsError ? error.parameters : [];
  const own = refused.find(({ parameter }) => parameter === "from" || parameter === "to");
  throw own ? createPeriodError(own.detail) : error;
}

/** Calls an operation. If a service does not offer it, the error says so. A source in this process says so itself. */
export async function callOffered<O extends Operation>(
  call: Call,
  operation: O,
  params: ParamsOf<O>,
  options: CallOptions,
): Promise<AnswerOf<O>> {
  try {
    return await call(operation, params, options);
  } catch (error) {
    const isMissing = error instanceof AnalyticsError && error.code === "not_found";
    const isLocal = call.readDataDays !== undefined;
    if (!isMissing || !operation.isOptional || isLocal) throw error;
    throw new AnalyticsError(
      "not_found",
      `This service does not offer ${operation.name}: it has no GET ${operation.path}.`,
      {
        hint: "It is optional; everything else works without it. If other queries fail too, check the base URL.",
        status: error.status,
        cause: error,
      },
    );
  }
}
