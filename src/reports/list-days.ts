import { AnalyticsError, type ParameterError } from "../errors.ts";
import type { Call, CallOptions } from "../operations/call.ts";
import { addDays, countDays, type Days } from "../operations/days.ts";
import { formatSpan } from "../operations/period.ts";
import type { Warning } from "../operations/warning.ts";
import { formatCount } from "../render/plural.ts";
import { readLastDay } from "./added-days.ts";
import { type QueryOptions, SHIFTED } from "./default-days.ts";

/** A service does not answer for the days that were asked for. */
export class RefusedDaysError extends AnalyticsError {
  /** The numbers of days that it answers for; none if it does not say. */
  readonly allowed: readonly number[];

  constructor(parameter: string, detail: string, hint: string, allowed: readonly number[]) {
    const parameters = [{ parameter, detail }];
    super("invalid_parameter", `${parameter} ${detail}.`, { status: 400, parameters, hint });
    this.allowed = allowed;
  }
}

/** A service has no list of the days that were asked for. */
export class UnlistedDaysError extends RefusedDaysError {
  readonly reason: string;
  readonly dimension: string;

  constructor(
    parameter: string,
    refusal: string,
    dimension: string,
    { detail: refused, allowed = [] }: ParameterError,
  ) {
    const said = nameReason(refused);
    const reason = said === refused ? "this service has no list of these days" : `${said} up to today`;
    const hint = `Ask for a breakdown by ${dimension} of ${allowed[0] ?? "some"} days up to today (days).`;
    super(parameter, `${refusal} ${dimension}: ${reason}`, hint, allowed.map(Number));
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

/** Renames an error about a number of days to the period that was asked for. */
export function namePeriod(error: unknown): never {
  const { detail, allowed = [] } = readRefusedDays(error);
  const reason = nameReason(detail);
  const why = reason === detail ? `days ${detail}` : reason;
  const hint = "Ask for a number of days that it has (days): they end today.";
  throw new RefusedDaysError("period", `cannot be used: ${why}`, hint, allowed.map(Number));
}

/**
 * Renames an error about a number of days that nobody typed to what was asked for.
 *
 * @param parameter The list; the period, if others would have it.
 */
export const nameList =
  (dimension: string, parameter: "dimension" | "period" = "dimension") =>
  (error: unknown): never => {
    const refusal = parameter === "period" ? "cannot be used for" : "cannot be";
    throw new UnlistedDaysError(parameter, refusal, dimension, readRefusedDays(error));
  };

/**
 * In place of days that a service does not answer for: as many up to its last day, or as near to that as it answers for. Undefined for
 * earlier days, and where a service takes any number of days.
 */
export async function findNearDays(
  call: Call,
  operation: { path: string },
  { from, to, last }: Days & { last: string },
  options: CallOptions,
): Promise<Days | undefined> {
  const isRecent = to >= addDays(last, -1);
  const count = isRecent && (await call.fitDays?.(operation, countDays(from, to), options));
  return count ? { from: addDays(last, 1 - count), to: last } : undefined;
}

/** Whether the days of a question are refused. */
const isAboutDays = (error: unknown): boolean =>
  error instanceof AnalyticsError &&
  error.parameters.some(({ parameter }) => parameter === "days" || parameter === "period");

/**
 * Answers for days near those that a service refused, where they will do, and says so. Else throws the refusal, about the period.
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
  if (!options.takesNearDays || !isAboutDays(error)) return namePeriod(error);
  const last = await readLastDay(call, { site, today }, options);
  const near = await findNearDays(call, operation, { ...asked, last }, options);
  if (near === undefined) return namePeriod(error);
  const result = await ask(near);
  return { ...result, warnings: [warnOfNear(near, asked), ...(result.warnings ?? [])] };
}

/** The warning that the service answers only for other days than those that are asked for. */
const warnOfNear = ({ from, to }: Days, asked: Days): Warning => ({
  code: SHIFTED,
  detail: `This service does not answer for ${formatSpan(asked)}, so this covers the ${formatCount(countDays(from, to), "day")} until ${to}.`,
  values: { days: countDays(from, to) },
});
