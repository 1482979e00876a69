import { AnalyticsError } from "../errors.ts";

/** The error of a call whose caller aborted it. */
export const createCancelledError = () => new AnalyticsError("cancelled", "The call was cancelled.");

/** When the time of a signal is over, in milliseconds of `performance.now()`. */
const ends = new WeakMap<AbortSignal, number>();

/** The milliseconds left until a signal's time is over. */
export const readTimeLeft = (signal: AbortSignal): number =>
  (ends.get(signal) ?? Number.POSITIVE_INFINITY) - performance.now();

/** Gives a signal the time that another one has, from now on. */
export function shareTime(signal: AbortSignal, other: AbortSignal | undefined, milliseconds?: number): void {
  const own = milliseconds === undefined ? Number.POSITIVE_INFINITY : performance.now() + milliseconds;
  ends.set(signal, Math.min(own, (other && ends.get(other)) ?? Number.POSITIVE_INFINITY));
}

export interface TimeLimit {
  /** Aborted when the time is over or the caller aborts. */
  signal: AbortSignal;
  /** Whether the time ran out before the caller aborted. */
  hasTimedOut(): boolean;
}

/**
 * Runs a function with a time limit. It does not use `AbortSignal.timeout` and `AbortSignal.any`: their signals are
 * held by weak references, and keep their listeners alive through every minor garbage collection.
 */
export async function limitTime<T>(
  milliseconds: number,
  callerSignal: AbortSignal | undefined,
  run: (limit: TimeLimit) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const { signal } = controller;
  shareTime(signal, callerSignal, milliseconds);
  let hasTimedOut = false;
  const timer = setTimeout(() => {
    hasTimedOut = !signal.aborted;
    controller.abort(new DOMException("The time is over.", "TimeoutError"));
  }, milliseconds);
  const abort = () => controller.abort(callerSignal?.reason);
  if (callerSignal?.aborted) abort();
  callerSignal?.addEventListener("abort", abort, { once: true });
  try {
    return await run({ signal, hasTimedOut: () => hasTimedOut });
  } finally {
    clearTimeout(timer);
    callerSignal?.removeEventListener("abort", abort);
  }
}
