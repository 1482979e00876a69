import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { createNumbered } from "../../../../src/sources/logs/counting/numbered.ts";

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

function measureHeap(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

it("a key keeps nothing alive of the text that it was cut from", () => {
  const numbered = createNumbered<number>();
  const before = measureHeap();
  for (let index = 0; index < 100; index++) {
    const block = `${index} `.padEnd(500_000, "line of a log ");
    const part = block.slice(0, 40);
    numbered.number(`${part.length} ${part}`, () => index);
  }
  expect(numbered.list.length).toBe(100);
  expect(measureHeap() - before).toBeLessThan(5_000_000);
});
