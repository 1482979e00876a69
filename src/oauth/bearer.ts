import { SCOPE } from "./discovery.ts";
import type { Sealing } from "./store/sealing.ts";
import type { Store } from "./store/store.ts";

/** The grant behind an access token. */
export interface Bearer {
  grantId: string;
  clientId: string;
  /** The analytics key that the person entered on the consent page. */
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
 * Returns the grant behind an `Authorization` header, or undefined if the token is unknown, expired, revoked or for
 * another resource. These cases are not told apart: in each of them the person has to sign in again.
 */
export const createBearerCheck =
  ({ store, sealing, resource, clock }: BearerOptions) =>
  async (authorization: string | null): Promise<Bearer | undefined> => {
    const [, token] = /^Bearer +([\w.~+/-]+=*)$/i.exec(authorization ?? "") ?? [];
    if (token === undefined) return undefined;
    const record = await store.get("AccessToken", sealing.hash("AccessToken", token));
    const value: Record<string, unknown> = Object(record && sealing.open(record, token));
    const { grantId, clientId, apiKey, exp, aud, scope } = value;
    if (typeof grantId !== "string" || typeof clientId !== "string" || typeof apiKey !== "string")
      return undefined;
    if (typeof exp !== "number" || exp * 1000 <= clock()) return undefined;
    if (aud !== resource || scope !== SCOPE) return undefined;
    return { grantId, clientId, apiKey, expires: exp };
  };
