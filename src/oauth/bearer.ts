import { SCOPE } from "./scope.ts";
import type { Sealing } from "./store/sealing.ts";
import type { Store } from "./store/store.ts";

/** Whom a token speaks for. */
export interface Bearer {
  grantId: string;
  clientId: string;
  /** The analytics key that the person gave at the consent. */
  apiKey: string;
  /** Seconds since 1970. */
  expires: number;
}

export interface BearerOptions {
  store: Store;
  sealing: Sealing;
  resource: string;
  clock: () => number;
}

/**
 * Whom an `Authorization` header speaks for; undefined where it is none of ours, has expired, is for another
 * resource, or its grant was revoked: one answer for all, since a client can do the same about each.
 */
export function createBearerCheck({ store, sealing, resource, clock }: BearerOptions) {
  return async (authorization: string | null): Promise<Bearer | undefined> => {
    const [, token] = /^Bearer +([\w.~+/-]+=*)$/i.exec(authorization ?? "") ?? [];
    if (token === undefined) return undefined;
    const record = await store.get("AccessToken", sealing.hash("AccessToken", token));
    const value = record && (sealing.open(record, token) as Record<string, unknown> | undefined);
    if (!value) return undefined;
    const { grantId, clientId, apiKey, exp, aud, scope } = value;
    if (typeof grantId !== "string" || typeof clientId !== "string" || typeof apiKey !== "string")
      return undefined;
    if (typeof exp !== "number" || exp * 1000 <= clock()) return undefined;
    if (aud !== resource || scope !== SCOPE) return undefined;
    return { grantId, clientId, apiKey, expires: exp };
  };
}
