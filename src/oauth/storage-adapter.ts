import Provider, { type Adapter, type AdapterPayload, errors } from "oidc-provider";
import { keepDocument } from "./application-documents.ts";
import type { Audit } from "./audit.ts";
import type { DeferredWrites } from "./deferred-writes.ts";
import { openHandedKey } from "./key-handoff.ts";
import { endGrant as endStoredGrant } from "./key-owner.ts";
import type { Sealing } from "./store/sealing.ts";
import type { Store } from "./store/store.ts";

/** For how many milliseconds after its first use a refresh token still works: the answer may have been lost. */
const REFRESH_GRACE = 60_000;

/** The kind of record with the key of a used refresh token. */
const GRACE_KIND = "RefreshGrace";

/** The kinds of record that the token endpoint gives tokens for. */
const REDEEMABLE = new Set(["AuthorizationCode", "RefreshToken"]);

/** The kinds of record that are sealed with the analytics key inside. */
const KEY_CARRIERS = new Set(["AuthorizationCode", "AccessToken", "RefreshToken"]);

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

type Payload = AdapterPayload & { apiKey?: string };

export interface StorageOptions {
  store: Store;
  sealing: Sealing;
  /** Milliseconds since 1970. */
  clock: () => number;
  audit: Audit;
}

/**
 * Stores the provider's records, each sealed under its own token. The analytics key is copied from the consent to
 * the code, and from the code and each refresh token to the tokens made from it; the provider never sees it.
 */
