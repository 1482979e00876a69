import { expect, it } from "vitest";
import { createFairScheduler } from "../../src/serve/connector-server.ts";

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
