import { AnalyticsError, createParameterError } from "../errors.ts";

/** Renames an error about a number of days that nobody typed to the list that was to be made of them. */
export const nameList =
  (dimension: string) =>
  (error: unknown): never => {
    const parameters = error instanceof AnalyticsError ? error.parameters : [];
    const refused = parameters.find(({ parameter }) => parameter === "days");
    if (refused === undefined) throw error;
    const all = refused.allowed?.join(", ").replace(/, (\d+)$/, " or $1");
    const reason =
      all === undefined
        ? "this service has no list of these days"
        : `this service lists only the last ${all} days`;
    throw createParameterError("dimension", `cannot be ${dimension}: ${reason}`, {
      hint: "Ask for the breakdown of so many days.",
    });
  };
