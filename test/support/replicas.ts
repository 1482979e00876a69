import { randomBytes, randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openRedisStore } from "../../src/oauth/store/redis-store.ts";
import { loadDriver, openSqliteStore } from "../../src/oauth/store/sqlite-store.ts";
import type { Store, StoreOptions } from "../../src/oauth/store/store.ts";
import type { Database } from "../../src/sqlite/driver.ts";
import { createTestTime, startTestConnector, type TestConnectorOptions } from "./connector.ts";
import { findPort } from "./processes.ts";
import { REDIS_SERVER, startRedis } from "./redis.ts";
import { startRoundRobin } from "./round-robin.ts";
import { readFolder } from "./search.ts";

export interface SharedMedium {
  name: string;
  absent: boolean;
  /** Where replicas keep what they share, until `stop`. */
  start(): Promise<Medium>;
}

export interface Medium {
  open: (options: StoreOptions) => ReturnType<typeof openSqliteStore>;
  /** The bytes of every file that it keeps. */
  dump(): Buffer[];
  /** Changes with everything that is written to it. */
  readVersion(): string;
  stop(): Promise<void>;
}

export const media: SharedMedium[] = [
  {
    name: "two replicas on one SQLite file",
    absent: false,
    start: async () => {
      const folder = mkdtempSync(join(tmpdir(), "attack-"));
      const path = join(folder, "store.db");
      const openFile = await loadDriver();
      let watching: Database | undefined;
      return {
        open: (options) => openSqliteStore(path, options),
        // Counts what other connections write (https://sqlite.org/pragma.html#pragma_data_version).
        readVersion: () => {
          watching ??= openFile(path);
          return JSON.stringify(watching.prepare("PRAGMA data_version").all());
        },
        dump: () => readFolder(folder).map(({ bytes }) => bytes),
        stop: async () => {
          watching?.close();
          rmSync(folder, { recursive: true, force: true });
        },
      };
    },
  },
  {
    name: "two replicas on one Redis (redis-server)",
    absent: REDIS_SERVER === undefined,
    start: async () => {
      const redis = await startRedis("--rdbcompression", "no", "--aof-use-rdb-preamble", "no");
      const prefix = `{${randomUUID()}}:`;
      return {
        open: (options) => openRedisStore(redis.url, { ...options, prefix }),
        dump: () => {
          redis.cli("save");
          return readFolder(redis.folder).map(({ bytes }) => bytes);
        },
        readVersion: () =>
          /rdb_changes_since_last_save:\d+/.exec(redis.cli("info", "persistence"))?.[0] ?? "",
        stop: () => redis.stop(),
      };
    },
  },
];

export type Replicas = Awaited<ReturnType<typeof startReplicas>>;

/** Two connectors with one secret on one medium, behind a proxy that takes turns between them. */
export async function startReplicas(medium: Medium, options: TestConnectorOptions = {}) {
  const proxy = await startRoundRobin();
  const secret = options.secret ?? randomBytes(32);
  const time = options.time ?? createTestTime();
  const meeting = createMeeting();
  const start = async () => {
    const port = await findPort();
    const connector = await startTestConnector({
      publicUrl: proxy.publicUrl,
      openStore: async (each) => meeting.attend(await medium.open(each)),
      trustProxy: true,
      ...options,
      secret,
      time,
      port,
    });
    proxy.ports.push(port);
    return Object.assign(connector, { origin: `http://127.0.0.1:${port}` });
  };
  const both = [await start(), await start()] as const;
  return {
    address: proxy.address,
    meet: meeting.call,
    publicUrl: proxy.publicUrl,
    mcp: `${proxy.publicUrl}/mcp`,
    secret,
    time,
    both,
    upstream: () => both.flatMap(({ upstream }) => upstream),
    lines: () => both.flatMap(({ lines }) => lines),
    revokeKey: (key: string) => {
      for (const { revoked } of both) revoked.add(key);
    },
    close: async () => {
      await proxy.close();
      for (const each of both) await each.close();
    },
  };
}

/** Makes a number of readers of one kind of record wait for each other, so that they race each time. */
function createMeeting() {
  const meeting = { kind: "", missing: 0, go: () => {}, all: Promise.resolve() };
  return {
    call: (kind: string, readers: number) => {
      Object.assign(meeting, { kind, missing: readers });
      meeting.all = new Promise((resolve) => {
        meeting.go = resolve;
      });
    },
    attend: (store: Store): Store => ({
      ...store,
      get: async (kind, hash) => {
        const record = await store.get(kind, hash);
        if (kind !== meeting.kind) return record;
        meeting.missing -= 1;
        if (meeting.missing === 0) meeting.go();
        await meeting.all;
        return record;
      },
    }),
  };
}
