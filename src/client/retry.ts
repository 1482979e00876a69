import { setTimeout as sleep } from "node:timers/promises";
import { AnalyticsError } from "../errors.ts";
import { createCancelledError, limitTime, readTimeLeft } from "./time-limit.ts";

/** Times in milliseconds. */
export interface RetryPolicy {
  /** For a call with all its attempts and waits. */
  deadline: number;
  attempts: number;
  /** The longest random wait after the first failure; it doubles with each further one, up to `maxBackoff`. */
  firstBackoff: number;
  maxBackoff: number;
}

/** A failure that another attempt may get past, after `wait` milliseconds if the service named a time. */
export class RetryableError extends Error {
  override readonly name = "RetryableError";
  readonly error: AnalyticsError;
  readonly wait: number | undefined;
  constructor(error: AnalyticsError, wait?: number) {
    super(error.message, { cause: error });
    this.error = error;
    this.wait = wait;
  }
}

/** Nobody waits longer than this for a service that names a time. */
const MAX_WAIT_MS = 30_000;

/**
 * Repeats an attempt that throws a RetryableError. Stops when the attempts are used up or the next wait is too long or would pass the
 * deadline, or that of the question, and throws the last attempt's AnalyticsError; throws `timeout` when the deadline passes and `cancelled`
 * when the caller's signal is aborted.
 *
 * Waits are random between zero and the backoff ("full jitter"), so that many callers do not come back together. A wait
 * that the service asks for is kept in full.
 */
export function retry<T>(
  attempt: (signal: AbortSignal) => Promise<T>,
  policy: RetryPolicy,
  callerSignal?: AbortSignal,
): Promise<T> {
  return limitTime(policy.deadline, callerSignal, async ({ signal, hasTimedOut }) => {
    const throwIfOver = () => {
      if (hasTimedOut()) throw createTimeoutError(policy);
      if (signal.aborted) throw createCancelledError();
    };
    for (let count = 1; ; count++) {
      try {
        signal.throwIfAborted();
        return await attempt(signal);
      } catch (error) {
        throwIfOver();
        if (!(error instanceof RetryableError)) throw error;
        const backoff = Math.random() * Math.min(policy.maxBackoff, policy.firstBackoff * 2 ** (count - 1));
        const wait = error.wait === undefined ? backoff : error.wait + Math.random() * policy.firstBackoff;
        const longest = Math.min(MAX_WAIT_MS, readTimeLeft(signal));
        if (count >= policy.attempts || wait >= longest) throw error.error;
        await sleep(wait, undefined, { signal }).catch(throwIfOver);
      }
    }
  });
}

const createTimeoutError = (policy: RetryPolicy) =>
  new AnalyticsError("timeout", `The service gave no answer within ${policy.deadline / 1000} seconds.`, {
    hint: "Try again later.",
  });
