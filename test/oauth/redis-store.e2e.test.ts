import { createServer } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { inspect } from "node:util";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { openPort } from "../../src/http/open-port.ts";
import { openRedisStore } from "../../src/oauth/store/redis-store.ts";
import { REVOCATION_KEPT, type Store } from "../../src/oauth/store/store.ts";
import { otherNodes } from "../support/other-nodes.ts";
import { REDIS_SERVER, type RedisServer, startRedis } from "../support/redis.ts";
import { readFolder, searchFor } from "../support/search.ts";
import { startProxy } from "./redis-proxy.ts";
import { bundleWorker, SMOKE, startWorker } from "./store-workers.ts";
import { buildRecord, createOptions, MINUTE, methods } from "./stores.ts";

const sleep = (time: number) => new Promise((resolve) => setTimeout(resolve, time));

/** Milliseconds: far more than the store's time limits, and less than what waits until Redis is back. */
const SOON = 30_000;

/** Expects every method to fail soon and to say why. */
async function expectUnavailable(store: Store, reason: string, only = methods): Promise<void> {
  const start = performance.now();
  const calls = only.map(async ([name, call]) => {
    const error = await call(store).then(
      (answer) => ({ name, answer }),
      (thrown) => thrown,
    );
    expect(error).toMatchObject({ name: "AnalyticsError", code: "unavailable" });
    expect(error.message).toContain(reason);
    // The driver's error has the address or the command's arguments, so it must not show either.
    expect(inspect(error, { depth: 9, showHidden: true })).not.toMatch(/AccessToken|127\.0\.0\.1/);
  });
  await Promise.all(calls);
  expect(performance.now() - start).toBeLessThan(SOON);
}

async function recover(store: Store): Promise<void> {
  for (let attempt = 0; attempt < 400; attempt++) {
    if (
      await store.hit("recovery", { max: 1_000, windowMs: 1_000 }, 1).then(
        () => true,
        () => false,
      )
    )
      return;
    await sleep(25);
  }
  throw new Error("The store does not recover.");
}

