import { AnalyticsError } from "../errors.ts";
import { formatCount } from "../render/words.ts";

/** Takes leave for one call; throws `rate_limited` with the time to wait where too many were made. */
export type Admit = () => void;

/**
 * A token bucket: a minute's calls at once at most, and then as many as flow in. It stops an assistant that
 * asks in a loop before the loop uses up the organization's quota.
 */
export function createRateLimit(perMinute: number, clock: () => number): Admit {
  let tokens = perMinute;
  let filled = clock();
  return () => {
    const now = clock();
    // A clock that was set back fills nothing.
    tokens = Math.min(perMinute, tokens + (Math.max(0, now - filled) * perMinute) / 60_000);
    filled = now;
    if (tokens < 1) {
      const seconds = Math.ceil(((1 - tokens) * 60) / perMinute);
      throw new AnalyticsError("rate_limited", `Too many calls: this server answers ${perMinute} a minute.`, {
        hint: `Wait ${formatCount(seconds, "second")}, then call again. compare_periods and get_overview answer several questions in one call.`,
      });
    }
    tokens--;
  };
}
