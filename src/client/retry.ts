import { setTimeout as sleep } from "node:timers/promises";
import { AnalyticsError } from "../errors.ts";
import { cancelled, limitTime } from "./time-limit.ts";

export interface RetryPolicy {
  /** Milliseconds for a call with all its attempts and waits. */
  deadline: number;
  attempts: number;
  /** Bounds of the random wait after a first failure, doubling up to the second. */
  firstBackoff: number;
  maxBackoff: number;
}

/** A failure that may pass: worth another attempt, after `wait` milliseconds where the service named them. */
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

/**
 * Attempts until one succeeds, or fails for good, or the next wait would pass the deadline: then the last
 * failure is thrown. Waits are random between nothing and the backoff ("full jitter"), so that many clients
 * do not come back together; a wait the service asked for is kept in full.
 */
export function retry<T>(
  attempt: (signal: AbortSignal) => Promise<T>,
  policy: RetryPolicy,
  given?: AbortSignal,
): Promise<T> {
  const start = performance.now();
  return limitTime(policy.deadline, given, async ({ signal, isOver }) => {
    const throwIfOver = () => {
      if (isOver()) throw timedOut(policy);
      if (signal.aborted) throw cancelled();
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
        const left = policy.deadline - (performance.now() - start);
        if (count >= policy.attempts || wait >= left) throw error.error;
        await sleep(wait, undefined, { signal }).catch(throwIfOver);
      }
    }
  });
}

const timedOut = (policy: RetryPolicy) =>
  new AnalyticsError("timeout", `The service gave no answer within ${policy.deadline / 1000} seconds.`, {
    hint: "Try again later.",
  });
