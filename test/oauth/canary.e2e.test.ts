import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openRedisStore } from "../../src/oauth/store/redis-store.ts";
import { createSealing } from "../../src/oauth/store/sealing.ts";
import { openSqliteStore } from "../../src/oauth/store/sqlite-store.ts";
import type { Store } from "../../src/oauth/store/store.ts";
import { REDIS_SERVER, startRedis } from "../support/redis.ts";
import { readFolder, searchFor } from "../support/search.ts";
import { createFolder, createOptions, drivers, MINUTE, SECRET } from "./stores.ts";

const sealing = createSealing(SECRET, () => {});
const { options, clock } = createOptions();

/** Enough that a database writes many pages. */
const GRANTS = 20;

/** Does everything that a store does; returns the texts that must not be found anywhere. */
async function beBusy(store: Store): Promise<string[]> {
  const secrets: string[] = [];
  const make = () => {
    const secret = randomBytes(24).toString("base64url");
    secrets.push(secret);
    return secret;
  };
  for (let index = 0; index < GRANTS; index++) {
    const grantId = `grant-${index}`;
    const apiKey = make();
    for (const kind of ["AuthorizationCode", "AccessToken", "RefreshToken", "Interaction", "Session"]) {
      const token = make();
      const plain = { grantId, clientId: "client-plain", created: clock.now, expires: clock.now + MINUTE };
      const record = () => ({
        ...plain,
        ...sealing.seal(kind, token, { apiKey, jti: token, cookie: make() }),
      });
      await store.put(record());
      await store.put(record());
      expect(sealing.open((await store.get(kind, record().hash)) ?? record(), token)).toMatchObject({
        apiKey,
      });
      await store.consume(kind, record().hash, clock.now);
      if (index % 3 === 0) await store.remove(kind, record().hash);
    }
    const address = `198.51.100.${index}`;
    secrets.push(address);
    await store.hit(address, { max: 9, windowMs: MINUTE }, clock.now);
    if (index % 4 === 0) await store.revokeGrant(grantId, clock.now);
  }
  await store.check();
  return secrets;
}

/** The texts that are found in any file of a folder, plain or encoded. */
function search(folder: string, texts: string[]): { found: string[]; files: string[] } {
  const files = readFolder(folder);
  return {
    found: searchFor(
      texts,
      files.map(({ bytes }) => bytes),
    ),
    files: files.map(({ name }) => name),
  };
}

it.each(drivers)(
  "a SQLite file, its log and its index show no token, key or address (%s)",
  async (_, driver) => {
    const { folder, path, remove } = createFolder();
    const store = await openSqliteStore(path, options, driver);
    const secrets = await beBusy(store);
    const { found, files } = search(folder, secrets);
    expect(files).toEqual(expect.arrayContaining(["store.db", "store.db-wal", "store.db-shm"]));
    expect(found).toEqual([]);
    // The search works.
    expect(search(folder, ["client-plain", `grant-${GRANTS - 1}`]).found).toHaveLength(2);
    await store.close();
    expect(search(folder, secrets).found).toEqual([]);
    remove();
  },
  120_000,
);

it.skipIf(REDIS_SERVER === undefined)(
  "a dump of Redis and its journal show no token, key or address (redis-server)",
  async () => {
    const redis = await startRedis("--rdbcompression", "no", "--aof-use-rdb-preamble", "no");
    const store = await openRedisStore(redis.url, options);
    const secrets = await beBusy(store);
    redis.cli("save");
    const { found } = search(redis.folder, secrets);
    expect(existsSync(join(redis.folder, "dump.rdb"))).toBe(true);
    expect(found).toEqual([]);
    expect(search(redis.folder, ["client-plain", `grant-${GRANTS - 1}`]).found).toHaveLength(2);
    await store.close();
    await redis.stop();
  },
  120_000,
);