export function createStorageAdapter(
  { store, sealing, clock, audit }: StorageOptions,
  { defer, track }: DeferredWrites,
): (kind: string) => Adapter {
  /** The analytics key that each request has read. */
  const keys = new WeakMap<object, string>();

  const takeKey = (kind: string): string => {
    const apiKey = Provider.ctx && keys.get(Provider.ctx);
    if (apiKey === undefined) throw new Error(`A ${kind} would be made without a key.`);
    return apiKey;
  };

  const upsert = async (kind: string, id: string, payload: AdapterPayload, expiresIn: number | undefined) => {
    const value: Payload = { ...payload };
    if (KEY_CARRIERS.has(kind)) value.apiKey = takeKey(kind);
    if (kind === "AuthorizationCode" || kind === "AccessToken") {
      await track(keepDocument(Provider.ctx?.oidc.client, { store, sealing, clock }));
    }
    const now = clock();
    const expires = expiresIn ? now + expiresIn * 1000 : undefined;
    // The provider reads the system clock; replace its time by that of our clock, which decides everywhere.
    if (expires !== undefined) value.exp = Math.floor(expires / 1000);
    const record = {
      ...sealing.seal(kind, id, value),
      grantId: kind === "Grant" ? id : payload.grantId,
      clientId: kind === "Client" ? id : payload.clientId,
      created: now,
      expires,
    };
    if (!(await track(store.put(record)))) throw new errors.InvalidGrant("grant is revoked");
  };

  const read = async (kind: string, id: string) => {
    const record = await track(store.get(kind, sealing.hash(kind, id)));
    // Only `upsert` seals values of these kinds, and sealing proves that this is one of them.
    const payload = record && (sealing.open(record, id) as Payload | undefined);
    // Anyone who can write to the store can change the time outside the seal, but not this one.
    const isOver = payload?.exp !== undefined && payload.exp * 1000 <= clock();
    return payload && !isOver ? { record, payload } : undefined;
  };

  const find = async (kind: string, id: string) => {
    const found = await read(kind, id);
    if (!found) return undefined;
    const { consumed, grantId, hash } = found.record;
    const { apiKey, ...rest } = found.payload;
    if (consumed !== undefined && !isInGrace(kind, consumed, clock())) {
      return { ...rest, consumed: Math.floor(consumed / 1000) };
    }
    if (REDEEMABLE.has(kind) && grantId !== undefined) await track(countUse(kind, hash, grantId));
    if (!Provider.ctx || !leadsToKey(kind, rest)) return rest;
    const key = apiKey ?? (await findKey(kind, id, rest));
    // Another browser's sign-in, or a token whose grace has just ended on a replica with another clock.
    if (key === undefined) return undefined;
    keys.set(Provider.ctx, key);
    return rest;
  };

  const limit = async (counter: string, windowMs: number, max: number, waitSeconds: number) => {
    if ((await store.hit(counter, { max, windowMs }, clock())) === 0) return;
    Provider.ctx?.set("Retry-After", String(waitSeconds));
    throw new SlowDown();
  };

  /** Counts a valid code or refresh token at the token endpoint. Throws an error with status 429 if there are too many. */
  const countUse = async (kind: string, hash: string, grantId: string) => {
    if (Provider.ctx?.oidc.route !== "token") return;
    if (kind === "RefreshToken") await limit(`uses of ${hash}`, USES_MS, MAX_USES, 60);
    await limit(`token requests of ${grantId}`, REQUESTS_MS, MAX_REQUESTS, REQUESTS_MS / 1000);
  };

  /** Finds a key that is kept apart from the record that leads to it. */
  const findKey = async (kind: string, id: string, { result }: Payload): Promise<string | undefined> => {
    if (kind === "Interaction")
      return openHandedKey(sealing, Provider.ctx?.headers.cookie, result?.handedKey);
    if (kind !== "RefreshToken") return undefined;
    const record = await track(store.get(GRACE_KIND, sealing.hash(GRACE_KIND, id)));
    // Only `retire` seals values of this kind.
    return record && (sealing.open(record, id) as Pick<Payload, "apiKey"> | undefined)?.apiKey;
  };

  const consume = async (kind: string, id: string) => {
    const now = clock();
    const consumption = await store.consume(kind, sealing.hash(kind, id), now);
    const isUsable = consumption?.first || (consumption && isInGrace(kind, consumption.consumed, now));
    if (!isUsable) throw new errors.InvalidGrant(`${kind} already used`);
    await retire(kind, id, consumption.consumed);
  };

  /**
   * Takes the analytics key out of a used record. The record itself stays, so that its reuse ends the grant; the key
   * of a refresh token stays beside it for as long as the token still works.
   */
  const retire = async (kind: string, id: string, consumed: number) => {
    const record = await store.get(kind, sealing.hash(kind, id));
    const { apiKey, ...rest } = Object((record && sealing.open(record, id)) ?? {}) as Partial<Payload>;
    // Another request was faster.
    if (!record || apiKey === undefined) return;
    if (kind === "RefreshToken") {
      const { grantId, clientId } = record;
      const until = { created: consumed, expires: consumed + REFRESH_GRACE };
      await store.put({ ...sealing.seal(GRACE_KIND, id, { apiKey }), grantId, clientId, ...until });
    }
    await store.put({ ...record, ...sealing.seal(kind, id, rest) });
  };

  /** The provider calls this several times for one grant; the store returns true for the first call. */
  const endGrant = async (grantId: string) => {
    const { route, params, client: application } = Provider.ctx?.oidc ?? {};
    const isRefresh = params?.grant_type === "refresh_token";
    const reusedReason = isRefresh ? "refresh_token_reused" : "code_reused";
    const reason = route === "revocation" ? "revoked_by_client" : reusedReason;
    if (!(await track(endStoredGrant(store, sealing, grantId, clock(), reason)))) return;
    audit("grant_ended", { grant: grantId, application: application?.clientId, reason });
  };

  const destroy = async (kind: string, id: string) => {
    if (kind === "Grant") return endGrant(id);
    // The end of the grant always follows and removes these too. Removed earlier, a token could not be revoked again
    // by an application that got no answer, and the rest of the grant would stay valid.
    if (KEY_CARRIERS.has(kind)) return;
    await defer(async () => {
      const isFirst = await store.remove(kind, sealing.hash(kind, id));
      // One decision gives one answer (RFC 6749, section 4.1.2), even if its redirect is followed several times at once.
      if (kind === "Interaction" && !isFirst) throw new errors.SessionNotFound("the sign-in is already over");
    });
  };

  return (kind) =>
    kind === "Session"
      ? noSessions
      : {
          ...noSessions,
          upsert: (id, payload, expiresIn) => upsert(kind, id, payload, expiresIn),
          find: (id) => find(kind, id),
          consume: (id) => defer(() => consume(kind, id)),
          destroy: (id) => destroy(kind, id),
          revokeByGrantId: endGrant,
        };
}

class SlowDown extends errors.OIDCProviderError {
  override error_description = "Too many token requests. Use the tokens that were given.";

  constructor() {
    super(429, "slow_down");
  }
}

const leadsToKey = (kind: string, { result }: Payload): boolean =>
  KEY_CARRIERS.has(kind) || result?.handedKey !== undefined;

const isInGrace = (kind: string, consumed: number, now: number): boolean =>
  kind === "RefreshToken" && now - consumed < REFRESH_GRACE;

/** Nobody stays signed in: the key is asked for every time, so consent is never given silently. */
const noSessions: Adapter = {
  upsert: async () => {},
  find: async () => undefined,
  consume: async () => {},
  destroy: async () => {},
  revokeByGrantId: async () => {},
  findByUid: async () => undefined,
  findByUserCode: async () => undefined,
};
