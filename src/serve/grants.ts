import { AnalyticsError } from "../errors.ts";
import { type Admit, createRateLimit } from "../mcp/call-rate-limit.ts";
import type { Bearer } from "../oauth/bearer.ts";
import type { Call } from "../operations/call.ts";
import type { OpenOptions } from "../sources/source.ts";

/** What one grant's requests share: the answers it may see again, and its share of calls. */
export interface GrantContext {
  call: Call;
  admit: Admit;
}

/** Whose requests they are, and with which key they are answered. */
export type Holder = Pick<Bearer, "grantId" | "clientId" | "apiKey">;

export interface GrantsOptions {
  /** Asks the source with a key. */
  open: (apiKey: string, limits: OpenOptions["limits"]) => Call;
  clock: () => number;
  callsPerMinute: number;
  /** Ends a grant whose key the service no longer takes. */
  revoke: (holder: Holder) => Promise<void>;
}

const MOST_KEPT = 1_000;
/**
 * Milliseconds without a call after which a grant's answers and key are let go. Nothing tells that a grant was
 * ended on another replica, or that nobody comes back; and by then its share of calls is full again.
 */
const IDLE_MS = 5 * 60_000;
const MEMORY = { entries: 50, size: 1_000_000 };

/** Each grant's own client: nothing of one reaches another. Those used longest ago are forgotten, and those unused. */
export function createGrants({ open, clock, callsPerMinute, revoke }: GrantsOptions) {
  /** In the order of their last use. */
  const contexts = new Map<string, { context: GrantContext; used: number }>();

  const create = (holder: Holder): GrantContext => {
    const ask = open(holder.apiKey, { memory: MEMORY });
    const call: Call = async (...asked) => {
      try {
        return await ask(...asked);
      } catch (error) {
        // A key that was revoked at the service ends the grant; that the service is out of order does not.
        const isOver =
          error instanceof AnalyticsError && error.code === "invalid_api_key" && error.status === 401;
        if (isOver) await revoke(holder);
        throw error;
      }
    };
    return { call, admit: createRateLimit(callsPerMinute, clock) };
  };

  return (holder: Holder): GrantContext => {
    const { grantId } = holder;
    const now = clock();
    const context = contexts.get(grantId)?.context ?? create(holder);
    contexts.delete(grantId);
    contexts.set(grantId, { context, used: now });
    for (const [oldest, { used }] of contexts) {
      if (contexts.size <= MOST_KEPT && now - used < IDLE_MS) break;
      contexts.delete(oldest);
    }
    return context;
  };
}
