import Provider, { type Adapter, type AdapterPayload, errors } from "oidc-provider";
import { AnalyticsError } from "../errors.ts";
import type { Audit } from "./audit.ts";
import type { Sealing } from "./store/sealing.ts";
import type { Store } from "./store/store.ts";

/** How long a refresh token may be used again after its first use, in milliseconds: an answer may get lost. */
const REFRESH_GRACE = 60_000;

/** What hands the analytics key on: each is sealed with the key inside. */
const KEY_CARRIERS = new Set(["AuthorizationCode", "AccessToken", "RefreshToken"]);

type Payload = AdapterPayload & { apiKey?: string };

export interface AdapterOptions {
  store: Store;
  sealing: Sealing;
  /** Milliseconds since 1970. */
  clock: () => number;
  audit: Audit;
}

export interface Adapters {
  of: (kind: string) => Adapter;
  /**
   * Ends a request of the authorization server, before it is answered: what it used up is spent only now, when
   * all that it makes is kept. A process that is killed or a store that fails in between leaves tokens that nobody
   * was given, and the code or refresh token is good for another try. Throws what the store threw meanwhile,
   * AnalyticsError `unavailable`, whatever became of it on its way, and InvalidGrant where another request was
   * faster.
   */
  settle: (request: object) => Promise<void>;
}

/**
 * What the authorization server stores, sealed under its own tokens. The analytics key travels from the consent
 * to the code, and from the code and each refresh token to the tokens made of it; the server itself never sees it.
 */
export function createAdapters({ store, sealing, clock, audit }: AdapterOptions): Adapters {
  const carried = new WeakMap<object, string>();
  const failures = new WeakMap<object, AnalyticsError>();
  const due = new WeakMap<object, (() => Promise<void>)[]>();

  /** Waits for the store, and remembers its failure for the request under way. */
  const ask = async <T>(answer: Promise<T>): Promise<T> => {
    try {
      return await answer;
    } catch (error) {
      if (error instanceof AnalyticsError && Provider.ctx) failures.set(Provider.ctx, error);
      throw error;
    }
  };

  const postpone = async (step: () => Promise<void>) => {
    if (!Provider.ctx) return step();
    due.set(Provider.ctx, [...(due.get(Provider.ctx) ?? []), step]);
  };

  const spend = async (kind: string, id: string) => {
    const now = clock();
    const consumption = await store.consume(kind, sealing.hash(kind, id), now);
    if (consumption?.first) return;
    if (consumption && isInGrace(kind, consumption.consumed, now)) return;
    throw new errors.InvalidGrant(`${kind} already used`);
  };

  /** Remembers, for the request under way, the key that a record brought. */
  const carry = (payload: Payload) => {
    const key = payload.apiKey ?? payload.result?.apiKey;
    if (typeof key === "string" && Provider.ctx) carried.set(Provider.ctx, key);
  };

  /** The provider asks for it several times over; the store tells the first. */
  const endGrant = async (grantId: string) => {
    if (!(await ask(store.revokeGrant(grantId, clock())))) return;
    const { route, params, client } = Provider.ctx?.oidc ?? {};
    const isRefresh = params?.grant_type === "refresh_token";
    audit("grant_ended", {
      ...{ grant: grantId, client: client?.clientId },
      reason:
        route === "revocation" ? "revoked_by_client" : isRefresh ? "refresh_token_reused" : "code_reused",
    });
  };

  const load = (kind: string): Adapter => ({
    upsert: async (id, payload, expiresIn) => {
      const value: Payload = { ...payload };
      if (KEY_CARRIERS.has(kind)) {
        const apiKey = Provider.ctx && carried.get(Provider.ctx);
        if (apiKey === undefined) throw new Error(`A ${kind} would be made without a key.`);
        value.apiKey = apiKey;
      }
      const now = clock();
      const expires = expiresIn ? now + expiresIn * 1000 : undefined;
      // The provider goes by the machine's clock; here one clock decides for all.
      if (expires !== undefined) value.exp = Math.floor(expires / 1000);
      const kept = await ask(
        store.put({
          ...sealing.seal(kind, id, value),
          grantId: kind === "Grant" ? id : payload.grantId,
          clientId: kind === "Client" ? id : payload.clientId,
          created: now,
          expires,
        }),
      );
      if (!kept) throw new errors.InvalidGrant("grant is revoked");
    },
    find: async (id) => {
      const record = await ask(store.get(kind, sealing.hash(kind, id)));
      const payload = record && (sealing.open(record, id) as Payload | undefined);
      if (!record || !payload) return undefined;
      // The time that stands in plain can be put off by whoever writes to the store.
      if (payload.exp !== undefined && payload.exp * 1000 <= clock()) return undefined;
      carry(payload);
      const { apiKey: _, ...rest } = payload;
      const spent = record.consumed !== undefined && !isInGrace(kind, record.consumed, clock());
      return spent ? { ...rest, consumed: Math.floor((record.consumed ?? 0) / 1000) } : rest;
    },
    consume: (id) => postpone(() => spend(kind, id)),
    destroy: async (id) => {
      if (kind === "Grant") await endGrant(id);
      // The end of its grant always follows, and takes it along. Gone before that, it could not be sent again by
      // a client that got no answer, and the rest of the grant would live on.
      else if (!KEY_CARRIERS.has(kind)) await postpone(() => store.remove(kind, sealing.hash(kind, id)));
    },
    revokeByGrantId: endGrant,
    findByUid: async () => undefined,
    findByUserCode: async () => undefined,
  });

  return {
    of: (kind) => (kind === "Session" ? forgetful : load(kind)),
    settle: async (request) => {
      const failure = failures.get(request);
      if (failure) throw failure;
      for (const step of due.get(request) ?? []) await step();
    },
  };
}

function isInGrace(kind: string, consumed: number, now: number): boolean {
  return kind === "RefreshToken" && now - consumed < REFRESH_GRACE;
}

/** Nobody stays signed in here: the key is asked for every time, so that no consent can be given silently. */
const forgetful: Adapter = {
  upsert: async () => {},
  find: async () => undefined,
  consume: async () => {},
  destroy: async () => {},
  revokeByGrantId: async () => {},
  findByUid: async () => undefined,
  findByUserCode: async () => undefined,
};
