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
  const { signal: given } = options;
  const controller = new AbortController();
  const { signal } = controller;
  // By hand: AbortSignal.timeout and AbortSignal.any are found and freed by the garbage collector, at a price.
  const leave = () => controller.abort(given?.reason);
  let isOver = false;
  const timer = setTimeout(() => {
    isOver = true;
    controller.abort(new DOMException("The question's time is over.", "TimeoutError"));
  }, milliseconds);
  if (given?.aborted) leave();
  given?.addEventListener("abort", leave, { once: true });
  try {
    return await ask({ ...options, signal });
  } catch (error) {
    if (!isOver || given?.aborted) throw error;
    throw new AnalyticsError(
      "timeout",
      `The service took longer than ${milliseconds / 1000} seconds in all.`,
      {
        hint: "Ask for less at once (stats, timeseries, breakdown), or try again later.",
        cause: error,
      },
    );
  } finally {
    clearTimeout(timer);
    given?.removeEventListener("abort", leave);
  }
}
