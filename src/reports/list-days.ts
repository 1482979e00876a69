import { AnalyticsError, type ParameterError } from "../errors.ts";

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
