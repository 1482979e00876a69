import type { AnalyticsError } from "../errors.ts";
import { type Admit, createRateLimit, createTooManyCallsError } from "../mcp/call-rate-limit.ts";
import type { Store } from "../oauth/store/store.ts";
import { isUnavailable } from "../oauth/store/store-failure.ts";

export interface SharedCallLimitOptions {
  store: Pick<Store, "hit">;
  clock: () => number;
  callsPerMinute: number;
  /** Called when the store fails to count. */
  onUnavailable: (failure: AnalyticsError) => void;
}

/** Milliseconds for which a store that failed is not asked again: one that is locked takes seconds to say so. */
const PAUSE_MS = 10_000;

/**
 * Limits the calls of each grant in a minute, counted in the store that replicas share: one operation per call. A store
 * that can be read but not written still lets tools answer, so meanwhile each replica counts its own calls.
 */
export function createSharedCallLimit(options: SharedCallLimitOptions): (grantId: string) => Admit {
  const { store, clock, callsPerMinute } = options;
  const limit = { max: callsPerMinute, windowMs: 60_000 };
  let failed = Number.NEGATIVE_INFINITY;

  const count = async (grantId: string): Promise<number | undefined> => {
    const now = clock();
    // A clock may be set back.
    if (Math.abs(now - failed) < PAUSE_MS) return undefined;
    try {
      return await store.hit(`calls of ${grantId}`, limit, now);
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      options.onUnavailable(error);
      failed = clock();
      return undefined;
    }
  };

  return (grantId) => {
    const admitHere = createRateLimit(callsPerMinute, clock);
    return async () => {
      const wait = await count(grantId);
      if (wait === undefined) return admitHere();
      if (wait > 0) throw createTooManyCallsError(callsPerMinute, Math.ceil(wait / 1000));
    };
  };
}
