import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it, vi } from "vitest";
import { createMemoryStore } from "../../src/oauth/store/memory-store.ts";
import { buildRecord, createOptions, MINUTE } from "./stores.ts";

it("a store in memory frees expired records", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const { options, clock } = createOptions();
  const store = createMemoryStore(options);
  const sealed = Buffer.alloc(10_000);
  collect();
  const before = process.memoryUsage().arrayBuffers;
  for (let index = 0; index < 10_000; index++) {
    clock.now++;
    await store.put(buildRecord(`${index}`, { sealed, grantId: `g${index}`, expires: clock.now + 50 }));
  }
  // Of 100 MB, the last 50 records and those not yet swept remain; memory is freed gradually.
  await vi.waitFor(
    () => {
      collect();
      expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(5_000_000);
    },
    { timeout: 60_000 },
  );
  await store.close();
});

it("a store in memory keeps at most 16 MB of each kind of record that strangers can cause", async () => {
  const { options } = createOptions();
  const store = createMemoryStore(options);
  const sealed = Buffer.alloc(9_000);
  for (const kind of ["Client", "Interaction", "ReplayDetection"]) {
    for (let index = 0; index < 3_000; index++) {
      await store.put(buildRecord(`${index}`, { kind, clientId: `${index}`, sealed }));
    }
    const kept = Array.from({ length: 3_000 }, (_, index) => store.get(kind, `${index}`));
    const isKept = (await Promise.all(kept)).map((record) => record !== undefined);
    // A record takes its sealed value and an estimated 1,000 bytes.
    expect([kind, isKept.indexOf(true), isKept.lastIndexOf(false)]).toEqual([kind, 1_400, 1_399]);
  }
  await store.close();
});

it("a store in memory keeps at most 10,000 grants and ends the oldest", async () => {
  const { options } = createOptions();
  const store = createMemoryStore({ ...options, maxWithoutGrant: 1 });
  const register = (clientId: string) => store.put(buildRecord(clientId, { kind: "Client", clientId }));
  const grant = (clientId: string) => store.put(buildRecord(clientId, { grantId: clientId, clientId }));
  await register("first");
  await grant("first");
  for (let index = 0; index < 9_999; index++) await grant(`${index}`);
  await register("x");
  await register("y");
  // Applications with grants are not counted.
  expect(await store.get("Client", "first")).toBeDefined();
  expect(await store.get("Client", "x")).toBeUndefined();
  await grant("last");
  const grants = await store.listGrants();
  expect([grants.length, grants[0]?.grantId]).toEqual([10_000, "0"]);
  expect(await store.get("AccessToken", "first")).toBeUndefined();
  // Without a grant, it is one of those that are limited.
  await register("z");
  expect(await store.get("Client", "first")).toBeUndefined();
  await store.close();
});

it("a store in memory counts for 50,000 names, and forgets the oldest", async () => {
  const { options, clock } = createOptions();
  const store = createMemoryStore(options);
  const hit = (name: string) => store.hit(name, { max: 1, windowMs: MINUTE }, clock.now);
  await hit("first");
  for (let index = 0; index < 49_999; index++) await hit(`${index}`);
  expect(await hit("first")).toBe(MINUTE);
  await hit("last");
  expect(await hit("0")).toBe(MINUTE);
  expect(await hit("first")).toBe(0);
  await store.close();
});
