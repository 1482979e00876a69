import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { createConcurrencyLimiter, createSingleFlight } from "../../src/client/concurrency.ts";

const cancelled = { code: "cancelled", message: "The call was cancelled." };

/** Each flight is ended by the test. */
function openFlights() {
  const share = createSingleFlight<string>();
  const flights: { land: (answer: string) => void; signal: AbortSignal }[] = [];
  const ask = (signal?: AbortSignal) =>
    share("key", (within) => new Promise((land) => void flights.push({ land, signal: within })), signal);
  return { ask, flights };
}

it("a caller that is already aborted starts nothing", async () => {
  const { ask, flights } = openFlights();
  await expect(ask(AbortSignal.abort())).rejects.toMatchObject(cancelled);
  expect(flights).toEqual([]);
});

it("an aborted flight does not affect the next one", async () => {
  const { ask, flights } = openFlights();
  const controller = new AbortController();
  const left = ask(controller.signal);
  controller.abort();
  await expect(left).rejects.toMatchObject(cancelled);
  const asked = ask();
  expect(flights.map(({ signal }) => signal.aborted)).toEqual([true, false]);
  flights[0]?.land("late");
  await new Promise(setImmediate);
  const shared = ask();
  expect(flights).toHaveLength(2);
  flights[1]?.land("right");
  expect(await Promise.all([asked, shared])).toEqual(["right", "right"]);
  void ask();
  expect(flights).toHaveLength(3);
});

it("an abort after the result affects nobody", async () => {
  const { ask, flights } = openFlights();
  const controller = new AbortController();
  const answer = ask(controller.signal);
  flights[0]?.land("right");
  await answer;
  await new Promise(setImmediate);
  const next = ask();
  controller.abort();
  expect(flights.map(({ signal }) => signal.aborted)).toEqual([false, false]);
  flights[1]?.land("next");
  expect(await next).toBe("next");
});

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
    await Promise.all([1, 2, 3, 4, 5].map((number) => inSlot(async () => order.push(number), never)));
    expect(order).toEqual([1, 2, 3, 4, 5]);
  });
});
