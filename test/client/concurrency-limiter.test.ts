import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { createConcurrencyLimiter } from "../../src/client/concurrency-limiter.ts";

describe("the concurrency limiter", () => {
  it("rejects an aborted caller at once, without running it", async () => {
    const inSlot = createConcurrencyLimiter(1);
    let release: () => void = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const never = new AbortController().signal;
    const first = inSlot(() => held, never);
    const controller = new AbortController();
    const ran: string[] = [];
    const leaving = inSlot(async () => ran.push("left"), controller.signal);
    const staying = inSlot(async () => ran.push("stayed"), never);
    await turn();
    controller.abort(new Error("left"));
    await expect(leaving).rejects.toThrow("left");
    release();
    await Promise.all([first, staying]);
    expect(ran).toEqual(["stayed"]);
  });

  it("keeps its limit after many runs, failures and aborts", async () => {
    const inSlot = createConcurrencyLimiter(3);
    let running = 0;
    let most = 0;
    const run = async () => {
      most = Math.max(most, ++running);
      await turn();
      running--;
      if (most > 2) throw new Error("some fail");
    };
    const never = new AbortController().signal;
    for (let round = 0; round < 5; round++) {
      const controller = new AbortController();
      const leaving = Array.from({ length: 10 }, () => inSlot(run, controller.signal));
      const staying = Array.from({ length: 10 }, () => inSlot(run, never));
      controller.abort(new Error("left"));
      await Promise.allSettled([...leaving, ...staying]);
      expect([running, most]).toEqual([0, 3]);
    }
    const order: number[] = [];
    await Promise.all([1, 2, 3, 4, 5].map((each) => inSlot(async () => order.push(each), never)));
    expect(order).toEqual([1, 2, 3, 4, 5]);
  });
});
