import { limitTime } from "../client/time-limit.ts";
import { AnalyticsError } from "../errors.ts";
import type { CallOptions } from "../operations/call.ts";

/** Milliseconds for all the calls of a query together: MCP clients give up after 60 seconds. */
const DEADLINE_MS = 50_000;

/** Limits the time of a query. Throws AnalyticsError `timeout` if it takes longer. */
export function answerInTime<T, O extends CallOptions>(
  options: O,
  ask: (options: O) => Promise<T>,
  milliseconds = DEADLINE_MS,
): Promise<T> {
  return limitTime(milliseconds, options.signal, async ({ signal, isOver }) => {
    try {
      return await ask({ ...options, signal });
    } catch (cause) {
      if (!isOver()) throw cause;
      throw new AnalyticsError(
        "timeout",
        `The service took longer than ${milliseconds / 1000} seconds in total.`,
        { hint: "Ask for less at once (stats, timeseries, breakdown), or try again later.", cause },
      );
    }
  });
}
