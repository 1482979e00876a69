import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { findPort } from "../support/processes.ts";
import { REDIS_SERVER, type RedisServer, startRedis } from "../support/redis.ts";
import { startRoundRobin } from "../support/round-robin.ts";
import { type Served, startAnalytics, startServed } from "../support/served.ts";
import { ask, expectAll, expectReadiness, openSignIns, unavailable } from "../support/under-way.ts";

describe.skipIf(REDIS_SERVER === undefined)("two replicas of serve on one Redis (redis-server)", () => {
  let folder: string;
  let redis: RedisServer;
  let proxy: Awaited<ReturnType<typeof startRoundRobin>>;
  let analytics: Awaited<ReturnType<typeof startAnalytics>>;
  const both: Served[] = [];
  const sides: { publicUrl: string; mcp: string }[] = [];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "faults-"));
    [redis, proxy, analytics] = await Promise.all([
      startRedis("--appendfsync", "always"),
      startRoundRobin(),
      startAnalytics(),
    ]);
    const { publicUrl } = proxy;
    for (const port of [await findPort(), await findPort()]) {
      const place = { folder, port, store: redis.url, publicUrl };
      both.push(await startServed({ ...place, service: analytics.origin }));
      proxy.ports.push(port);
      sides.push({ publicUrl: `http://127.0.0.1:${port}`, mcp: `http://127.0.0.1:${port}/mcp` });
    }
  });
  beforeEach(() => {
    proxy.address.last += 1;
  });
  afterAll(async () => {
    for (const connector of both) await connector.stop("SIGKILL");
    await Promise.all([proxy.close(), analytics.close(), redis.stop()]);
    rmSync(folder, { recursive: true, force: true });
  });

  /** Through the proxy, so from both replicas. */
  const open = () => openSignIns({ publicUrl: proxy.publicUrl, mcp: `${proxy.publicUrl}/mcp` });
  const recover = async () => {
    for (const connector of sides) await expectReadiness(connector);
  };
  const isAlive = async () => {
    for (const { publicUrl } of sides) {
      expect(await ask(`${publicUrl}/healthz`)).toMatchObject({ status: 200 });
    }
    for (const { child, output } of both) {
      expect(child.exitCode).toBe(null);
      expect(output.stderr).not.toContain('"fault"');
    }
  };

  it.each<[string, () => Promise<() => Promise<unknown> | unknown>]>([
    [
      "is killed and started again",
      async () => {
        await redis.kill();
        return redis.start;
      },
    ],
    [
      "falls silent and speaks again",
      async () => {
        const pid = Number(/process_id:(\d+)/.exec(redis.cli("info", "server"))?.[1]);
        process.kill(pid, "SIGSTOP");
        return () => process.kill(pid, "SIGCONT");
      },
    ],
    [
      "is full",
      async () => {
        redis.cli("config", "set", "maxmemory", "1");
        return () => redis.cli("config", "set", "maxmemory", "0");
      },
    ],
  ])("answer 503 while it %s, and recover by themselves with everyone signed in", async (what, cause) => {
    const { writing, reading, goOn } = await open();
    const repair = await cause();
    // At first there is a dead connection that nobody has noticed, later there is none.
    for (let round = 0; round < 2; round++) {
      const read = what === "is full" ? { status: 200 } : unavailable;
      await Promise.all([
        expectAll(writing, unavailable),
        expectAll(reading, read),
        ...sides.map((connector) => expectReadiness(connector, read)),
      ]);
    }
    await isAlive();
    await repair();
    await recover();
    await goOn();
    await isAlive();
  });

  it("ask everyone to sign in if it comes back empty", async () => {
    const { reading } = await open();
    await redis.kill();
    await expectAll(reading, unavailable);
    // Or both would still be ready from before.
    for (const connector of sides) await expectReadiness(connector, unavailable);
    await redis.start();
    redis.cli("flushall");
    await recover();
    await expectAll(reading, { status: 401 });
    const again = await open();
    await again.goOn();
  });
});
