import type { CallOptions } from "../client/client.ts";
import { AnalyticsError } from "../errors.ts";

/** Milliseconds for all the calls of a question together: a client of MCP gives up after sixty seconds. */
const DEADLINE_MS = 50_000;

/** Gives a question its time. Throws AnalyticsError `timeout` when that is over. */
export async function answerInTime<T>(
  options: CallOptions,
  ask: (options: CallOptions) => Promise<T>,
  milliseconds = DEADLINE_MS,
): Promise<T> {
  const deadline = AbortSignal.timeout(milliseconds);
  const signal = options.signal ? AbortSignal.any([options.signal, deadline]) : deadline;
  try {
    return await ask({ ...options, signal });
  } catch (error) {
    if (!deadline.aborted || options.signal?.aborted) throw error;
    throw new AnalyticsError(
      "timeout",
      `The service took longer than ${milliseconds / 1000} seconds in all.`,
      {
        hint: "Ask for less at once (stats, timeseries, breakdown), or try again later.",
        cause: error,
      },
    );
  }
}
