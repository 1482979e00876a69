import { setTimeout } from "node:timers/promises";
import fc from "fast-check";
import { expect, it } from "vitest";
import { fuzz } from "./fuzz.ts";

const RANDOM = "random";

/** For each random value the time that a run takes, far longer than the property has; those of the corpus take none. */
async function tryFor(seconds: number, check: () => void) {
  let completed = 0;
  await fuzz(
    "stdio",
    fc.constant<unknown>(RANDOM),
    async (value) => {
      if (value !== RANDOM) return;
      await setTimeout(30);
      completed += 1;
      check();
    },
    seconds,
  );
  return completed;
}

it.each([0, 0.001])("a property completes one run, also if it takes longer than %f s", async (seconds) => {
  expect(await tryFor(seconds, () => {})).toBe(1);
});

it("a run that fails after the time is over is reported with its path", async () => {
  const fail = () => expect.fail("it does not hold");
  await expect(tryFor(0.001, fail)).rejects.toThrow(
    /^\["random"\]\nAgain with .* FUZZ_PATH=0\nit does not hold/,
  );
});
