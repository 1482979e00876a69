import { AnalyticsError } from "../errors.ts";

/**
 * Leaves out an answer by a dimension that the source does not record. Access logs know no countries, for example: a report
 * then has one list fewer. Throws all other errors.
 */
export function skipUnrecorded(error: unknown): undefined {
  const isUnrecorded =
    error instanceof AnalyticsError &&
    error.code === "invalid_parameter" &&
    error.parameters.some(({ parameter }) => parameter === "dimension");
  if (!isUnrecorded) throw error;
}