describe.skipIf(REDIS_SERVER === undefined)("a store in Redis (redis-server)", () => {
  let redis: RedisServer;
  let context: ReturnType<typeof createOptions>;
  const opened: Store[] = [];
  const open = async (url = redis.url) => {
    const store = await openRedisStore(url, context.options);
    opened.push(store);
    return store;
  };
  beforeAll(async () => {
    redis = await startRedis("--appendfsync", "always");
  });
  beforeEach(() => {
    context = createOptions();
    redis.cli("flushall");
  });
  afterEach(async () => {
    for (const store of opened.splice(0)) await store.close();
  });
  afterAll(() => redis.stop());

  it("does not retry a call without an answer, since it may have been executed", async () => {
    const proxy = await startProxy(redis.url);
    const store = await open(proxy.url);
    await store.put(buildRecord("a"));
    const answered = proxy.silence("answers");
    const lost = store.consume("AccessToken", "a", 7).catch((error) => error);
    await answered;
    proxy.cut();
    expect(await lost).toMatchObject({ code: "unavailable" });
    await recover(store);
    expect(await store.consume("AccessToken", "a", 8)).toEqual({ first: false, consumed: 7 });
    proxy.close();
  });

  it("connects to the new primary after a failover", async () => {
    const next = await startRedis();
    const proxy = await startProxy(redis.url);
    const store = await open(proxy.url);
    redis.cli("replicaof", "127.0.0.1", "1");
    proxy.lead(next.url);
    await expect(store.put(buildRecord("a"))).rejects.toThrow("read-only replica");
    await recover(store);
    expect(await store.put(buildRecord("a"))).toBe(true);
    redis.cli("replicaof", "no", "one");
    proxy.close();
    await next.stop();
  });

  it.each([
    ["is out of memory", ["config", "set", "maxmemory", "1"], ["config", "set", "maxmemory", "0"]],
    ["is a read-only replica", ["replicaof", "127.0.0.1", "1"], ["replicaof", "no", "one"]],
    [
      "has too few replicas",
      ["config", "set", "min-replicas-to-write", "1"],
      ["config", "set", "min-replicas-to-write", "0"],
    ],
  ])("says so if Redis %s", async (reason, cause, end) => {
    const store = await open();
    await store.put(buildRecord("a", { grantId: "g" }));
    redis.cli(...cause);
    const writing = ["put", "consume", "revokeGrant", "hit"];
    try {
      for (const method of methods.filter(([name]) => writing.includes(name))) {
        // Because of a replica the store reconnects, and until then it only reports that there is no answer.
        await vi.waitFor(() => expectUnavailable(store, reason, [method]), { timeout: 60_000, interval: 50 });
      }
    } finally {
      redis.cli(...end);
    }
    await recover(store);
    expect(await store.get("AccessToken", "a")).toMatchObject({ consumed: undefined });
    for (const [, call] of methods) await call(store);
  });

  it("warns if Redis may evict keys", async () => {
    redis.cli("config", "set", "maxmemory-policy", "volatile-lru");
    await open();
    redis.cli("config", "set", "maxmemory-policy", "noeviction");
    expect(context.lines).toEqual([expect.stringContaining("Set noeviction")]);
  });

  it("does not return a revoked grant's record even if removing it failed", async () => {
    const store = await open();
    await store.put(buildRecord("a", { grantId: "g" }));
    redis.cli("del", "{analytics-mcp}:records:g");
    await store.revokeGrant("g", context.clock.now);
    expect(redis.cli("exists", "{analytics-mcp}:record:AccessToken:a")).toBe("1");
    expect(await store.get("AccessToken", "a")).toBeUndefined();
    expect(await store.consume("AccessToken", "a", context.clock.now)).toBeUndefined();
  });

  it("keeps records that never expire beside others that do", async () => {
    const store = await open();
    const expires = context.clock.now + 200;
    await store.put(buildRecord("a", { grantId: "g", clientId: "c", expires }));
    await store.put(buildRecord("a", { grantId: "g", clientId: "c" }));
    await store.put(buildRecord("ends", { grantId: "g", clientId: "c", expires }));
    await sleep(400);
    expect(await store.get("AccessToken", "a")).toBeDefined();
    expect(await store.listGrants()).toMatchObject([{ grantId: "g", clientId: "c" }]);
    await store.revokeGrant("g", context.clock.now);
    expect(redis.cli("exists", "{analytics-mcp}:record:AccessToken:a")).toBe("0");
  });

  it("keeps no entry of a removed or pruned client", async () => {
    const store = await open();
    for (const clientId of ["removed", "pruned"]) {
      await store.put(buildRecord(clientId, { kind: "Client", clientId }));
    }
    expect(redis.cli("zcard", "{analytics-mcp}:clients")).toBe("2");
    await store.remove("Client", "removed");
    expect(redis.cli("zcard", "{analytics-mcp}:clients")).toBe("1");
    await store.pruneApplications(context.clock.now + 1);
    expect(redis.cli("keys", "*")).toBe("");
  });

  it("leaves a removed record in the append-only file until Redis rewrites that file", async () => {
    const mark = "ciphertext-with-a-key-inside";
    const own = await startRedis("--rdbcompression", "no");
    const store = await openRedisStore(own.url, createOptions().options);
    try {
      await store.put(buildRecord("a", { sealed: Buffer.from(mark), grantId: "g" }));
      await store.revokeGrant("g", 1);
      const find = () =>
        searchFor(
          [mark],
          readFolder(own.folder).map(({ bytes }) => bytes),
        );
      await expect.poll(find).toEqual([mark]);
      own.cli("bgrewriteaof");
      await expect.poll(find).toEqual([]);
    } finally {
      await store.close();
      await own.stop();
    }
  });

  it("never shows the URL's password", async () => {
    redis.cli("config", "set", "requirepass", "right-password");
    const canary = "wrong-canary-password";
    const url = redis.url.replace("//", `//default:${canary}@`);
    const wrong = await open(url).catch((error) => error);
    const none = await open().catch((error) => error);
    const store = await open(url.replace(canary, "right-password"));
    await store.check();
    redis.cli("-a", "right-password", "config", "set", "requirepass", "");
    expect(wrong).toMatchObject({
      code: "unavailable",
      message: expect.stringContaining("not accept the password"),
    });
    expect(none).toMatchObject({
      code: "unavailable",
      message: expect.stringContaining("requires a password"),
    });
    const all = inspect([wrong, none, context.lines], { depth: 9, showHidden: true });
    expect(all).not.toMatch(/canary|right-password|127\.0\.0\.1/);
  });

  it("works bundled, under every Node, and writes nothing to stderr (also TEST_NODES)", async () => {
    const { script, remove } = await bundleWorker();
    for (const node of [process.execPath, ...otherNodes]) {
      redis.cli("flushall");
      const { stdout, stderr } = await startWorker([script, "smoke", redis.url], [node]).end();
      expect(stderr).toBe("");
      expect(JSON.parse(stdout)).toEqual(SMOKE);
    }
    remove();
  });

  it("fails after it was closed", async () => {
    const store = await openRedisStore(redis.url, context.options);
    await store.close();
    await expectUnavailable(store, "Redis does not answer");
    expect(context.lines).toEqual([]);
  });
});

