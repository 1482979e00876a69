import { expect, it } from "vitest";
import { createTurns } from "../../src/serve/fair-scheduler.ts";

const turnOver = () => new Promise((resolve) => setImmediate(resolve));

/** Which steps had been taken at the end of each turn of the event loop. */
async function record(turns: number, begin: (add: (name: string, then?: () => void) => void) => void) {
  const inTurn = createTurns();
  const taken: string[] = [];
  begin((name, then) =>
    inTurn(() => {
      taken.push(name);
      then?.();
    }),
  );
  const seen: string[] = [];
  for (let turn = 0; turn < turns; turn++) {
    await turnOver();
    seen.push(taken.join(""));
  }
  return seen;
}

it("takes steps in order, one a turn of the event loop", async () => {
  const seen = await record(4, (add) => {
    for (const name of ["a", "b", "c"]) add(name);
  });
  expect(seen).toEqual(["a", "ab", "abc", "abc"]);
});

it("takes those that come while another is taken", async () => {
  const seen = await record(4, (add) => add("a", () => add("b", () => add("c"))));
  expect(seen.at(-1)).toBe("abc");
});

it("goes on after the last, when another comes", async () => {
  const inTurn = createTurns();
  for (let count = 0; count < 3; count++) {
    const taken = new Promise<void>((resolve) => inTurn(resolve));
    await taken;
    await turnOver();
  }
});
