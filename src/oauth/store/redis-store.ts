import { type Connection, connectRedis } from "./redis-connection.ts";
import {
  APPLICATIONS,
  CONSUME,
  GET,
  GRANTS,
  HIT,
  PRUNE,
  PUT,
  REMOVE,
  REVOKE,
  UNHIT,
} from "./redis-scripts.ts";
import { createCounterHash } from "./sealing.ts";
import {
  LIMITED_KINDS,
  MAX_WITHOUT_GRANT,
  REVOCATION_KEPT,
  readTokenTime,
  type Store,
  type StoreOptions,
} from "./store.ts";

export interface RedisStoreOptions extends StoreOptions {
  /** The prefix of every key. Its braces keep all keys in one slot, but clusters are still not supported. */
  prefix?: string;
}

/** How many entries of a list one call reads. */
const PAGE = 500;

/**
 * Opens a store in Redis 6 or newer, for replicas on several machines. It is as durable as that Redis: with
 * `appendonly yes` and `appendfsync always`, acknowledged writes survive a crash, but a failover to a Redis replica
 * may lose the latest ones, including revocations. It needs `maxmemory-policy noeviction`.
 * Throws AnalyticsError `usage` for an invalid URL, and `unavailable` if Redis does not answer.
 */
export async function openRedisStore(url: string, options: RedisStoreOptions): Promise<Store> {
  const { clock, secret, report, prefix = "{analytics-mcp}:", maxWithoutGrant = MAX_WITHOUT_GRANT } = options;
  const hashCounterName = createCounterHash(secret);
  const connection = await connectRedis(url, report);
  const { ask, close } = connection;
  const run: Run = (script, ...values) =>
    ask((redis) => redis.eval(script, 1, prefix, ...values.map(encode)));
  await warnOfEviction(connection, report);

  return {
    put: async (record) => {
      const { kind, hash, grantId, clientId, created, expires, consumed, sealed } = record;
      const plain = [grantId ?? "", clientId ?? "", created, expires ?? "", consumed ?? ""];
      const max = LIMITED_KINDS.includes(kind) ? maxWithoutGrant : "";
      const token = readTokenTime(record);
      return (await run(PUT, kind, hash, ...plain, sealed, clock(), max, token)) === 1;
    },
    get: async (kind, hash) => {
      const values = [kind, hash, String(clock())];
      const answer = await ask((redis) => redis.callBuffer("eval", GET, 1, prefix, ...values));
      if (answer === null) return undefined;
      // The script returns every field, a missing one as "".
      const [created, expires, grantId, clientId, consumed, sealed] = answer as Buffer[];
      return {
        kind,
        hash,
        grantId: readText(grantId),
        clientId: readText(clientId),
        created: Number(created),
        expires: readTime(readText(expires)),
        consumed: readTime(readText(consumed)),
        sealed: new Uint8Array(sealed ?? []),
      };
    },
    consume: async (kind, hash, at) => {
      // The script returns nil or these two values.
      const answer = (await run(CONSUME, kind, hash, at, clock())) as [number, string] | null;
      return answer ? { first: answer[0] === 1, consumed: Number(answer[1]) } : undefined;
    },
    remove: async (kind, hash) => (await run(REMOVE, kind, hash)) === 1,
    revokeGrant: async (grantId, at) => (await run(REVOKE, grantId, at, at + REVOCATION_KEPT, clock())) === 1,
    ...createLists(connection, prefix, clock, run),
    hit: async (counter, { max, windowMs }, now) =>
      Number(await run(HIT, hashCounterName(counter), max, windowMs, now)),
    unhit: async (counter, now) => void (await run(UNHIT, hashCounterName(counter), now)),
    check: async () => {
      await ask((redis) => redis.exists(`${prefix}grants`));
    },
    close: async () => close(),
  };
}

type Run = (script: string, ...values: (string | number | Uint8Array)[]) => Promise<unknown>;

function createLists(
  { ask }: Connection,
  prefix: string,
  clock: () => number,
  run: Run,
): Pick<Store, "listGrants" | "listApplications" | "pruneApplications"> {
  const readMembers = (set: string) =>
    ask((redis) => redis.zrangebyscore(`${prefix}${set}`, `(${clock()}`, "+inf"));
  /** Runs a script on all members, a page at a time, so that Redis is not blocked for long. */
  const readRows = async (set: string, script: string) => {
    const members = await readMembers(set);
    const rows: (string | number | null)[][] = [];
    for (let start = 0; start < members.length; start += PAGE) {
      const answer = await run(script, clock(), ...members.slice(start, start + PAGE));
      // The scripts return one row for each member that they find.
      rows.push(...(answer as typeof rows));
    }
    return rows;
  };

  return {
    listGrants: async () => {
      const grants = (await readRows("grants", GRANTS)).map(
        ([grantId, client, created, refreshed, expires, revoked]) => ({
          grantId: String(grantId),
          clientId: client ? String(client) : undefined,
          created: Number(created),
          refreshed: Number(refreshed) || undefined,
          expires: readTime(expires),
          revoked: readTime(revoked),
        }),
      );
      return grants.sort(byAge);
    },
    listApplications: async () => {
      const applications = (await readRows("clients", APPLICATIONS)).map(
        ([clientId, created, expires, grants]) => ({
          clientId: String(clientId),
          created: Number(created),
          expires: readTime(expires),
          grants: Number(grants),
        }),
      );
      return applications.sort(byAge);
    },
    pruneApplications: async (before) => {
      let pruned = 0;
      for (const hash of await readMembers("clients")) {
        pruned += Number(await run(PRUNE, hash, before, clock()));
      }
      return pruned;
    },
  };
}

const byAge = (one: { created: number }, other: { created: number }) => one.created - other.created;

const encode = (value: string | number | Uint8Array) =>
  value instanceof Uint8Array ? Buffer.from(value) : String(value);

const readText = (value: Buffer | undefined) => value?.toString() || undefined;

const readTime = (value: string | number | null | undefined): number | undefined =>
  value === null || value === undefined || value === "" ? undefined : Number(value);

/** If Redis evicts keys, it loses revocations and counters when its memory is full. */
async function warnOfEviction({ ask }: Connection, report: (line: string) => void): Promise<void> {
  const memory = await ask((redis) => redis.info("memory"));
  const [, policy = "noeviction"] = /^maxmemory_policy:(\S+)/m.exec(memory) ?? [];
  if (policy === "noeviction") return;
  report(`Redis drops sign-ins and revocations when its memory is full (${policy}). Set noeviction.`);
}
