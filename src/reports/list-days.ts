import { AnalyticsError, createParameterError } from "../errors.ts";

/**
 * Renames an error about a number of days that nobody typed to what was asked for.
 *
 * @param parameter The list; the period, if others would have it.
 */
export const nameList =
  (dimension: string, parameter: "dimension" | "period" = "dimension") =>
  (error: unknown): never => {
    const parameters = error instanceof AnalyticsError ? error.parameters : [];
    const refused = parameters.find(({ parameter }) => parameter === "days");
    if (refused === undefined) throw error;
    const all = refused.allowed?.join(", ").replace(/, (\d+)$/, " or $1");
    const reason =
      all === undefined
        ? "this service has no list of these days"
        : `this service lists only the last ${all} days`;
    const refusal = parameter === "period" ? "cannot be used for" : "cannot be";
    throw createParameterError(parameter, `${refusal} ${dimension}: ${reason}`, {
      hint: `Ask for the breakdown of ${all === undefined ? "so many" : `the last ${all}`} days (days).`,
    });
  };
