import { AnalyticsError, type ParameterError } from "../errors.ts";
import type { Call, CallOptions } from "../operations/call.ts";
import { addDays, countDays, type Days } from "../operations/days.ts";
import { formatSpan } from "../operations/period.ts";
import type { Warning } from "../operations/warning.ts";
import { formatCount } from "../render/plural.ts";
import { readLastDay } from "./added-days.ts";
import { type QueryOptions, SHIFTED, warnOfReach } from "./default-days.ts";

/** The fewest days that have those asked for among them, else the most. @param allowed Ascending. */
export const chooseDays = (allowed: readonly number[], asked: number): number | undefined =>
  allowed.find((count) => count >= asked) ?? allowed.at(-1);

interface Refusal {
  parameter: string;
  detail: string;
  hint: string;
  nearest: number | undefined;
}

/** A service does not answer for the days that were asked for. */
export class RefusedDaysError extends AnalyticsError {
  /** The number of days up to today that comes nearest to them; undefined if the service does not say which it has. */
  readonly nearest: number | undefined;

  constructor({ parameter, detail, hint, nearest }: Refusal) {
    const parameters = [{ parameter, detail }];
    super("invalid_parameter", `${parameter} ${detail}.`, { status: 400, parameters, hint });
    this.nearest = nearest;
  }
}

/** Days before the first that a service has were asked for. */
export class UnreachedError extends AnalyticsError {
  readonly earliest: string;
  /** How many days it has, with the last. */
  readonly reach: number;

  /** @param to The last of the days that were asked for, if those of them that it has can be asked for in their place. */
  constructor(earliest: string, reach: number, to?: string) {
    const detail = describeReach(earliest);
    const reached = to !== undefined && to >= earliest;
    super("invalid_parameter", `period ${detail}.`, {
      status: 400,
      parameters: [{ parameter: "period", detail }],
      hint: "The period all is everything that it has.",
      next: [
        ...(reached
          ? [{ why: "Those it has", params: { period: `${earliest}/${to}`, days: undefined } }]
          : []),
        { why: "All days", params: { period: "all", days: undefined } },
      ],
    });
    this.earliest = earliest;
    this.reach = reach;
  }
}

export const describeReach = (earliest: string): string =>
  `must not begin before ${earliest}: this service reaches back no further`;

interface UnlistedDays {
  parameter: string;
  refusal: string;
  dimension: string;
  asked: AskedDays;
}

/** A service has no list of the days that were asked for. */
export class UnlistedDaysError extends RefusedDaysError {
  readonly reason: string;
  readonly dimension: string;

  constructor(
    { parameter, refusal, dimension, asked }: UnlistedDays,
    { detail: refused, allowed = [] }: ParameterError,
  ) {
    const said = nameReason(refused);
    const reason = said === refused ? "this service has no list of these days" : `${said} up to today`;
    const nearest = chooseDays(allowed.map(Number), countInPlace(asked));
    const hint = `Ask for ${dimension} of ${nearest ?? "some"} days up to today (days).`;
    super({ parameter, detail: `${refusal} ${dimension}: ${reason}`, hint, nearest });
    this.dimension = dimension;
    this.reason = reason;
  }
}

/** What an error says of a number of days. Throws an error about anything else. */
function readRefusedDays(error: unknown): ParameterError {
  const parameters = error instanceof AnalyticsError ? error.parameters : [];
  const refused = parameters.find(({ parameter }) => parameter === "days");
  if (refused === undefined) throw error;
  return refused;
}

/** Why a number of days is refused, without the number. */
const nameReason = (detail: string) => detail.replace(/^cannot be \d+: /, "");

/** Days that were asked for, of a service whose answers end on `last`. */
interface AskedDays extends Days {
  last: string;
}

/** Days that end with the last one, or the day before it: as many until then will do in their place. */
export const isRecent = ({ to, last }: AskedDays) => to >= addDays(last, -1);

/** How many days until the last one are in the place of those that were asked for, or have them among them. */
export const countInPlace = (asked: AskedDays) =>
  countDays(asked.from, isRecent(asked) ? asked.to : asked.last);

