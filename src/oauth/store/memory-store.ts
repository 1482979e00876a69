import { createCounterHash } from "./sealing.ts";
import {
  type GrantSummary,
  isLive,
  readMarkEnd,
  type Store,
  type StoredRecord,
  type StoreOptions,
} from "./store.ts";

/** How many entries each write checks for expiry: more than a write can add, so expired ones do not pile up. */
const SWEPT_PER_WRITE = 20;

interface Grant extends GrantSummary {
  /** The keys of its records, expired ones included. */
  records: Set<string>;
}

/** A store that ends with its process: for demonstrations, tests, and whenever sign-ins may be lost. */
export function createMemoryStore({ clock, secret }: Omit<StoreOptions, "report">): Store {
  const records = new Map<string, StoredRecord>();
  const grants = new Map<string, Grant>();
  const counters = new Map<string, { count: number; ends: number }>();
  const hashCounterName = createCounterHash(secret);

  const keyOf = (kind: string, hash: string) => JSON.stringify([kind, hash]);
  const find = (key: string) => {
    const record = records.get(key);
    return record && isLive(record.expires, clock()) ? record : undefined;
  };
  const forget = (key: string) => {
    grants.get(records.get(key)?.grantId ?? "")?.records.delete(key);
    return records.delete(key);
  };
  const grantEnd = ({ revoked, expires }: Grant) =>
    revoked === undefined ? expires : readMarkEnd(revoked, expires);
  const sweepers = [
    createSweeper(records, ({ expires }) => expires, forget),
    createSweeper(grants, grantEnd, (id) => grants.delete(id)),
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
      if (grantId === undefined) return true;
      const endless = expires === undefined || (grant !== undefined && grant.expires === undefined);
      grants.set(grantId, {
        grantId,
        clientId: clientId ?? grant?.clientId,
        created: Math.min(created, grant?.created ?? created),
        refreshed: Math.max(created, grant?.refreshed ?? created),
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
      const summary = grant ?? { grantId, created: at, refreshed: at };
      grants.set(grantId, { ...summary, revoked: at, records: new Set() });
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
      counters.set(name, { count: Math.min(count + 1, Math.max(count, max)), ends });
      return count < max ? 0 : ends - now;
    },
    unhit: async (counter, now) => {
      const known = counters.get(hashCounterName(counter));
      if (known && known.ends > now && known.count > 0) known.count -= 1;
    },
    check: async () => {},
    close: async () => {
      for (const map of [records, grants, counters]) map.clear();
    },
  };
}

const byAge = (one: { created: number }, other: { created: number }) => one.created - other.created;

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
