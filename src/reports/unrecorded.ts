import { AnalyticsError } from "../errors.ts";

/**
 * Skips a list by a dimension that the source does not record. Access logs have no countries, for example: a report then has
 * one list fewer. Rethrows all other errors.
 */
export function skipUnrecorded(error: unknown): undefined {
  const isUnrecorded =
    error instanceof AnalyticsError &&
    error.code === "invalid_parameter" &&
    error.parameters.some(({ parameter }) => parameter === "dimension");
  if (!isUnrecorded) throw error;
}