/** These wait for time limits, so each has a Redis of its own and they wait side by side. */
describe.skipIf(REDIS_SERVER === undefined).concurrent("a store in a Redis of its own (redis-server)", () => {
  const [stores, servers]: [Store[], RedisServer[]] = [[], []];
  afterAll(async () => {
    for (const store of stores) await store.close();
    for (const server of servers) await server.stop();
  });
  const openOwn = async () => {
    const redis = await startRedis("--appendfsync", "always");
    servers.push(redis);
    const context = createOptions();
    const open = async (url = redis.url) => {
      const store = await openRedisStore(url, context.options);
      stores.push(store);
      return store;
    };
    return { redis, context, open };
  };

  it("fails fast while Redis is down, recovers by itself, and keeps what it acknowledged", async () => {
    const { redis, context, open } = await openOwn();
    const store = await open();
    await store.put(buildRecord("a", { grantId: "g" }));
    await store.consume("AccessToken", "a", 7);
    await redis.kill();
    for (let round = 0; round < 3; round++) {
      await expectUnavailable(store, "Redis does not answer");
      await sleep(300);
    }
    // In sequence: no call waits for the next attempt to connect.
    const start = performance.now();
    for (let round = 0; round < 40; round++) await expect(store.check()).rejects.toThrow();
    expect(performance.now() - start).toBeLessThan(4_000);
    await redis.start();
    await recover(store);
    expect(await store.consume("AccessToken", "a", 8)).toEqual({ first: false, consumed: 7 });
    for (const [, call] of methods) await call(store);
    // One line each, however many attempts were made.
    expect(context.lines).toEqual([
      "Lost the connection to Redis. Sign-ins are refused until it is back.",
      "The connection to Redis is back.",
    ]);
  });

  it("fails fast while Redis is silent, and recovers when it answers again", async () => {
    const { redis, open } = await openOwn();
    const store = await open();
    // A call that throws may still take effect later, so the state of "a" is unknown.
    await store.put(buildRecord("kept"));
    const pid = Number(/process_id:(\d+)/.exec(redis.cli("info", "server"))?.[1]);
    process.kill(pid, "SIGSTOP");
    await expectUnavailable(store, "Redis does not answer");
    await sleep(2_500);
    await expectUnavailable(store, "Redis does not answer");
    process.kill(pid, "SIGCONT");
    await recover(store);
    expect(await store.get("AccessToken", "kept")).toBeDefined();
  });

  it("replaces a connection that died silently", async () => {
    const { redis, open } = await openOwn();
    const proxy = await startProxy(redis.url);
    const store = await open(proxy.url);
    await store.check();
    // As if a firewall dropped the connection.
    void proxy.silence("both");
    await expectUnavailable(store, "Redis does not answer");
    await recover(store);
    proxy.close();
  });

  it("lets Redis expire everything in the end", async ({ expect }) => {
    const { redis, context, open } = await openOwn();
    const store = await open();
    // In real time, because Redis expires the keys.
    const expires = context.clock.now + 2_000;
    const plain = { grantId: "g", clientId: "c", expires };
    for (const hash of ["a", "b"]) await store.put(buildRecord(hash, plain));
    await store.put(buildRecord("client", { kind: "Client", clientId: "c", expires }));
    await store.hit("a", { max: 9, windowMs: 2_000 }, context.clock.now);
    await expect.poll(() => redis.cli("keys", "*")).toBe("");
    // Redis lists no key that has expired, and removes it somewhat later.
    const countExpired = () => Number(/^expired_keys:(\d+)/m.exec(redis.cli("info", "stats"))?.[1]);
    await expect.poll(countExpired).toBeGreaterThan(6);
    await store.put(buildRecord("a", { ...plain, expires: context.clock.now + MINUTE }));
    await store.revokeGrant("g", context.clock.now);
    const kept = redis.cli("keys", "*").split("\n").sort();
    expect(kept).toEqual(["{analytics-mcp}:grant:g", "{analytics-mcp}:grants"]);
    for (const key of kept) expect(Number(redis.cli("pttl", key))).toBeGreaterThan(29 * 24 * 60 * MINUTE);
    const far = context.clock.now + 2 * REVOCATION_KEPT;
    await store.put(buildRecord("b", { grantId: "far", expires: far }));
    await store.revokeGrant("far", context.clock.now);
    expect(Number(redis.cli("pttl", "{analytics-mcp}:grant:far"))).toBeGreaterThan(59 * 24 * 60 * MINUTE);
  });
});

const LOCAL = { host: "127.0.0.1", port: 0 };

describe.concurrent("a store in a Redis that does not run", () => {
  it("fails soon", async () => {
    const { options, lines } = createOptions();
    const start = performance.now();
    await expect(openRedisStore("redis://:secret@127.0.0.1:1", options)).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringContaining("Redis does not answer"),
    });
    expect(performance.now() - start).toBeLessThan(SOON);
    expect(lines).toEqual([]);
  });

  it("is unavailable if a rediss URL finds no valid certificate", async () => {
    const server = createTlsServer({}).on("tlsClientError", () => {});
    const port = await openPort(server, LOCAL);
    await expect(openRedisStore(`rediss://127.0.0.1:${port}`, createOptions().options)).rejects.toMatchObject(
      {
        code: "unavailable",
        message: expect.stringContaining("does not trust the certificate"),
      },
    );
    server.close();
  });

  it.each(["redis", "rediss"])(
    "is unavailable where something accepts and says nothing (%s)",
    async (scheme) => {
      const server = createServer(() => {});
      const port = await openPort(server, LOCAL);
      const start = performance.now();
      const { options } = createOptions();
      await expect(openRedisStore(`${scheme}://127.0.0.1:${port}`, options)).rejects.toMatchObject({
        code: "unavailable",
      });
      expect(performance.now() - start).toBeLessThan(SOON);
      server.close();
    },
  );
});
