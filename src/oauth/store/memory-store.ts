import { createCounterHash } from "./sealing.ts";
import {
  type GrantSummary,
  isLive,
  LIMITED_KINDS,
  MAX_WITHOUT_GRANT,
  readMarkEnd,
  readTokenTime,
  type Store,
  type StoredRecord,
  type StoreOptions,
} from "./store.ts";

/**
 * What the process has memory for, since others cannot sign in if it runs out: bytes of the records of each limited
 * kind, grants, and counters. Beyond them, the oldest are removed.
 */
const MAX_BYTES = 16_000_000;
const MAX_GRANTS = 10_000;
const MAX_COUNTERS = 50_000;
/** How many entries each write checks for expiry: more than a write can add, so expired ones do not pile up. */
const SWEPT_PER_WRITE = 20;
/** Estimated bytes that a record takes besides its sealed value. */
const RECORD_OVERHEAD = 1_000;

interface Grant extends GrantSummary {
  /** The keys of its records, expired ones included. */
  records: Set<string>;
}

/** A store that ends with its process: for demonstrations, tests, and whenever sign-ins may be lost. */
export function createMemoryStore({
  clock,
  secret,
  maxWithoutGrant = MAX_WITHOUT_GRANT,
}: Omit<StoreOptions, "report">): Store {
  const records = new Map<string, StoredRecord>();
  const grants = new Map<string, Grant>();
  const counters = new Map<string, { count: number; ends: number }>();
  const queues = new Map(LIMITED_KINDS.map((kind) => [kind, createQueue()]));
  /** How many grants each application has, and the keys of the registered ones. */
  const grantCounts = new Map<string, number>();
  const registrations = new Map<string, string>();
  const hashCounterName = createCounterHash(secret);

  const keyOf = (kind: string, hash: string) => JSON.stringify([kind, hash]);
  const find = (key: string) => {
    const record = records.get(key);
    return record && isLive(record.expires, clock()) ? record : undefined;
  };
  const forget = (key: string) => {
    const { kind = "", grantId = "", clientId = "" } = records.get(key) ?? {};
    grants.get(grantId)?.records.delete(key);
    queues.get(kind)?.remove(key);
    if (kind === "Client") registrations.delete(clientId);
    return records.delete(key);
  };
  /** Keeps the queue of a kind within its limits. Applications with a grant leave it until their last grant is gone. */
  const enqueue = (key: string, { kind, sealed }: StoredRecord) => {
    const queue = queues.get(kind);
    queue?.add(key, sealed.byteLength + RECORD_OVERHEAD);
    while (queue && (queue.sizes.size > maxWithoutGrant || queue.bytes() > MAX_BYTES)) {
      const [oldest = ""] = queue.sizes.keys();
      queue.remove(oldest);
      const clientId = records.get(oldest)?.clientId ?? "";
      if (kind !== "Client" || !grantCounts.has(clientId)) forget(oldest);
    }
  };
  const countGrant = (clientId: string | undefined, change: 1 | -1) => {
    if (clientId === undefined) return;
    const count = (grantCounts.get(clientId) ?? 0) + change;
    if (count > 0) return void grantCounts.set(clientId, count);
    grantCounts.delete(clientId);
    const key = registrations.get(clientId) ?? "";
    const registration = records.get(key);
    if (registration) enqueue(key, registration);
  };
  const setGrant = (grant: Grant) => {
    const known = grants.get(grant.grantId);
    grants.set(grant.grantId, grant);
    countGrant(grant.clientId, 1);
    countGrant(known?.clientId, -1);
    const [oldest = ""] = grants.keys();
    if (grants.size > MAX_GRANTS) removeGrant(oldest);
  };
  const removeGrant = (grantId: string) => {
    const { clientId, records: own = [] } = grants.get(grantId) ?? {};
    for (const key of own) forget(key);
    countGrant(clientId, -1);
    grants.delete(grantId);
  };
  const grantEnd = ({ revoked, expires }: Grant) =>
    revoked === undefined ? expires : readMarkEnd(revoked, expires);
  const sweepers = [
    createSweeper(records, ({ expires }) => expires, forget),
    createSweeper(grants, grantEnd, removeGrant),
    createSweeper(
      counters,
      ({ ends }) => ends,
      (name) => counters.delete(name),
    ),
  ];
  const sweep = () => {
    for (const sweepMap of sweepers) sweepMap(clock());
  };
  const listLive = () => [...grants.values()].filter((grant) => isLive(grantEnd(grant), clock()));
  const listApplications = () => {
    const alive = listLive().filter(({ revoked }) => revoked === undefined);
    return [...records].flatMap(([key, { kind, clientId, created, expires }]) => {
      if (kind !== "Client" || clientId === undefined || !isLive(expires, clock())) return [];
      const count = alive.filter((grant) => grant.clientId === clientId).length;
      return [{ key, summary: { clientId, created, expires, grants: count } }];
    });
  };

  return {
    put: async (record) => {
      sweep();
      const { kind, hash, grantId, clientId, created, expires } = record;
      const key = keyOf(kind, hash);
      const grant = grantId === undefined ? undefined : grants.get(grantId);
      if (grant?.revoked !== undefined) return false;
      const consumed = find(key)?.consumed ?? record.consumed;
      forget(key);
      // Copied, so that the caller cannot change stored bytes.
      records.set(key, { ...record, consumed, sealed: Uint8Array.from(record.sealed) });
      if (kind === "Client" && clientId !== undefined) registrations.set(clientId, key);
      if (grantId === undefined) {
        enqueue(key, record);
        return true;
      }
      const endless = expires === undefined || (grant !== undefined && grant.expires === undefined);
      setGrant({
        grantId,
        clientId: clientId ?? grant?.clientId,
        created: Math.min(created, grant?.created ?? created),
        refreshed: Math.max(readTokenTime(record), grant?.refreshed ?? 0) || undefined,
        expires: endless ? undefined : Math.max(expires, grant?.expires ?? 0),
        records: (grant?.records ?? new Set()).add(key),
      });
      return true;
    },
    get: async (kind, hash) => {
      const record = find(keyOf(kind, hash));
      return record && { ...record, sealed: Uint8Array.from(record.sealed) };
    },
    consume: async (kind, hash, at) => {
      const record = find(keyOf(kind, hash));
      if (!record) return undefined;
      const first = record.consumed === undefined;
      record.consumed ??= at;
      return { first, consumed: record.consumed };
    },
    remove: async (kind, hash) => forget(keyOf(kind, hash)),
    revokeGrant: async (grantId, at) => {
      const grant = grants.get(grantId);
      if (grant?.revoked !== undefined) return false;
      for (const key of grant?.records ?? []) forget(key);
      const summary = grant ?? { grantId, created: at };
      setGrant({ ...summary, revoked: at, records: new Set() });
      return true;
    },
    listGrants: async () =>
      listLive()
        .map(({ records: _, ...grant }) => grant)
        .sort(byAge),
    listApplications: async () =>
      listApplications()
        .map(({ summary }) => summary)
        .sort(byAge),
    pruneApplications: async (before) => {
      const old = listApplications().filter(
        ({ summary }) => summary.created < before && summary.grants === 0,
      );
      for (const { key } of old) forget(key);
      return old.length;
    },
    hit: async (counter, { max, windowMs }, now) => {
      sweep();
      const name = hashCounterName(counter);
      const known = counters.get(name);
      const running = known !== undefined && known.ends > now;
      const ends = running ? Math.min(known.ends, now + windowMs) : now + windowMs;
      const count = running ? known.count : 0;
      // A new window goes to the end, since the oldest are removed first.
      if (!running) counters.delete(name);
      counters.set(name, { count: Math.min(count + 1, Math.max(count, max)), ends });
      const [oldest = ""] = counters.keys();
      if (counters.size > MAX_COUNTERS) counters.delete(oldest);
      return count < max ? 0 : ends - now;
    },
    unhit: async (counter, now) => {
      const known = counters.get(hashCounterName(counter));
      if (known && known.ends > now && known.count > 0) known.count -= 1;
    },
    check: async () => {},
    close: async () => {
      for (const map of [records, grants, counters, queues, grantCounts, registrations]) map.clear();
    },
  };
}

const byAge = (one: { created: number }, other: { created: number }) => one.created - other.created;

/** Keys in the order in which they were added, with the sizes of what they stand for. */
function createQueue() {
  const sizes = new Map<string, number>();
  let bytes = 0;
  const remove = (key: string) => {
    bytes -= sizes.get(key) ?? 0;
    sizes.delete(key);
  };
  const add = (key: string, size: number) => {
    remove(key);
    sizes.set(key, size);
    bytes += size;
  };
  return { sizes, bytes: () => bytes, add, remove };
}

/** Checks a map's entries in turn, a few at each call, and removes expired ones. */
function createSweeper<T>(
  map: Map<string, T>,
  endOf: (value: T) => number | undefined,
  remove: (key: string) => void,
): (now: number) => void {
  let round = map.entries();
  return (now) => {
    for (let left = SWEPT_PER_WRITE; left > 0; left--) {
      const next = round.next();
      if (next.done) {
        round = map.entries();
        return;
      }
      const [key, value] = next.value;
      if (!isLive(endOf(value), now)) remove(key);
    }
  };
}
