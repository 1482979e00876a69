import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it, vi } from "vitest";
import { createMemoryStore } from "../../src/oauth/store/memory-store.ts";
import { buildRecord, createOptions } from "./stores.ts";

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
    { timeout: 10_000 },
  );
  await store.close();
});
