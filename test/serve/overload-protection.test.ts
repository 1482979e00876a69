import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterEach, expect, it, vi } from "vitest";
import { createFairScheduler, limitGarbage } from "../../src/serve/overload-protection.ts";

setFlagsFromString("--expose-gc");
const collectNow: () => void = runInNewContext("gc");

afterEach(() => {
  vi.useRealTimers();
  // What a test leaves would be freed while the next one measures.
  collectNow();
});

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

/** Which steps had run at the end of each turn of the event loop. */
async function record(turns: number, begin: (add: (name: string, then?: () => void) => void) => void) {
  const schedule = createFairScheduler();
  const ran: string[] = [];
  begin((name, then) =>
    schedule(() => {
      ran.push(name);
      then?.();
    }),
  );
  const seen: string[] = [];
  for (let turn = 0; turn < turns; turn++) {
    await nextTurn();
    seen.push(ran.join(""));
  }
  return seen;
}

it("runs steps in order, one in each turn of the event loop", async () => {
  const seen = await record(4, (add) => {
    for (const name of ["a", "b", "c"]) add(name);
  });
  expect(seen).toEqual(["a", "ab", "abc", "abc"]);
});

it("runs steps that are added by a step", async () => {
  const seen = await record(4, (add) => add("a", () => add("b", () => add("c"))));
  expect(seen.at(-1)).toBe("abc");
});

it("continues when a step is added after the last one ran", async () => {
  const schedule = createFairScheduler();
  for (let count = 0; count < 3; count++) {
    const taken = new Promise<void>((resolve) => schedule(resolve));
    await taken;
    await nextTurn();
  }
});

/** Bytes: more than V8 may free meanwhile of what other test files have left in this process. */
const GROWTH = 400_000_000;

/** Lets the process be idle for a second of ten, as the interval sees it. */
async function idle() {
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  await vi.advanceTimersByTimeAsync(2_000);
}

/** On a busy machine an idle process may seem busy, too, since it waits for a processor. */
async function idleUntil(holds: () => boolean) {
  do await idle();
  while (!holds());
}

it("collects garbage once when the process is idle after its memory has grown", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  const collect = vi.fn(async () => {});
  const stop = limitGarbage(collect, { idle: 32_000_000, busy: 4 * GROWTH });
  await idle();
  expect(collect).not.toHaveBeenCalled();
  const large = Buffer.alloc(GROWTH);
  const end = performance.now() + 1_000;
  while (performance.now() < end);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(collect).not.toHaveBeenCalled();
  await idleUntil(() => collect.mock.calls.length > 0);
  expect(collect).toHaveBeenCalledOnce();
  await idle();
  expect(collect).toHaveBeenCalledOnce();
  expect(large).toHaveLength(GROWTH);
  stop();
});

it("collects garbage while the process is busy if there is much of it", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  const collect = vi.fn(async () => {});
  const stop = limitGarbage(collect, { idle: 4 * GROWTH, busy: GROWTH / 2 });
  const keepBusy = async () => {
    const end = performance.now() + 300;
    while (performance.now() < end);
    await vi.advanceTimersByTimeAsync(2_000);
  };
  await keepBusy();
  expect(collect).not.toHaveBeenCalled();
  const large = Buffer.alloc(GROWTH);
  await keepBusy();
  expect(collect).toHaveBeenCalledOnce();
  await keepBusy();
  expect(collect).toHaveBeenCalledOnce();
  expect(large).toHaveLength(GROWTH);
  stop();
});

it("frees what nothing refers to", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  const stop = limitGarbage();
  const garbage = new WeakRef({});
  const large = Buffer.alloc(GROWTH);
  await idleUntil(() => garbage.deref() === undefined);
  expect(large).toHaveLength(GROWTH);
  stop();
});
