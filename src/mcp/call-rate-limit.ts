import { AnalyticsError } from "../errors.ts";
import { formatCount } from "../render/plural.ts";

/** Counts one call. Throws AnalyticsError `rate_limited`, with the time to wait, if there have been too many. */
export type Admit = () => void | Promise<void>;

export function createTooManyCallsError(perMinute: number, seconds: number): AnalyticsError {
  return new AnalyticsError("rate_limited", `Too many calls: the limit is ${perMinute} a minute.`, {
    hint: `Wait ${formatCount(seconds, "second")}, then call again. compare_periods and get_overview replace several other calls.`,
  });
}

/**
 * A token bucket: allows a minute's calls at once, then refills steadily. It stops an assistant that calls in a loop
 * before it uses up the organization's quota.
 */
export function createRateLimit(perMinute: number, clock: () => number): () => void {
  let tokens = perMinute;
  let filled = clock();
  return () => {
    const now = clock();
    // A clock that was set back refills nothing.
    tokens = Math.min(perMinute, tokens + (Math.max(0, now - filled) * perMinute) / 60_000);
    filled = now;
    if (tokens < 1) throw createTooManyCallsError(perMinute, Math.ceil(((1 - tokens) * 60) / perMinute));
    tokens--;
  };
}
