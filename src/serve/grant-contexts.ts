import { AnalyticsError } from "../errors.ts";
import type { Admit } from "../mcp/call-rate-limit.ts";
import type { Bearer } from "../oauth/bearer.ts";
import { type Call, wrapCall } from "../operations/call.ts";
import { hideSettings } from "../sources/hidden-faults.ts";
import type { OpenOptions } from "../sources/source-types.ts";

/** What the requests of one grant share: cached answers and the limit of calls. */
export interface GrantContext {
  call: Call;
  admit: Admit;
}

/** A grant and its key. */
export type Holder = Pick<Bearer, "grantId" | "clientId" | "apiKey">;

export interface GrantContextsOptions {
  /** Asks the source with a key. */
  open: (apiKey: string, limits: OpenOptions["limits"]) => Call;
  clock: () => number;
  /** The limit of one grant's calls. */
  createLimit: (grantId: string) => Admit;
  /** Ends a grant when the service no longer accepts its key. */
  revoke: (holder: Holder) => Promise<void>;
}

const MAX_GRANTS = 1_000;
/**
 * Milliseconds without a request after which a grant's answers and key are removed from memory. This replica does not
 * learn that a grant was ended on another, or that its application never comes back.
 */
const IDLE_MS = 5 * 60_000;
const MEMORY = { entries: 50, size: 1_000_000 };

/** A separate context for each grant, so nothing of one grant reaches another. Unused and surplus ones are removed. */
export function createGrantContexts({ open, clock, createLimit, revoke }: GrantContextsOptions) {
  /** In the order of last use. */
  const contexts = new Map<string, { context: GrantContext; used: number }>();

  const create = (holder: Holder): GrantContext => {
    const call = wrapCall(open(holder.apiKey, { cache: MEMORY }), async (ask) => {
      try {
        return await ask();
      } catch (error) {
        // A revoked key ends the grant; a failure of the service does not.
        const isOver =
          error instanceof AnalyticsError && error.code === "invalid_api_key" && error.status === 401;
        if (isOver) await revoke(holder);
        throw error instanceof AnalyticsError ? hideSettings(error) : error;
      }
    });
    return { call, admit: createLimit(holder.grantId) };
  };

  return (holder: Holder): GrantContext => {
    const { grantId } = holder;
    const now = clock();
    const context = contexts.get(grantId)?.context ?? create(holder);
    contexts.delete(grantId);
    contexts.set(grantId, { context, used: now });
    for (const [oldest, { used }] of contexts) {
      if (contexts.size <= MAX_GRANTS && now - used < IDLE_MS) break;
      contexts.delete(oldest);
    }
    return context;
  };
}
