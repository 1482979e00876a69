import { AnalyticsError } from "../errors.ts";

/** What is told of a call whose caller has left. */
export const cancelled = () => new AnalyticsError("cancelled", "The call was cancelled.");

/** What ends at its time, or with whoever asked for it. */
export interface TimeLimit {
  signal: AbortSignal;
  /** Whether the time is over: not so where whoever asked has left before. */
  isOver(): boolean;
}

/**
 * Runs what may take so many milliseconds. By hand: what `AbortSignal.timeout` and `AbortSignal.any` make hangs on weak
 * references, which keep it and all that listens to it through every collection of young garbage.
 */
export async function limitTime<T>(
  milliseconds: number,
  given: AbortSignal | undefined,
  run: (limit: TimeLimit) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const { signal } = controller;
  let isOver = false;
  const timer = setTimeout(() => {
    isOver = !signal.aborted;
    controller.abort(new DOMException("The time is over.", "TimeoutError"));
  }, milliseconds);
  const leave = () => controller.abort(given?.reason);
  if (given?.aborted) leave();
  given?.addEventListener("abort", leave, { once: true });
  try {
    return await run({ signal, isOver: () => isOver });
  } finally {
    clearTimeout(timer);
    given?.removeEventListener("abort", leave);
  }
}
