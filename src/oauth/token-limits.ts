import Provider, { errors } from "oidc-provider";
import type { Store } from "./store/store.ts";

/**
 * How many pairs one refresh token gives. Applications ask again if an answer was lost, and several of their processes may
 * ask at once; more than that is a loop or a thief (RFC 9700, section 4.14.2).
 */
const MAX_USES = 10;
/** Longer than a used token works, so that a second window never begins within it. */
const USES_MS = 120_000;
/** Requests of one grant at the token endpoint. Its access tokens last for hours. */
const MAX_REQUESTS = 60;
const REQUESTS_MS = 600_000;

class SlowDown extends errors.OIDCProviderError {
  override error_description: string;

  constructor(description: string) {
    super(429, "slow_down");
    this.error_description = description;
  }
}

export interface TokenUse {
  kind: string;
  hash: string;
  grantId: string;
}

/** Counts a valid code or refresh token at the token endpoint. Throws an error with status 429 if there are too many. */
export function createTokenLimits({ store, clock }: { store: Store; clock: () => number }) {
  const limit = async (counter: string, windowMs: number, max: number, waitSeconds: number) => {
    if ((await store.hit(counter, { max, windowMs }, clock())) === 0) return;
    Provider.ctx?.set("Retry-After", String(waitSeconds));
    throw new SlowDown("Too many token requests. Use the tokens that were given.");
  };
  return async ({ kind, hash, grantId }: TokenUse): Promise<void> => {
    if (Provider.ctx?.oidc.route !== "token") return;
    if (kind === "RefreshToken") await limit(`uses of ${hash}`, USES_MS, MAX_USES, 60);
    await limit(`token requests of ${grantId}`, REQUESTS_MS, MAX_REQUESTS, REQUESTS_MS / 1000);
  };
}
