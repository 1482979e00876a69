import { setTimeout as sleep } from "node:timers/promises";
import type { AnalyticsError } from "../errors.ts";
import { RetryableError } from "./retry.ts";

/** Sends a request. Throws the second refusal as an AnalyticsError, which is not to be retried. */
export type Pass = <T>(send: () => Promise<T>, signal: AbortSignal) => Promise<T>;

/**
 * Keeps a service that refuses requests for their number, without a time to wait, from getting more of them: one request is
 * tried once more after a while, and all others wait for it. If it is refused again, all that were asked for until then fail.
 *
 * @param longest The longest wait, in milliseconds.
 * @returns To be called when a request is asked for, which may be long before it is sent.
 */
export function createBrake(longest: number): () => Pass {
  let held: Promise<void> | undefined;
  let refusals = 0;
  let last: AnalyticsError | undefined;
  const isRefusal = (error: unknown): error is RetryableError =>
    error instanceof RetryableError && error.error.code === "rate_limited" && error.wait === undefined;

  const sendAgain = async <T>(send: () => Promise<T>): Promise<T> => {
    try {
      return await send();
    } catch (error) {
      if (!isRefusal(error)) throw error;
      refusals++;
      last = error.error;
      throw last;
    }
  };

  return () => {
    const before = refusals;
    const enter = async () => {
      await held;
      if (refusals > before) throw last;
    };
    return async (send, signal) => {
      await enter();
      try {
        return await send();
      } catch (error) {
        if (!isRefusal(error)) throw error;
      }
      if (held !== undefined) {
        await enter();
        return sendAgain(send);
      }
      const wait = (longest / 4) * (1 + Math.random());
      const second = sleep(wait, undefined, { signal }).then(() => sendAgain(send));
      held = second.then(
        () => {},
        () => {},
      );
      try {
        return await second;
      } finally {
        held = undefined;
      }
    };
  };
}