/** Why a service refuses a number of days, as the beginning of a sentence. Throws an error about anything else. */
export function readReason(error: unknown): string {
  const { detail } = readRefusedDays(error);
  const reason = nameReason(detail);
  return reason === detail ? "this service does not answer for these days" : reason;
}

/** Renames an error about a number of days to the period that was asked for. */
export function namePeriod(error: unknown, asked: AskedDays): never {
  const { detail, allowed = [] } = readRefusedDays(error);
  const reason = nameReason(detail);
  const why = reason === detail ? `days ${detail}` : reason;
  const hint = "Ask for a number of days that it has (days): they end today.";
  const nearest = chooseDays(allowed.map(Number), countInPlace(asked));
  throw new RefusedDaysError({ parameter: "period", detail: `cannot be used: ${why}`, hint, nearest });
}

/**
 * Renames an error about a number of days that nobody typed to what was asked for.
 *
 * @param asked How many days these were.
 * @param parameter The list; the period, if others would have it.
 */
export const nameList =
  (dimension: string, asked: AskedDays, parameter: "dimension" | "period" = "dimension") =>
  (error: unknown): never => {
    const refusal = parameter === "period" ? "cannot be used for" : "cannot be";
    throw new UnlistedDaysError({ parameter, refusal, dimension, asked }, readRefusedDays(error));
  };

/**
 * In place of days that a service does not answer for: as many up to its last day, or as near to that as it answers for. Undefined for
 * earlier days, and where a service takes any number of days.
 */
export async function findNearDays(
  call: Call,
  operation: { path: string },
  asked: AskedDays,
  options: CallOptions,
): Promise<Days | undefined> {
  const { last } = asked;
  const count = isRecent(asked) && (await call.fitDays?.(operation, countInPlace(asked), options));
  return count ? { from: addDays(last, 1 - count), to: last } : undefined;
}

/** Whether the days of a question are refused. */
export const isAboutDays = (error: unknown): boolean =>
  error instanceof AnalyticsError &&
  error.parameters.some(({ parameter }) => parameter === "days" || parameter === "period");

/**
 * Answers for days near those that a service refused, where they will do, and says so: for those of them that it reaches, else for as
 * many up to its last day as it answers for. Else throws the refusal, about the period.
 *
 * @param ask Asks for days.
 */
export async function answerNear<T extends { warnings?: Warning[] | undefined }>(
  error: unknown,
  call: Call,
  { operation, site, today, ...asked }: Days & { operation: { path: string }; site: string; today: string },
  options: QueryOptions,
  ask: (days: Days) => Promise<T>,
): Promise<T> {
  const last = await readLastDay(call, { site, today }, options);
  if (!options.takesNearDays || !isAboutDays(error)) return namePeriod(error, { ...asked, last });
  const answer = async (days: Days, warning: Warning) => {
    const result = await ask(days);
    return { ...result, warnings: [warning, ...(result.warnings ?? [])] };
  };
  if (error instanceof UnreachedError) {
    const { earliest: from } = error;
    // None of them is there.
    if (from > asked.to) throw error;
    const reached = { from, to: asked.to };
    const warning = warnOfReach({ from, days: countDays(from, asked.to) }, countDays(asked.from, asked.to));
    return answer(reached, warning).catch((refusal) => {
      if (!(refusal instanceof RefusedDaysError)) throw refusal;
      return answerNear(refusal, call, { operation, site, today, ...asked }, options, ask);
    });
  }
  const count = await call.fitDays?.(operation, countInPlace({ ...asked, last }), options);
  if (!count) return namePeriod(error, { ...asked, last });
  const near = { from: addDays(last, 1 - count), to: last };
  return answer(near, warnOfNear(near, asked));
}

/** The warning that the service answers only for other days than those that are asked for. */
const warnOfNear = ({ from, to }: Days, asked: Days): Warning => ({
  code: SHIFTED,
  detail: `This service does not answer for ${formatSpan(asked)}, so this covers the ${formatCount(countDays(from, to), "day")} until ${to}.`,
  values: { days: countDays(from, to) },
});
