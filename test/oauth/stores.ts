import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createMemoryStore } from "../../src/oauth/store/memory-store.ts";
import { openRedisStore } from "../../src/oauth/store/redis-store.ts";
import { openSqliteStore } from "../../src/oauth/store/sqlite-store.ts";
import type { Store, StoredRecord, StoreOptions } from "../../src/oauth/store/store.ts";
import { type OpenDatabase, openWithLibsql, openWithNode } from "../../src/sqlite/driver.ts";
import { REDIS_SERVER, type RedisServer, startRedis } from "../support/redis.ts";

export const SECRET = Buffer.alloc(32, 7);
export const MINUTE = 60_000;

/** A medium that stores are opened on; each one is a replica. */
export interface Medium {
  clock: { now: number };
  /** Lines reported to the log. */
  lines: string[];
  open(more?: Pick<StoreOptions, "maxWithoutGrant">): Promise<Store>;
  close(): Promise<void>;
}

export interface StoreKind {
  name: string;
  /** Whether replicas share it. */
  shared: boolean;
  absent: boolean;
  start(): Promise<Medium>;
}

export function createOptions() {
  const clock = { now: 1_800_000_000_000 };
  const lines: string[] = [];
  const report = (line: string) => void lines.push(line);
  return { clock, lines, options: { clock: () => clock.now, secret: SECRET, report } };
}

export function createFolder(): { folder: string; path: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), "store-"));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  return { folder, path: join(folder, "data", "store.db"), remove };
}

/** The drivers of this Node; libsql always, since the tests install it. */
export const drivers: [string, OpenDatabase][] = Object.entries({
  "node:sqlite": openWithNode(),
  libsql: await openWithLibsql(),
}).flatMap(([name, open]) => (open ? [[name, open]] : []));

let redis: Promise<RedisServer> | undefined;

/** The Redis that the tests of one file share, each with separate keys. */
export async function stopSharedRedis(): Promise<void> {
  await (await redis)?.stop();
}

const createMedium =
  (connect: (options: StoreOptions) => Promise<Store>) =>
  (release: () => void = () => {}): Medium => {
    const { clock, lines, options } = createOptions();
    const opened: Store[] = [];
    return {
      clock,
      lines,
      open: async (more) => {
        const store = await connect({ ...options, ...more });
        opened.push(store);
        return store;
      },
      close: async () => {
        for (const store of opened) await store.close();
        release();
      },
    };
  };

export const storeKinds: StoreKind[] = [
  {
    name: "memory",
    shared: false,
    absent: false,
    start: async () => createMedium(async (options) => createMemoryStore(options))(),
  },
  ...drivers.map(([name, driver]) => ({
    name: `SQLite by ${name}`,
    shared: true,
    absent: false,
    start: async () => {
      const { path, remove } = createFolder();
      return createMedium((options) => openSqliteStore(path, options, driver))(remove);
    },
  })),
  {
    name: "Redis (redis-server)",
    shared: true,
    absent: REDIS_SERVER === undefined,
    start: async () => {
      redis ??= startRedis();
      const { url } = await redis;
      const prefix = `{${randomUUID()}}:`;
      return createMedium((options) => openRedisStore(url, { ...options, prefix }))();
    },
  },
];

/** A record like those of the authorization server. */
export const buildRecord = (hash: string, more: Partial<StoredRecord> = {}): StoredRecord => ({
  kind: "AccessToken",
  hash,
  created: 1_800_000_000_000,
  sealed: Buffer.from(hash),
  ...more,
});

/** Every method; all must fail if the medium does. Grant "g" is that of the record "a". */
export const methods: [string, (store: Store) => Promise<unknown>][] = [
  ["put", (store) => store.put(buildRecord("new", { grantId: "g" }))],
  ["get", (store) => store.get("AccessToken", "a")],
  ["consume", (store) => store.consume("AccessToken", "a", 1)],
  ["remove", (store) => store.remove("AccessToken", "a")],
  ["revokeGrant", (store) => store.revokeGrant("other", 1)],
  ["listGrants", (store) => store.listGrants()],
  ["listApplications", (store) => store.listApplications()],
  ["pruneApplications", (store) => store.pruneApplications(1)],
  ["hit", (store) => store.hit("a", { max: 9, windowMs: 1000 }, 1)],
  ["check", (store) => store.check()],
];
