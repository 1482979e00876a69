import { AnalyticsError, createParameterError, type ParameterError } from "../errors.ts";

/** A service has no list of the days that were asked for. */
export class UnlistedDaysError extends AnalyticsError {
  readonly reason: string;
  /** A number of days that it has the list of; undefined if it does not say. */
  readonly days: number | undefined;

  readonly dimension: string;

  constructor(
    parameter: string,
    refusal: string,
    dimension: string,
    { detail: refused, allowed }: ParameterError,
  ) {
    const said = nameReason(refused);
    const reason = said === refused ? "this service has no list of these days" : `${said} up to today`;
    const days = allowed && Number(allowed[0]);
    const detail = `${refusal} ${dimension}: ${reason}`;
    super("invalid_parameter", `${parameter} ${detail}.`, {
      status: 400,
      parameters: [{ parameter, detail }],
      hint: `Ask for a breakdown by ${dimension} of ${days ?? "some"} days up to today (days).`,
    });
    this.dimension = dimension;
    this.reason = reason;
    this.days = days;
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
  const { detail } = readRefusedDays(error);
  const reason = nameReason(detail);
  throw createParameterError("period", `cannot be used: ${reason === detail ? `days ${detail}` : reason}`, {
    hint: "Ask for a number of days that it has (days): they end today.",
  });
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
