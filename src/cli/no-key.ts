import { NO_KEY } from "../config/access.ts";
import { type FoundLogs, proposeLogs } from "../config/found-logs.ts";
import { AnalyticsError } from "../errors.ts";

/** Adds to the error of somebody who has set up nothing what the logs of this machine could tell. */
export function addFoundLogs(error: AnalyticsError, found: readonly FoundLogs[]): AnalyticsError {
  const proposal = error.message === NO_KEY ? proposeLogs(found) : undefined;
  if (proposal === undefined) return error;
  return new AnalyticsError(error.code, error.message, { hint: `${error.hint} ${proposal}`, cause: error });
}
