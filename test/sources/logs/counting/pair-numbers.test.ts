import { expect, it } from "vitest";
import { createPairNumbers } from "../../../../src/sources/logs/counting/pair-numbers.ts";

/** Of the kinds that logs have: neighbours, both ends of the range, and negative ones, as `parseIpv4` returns them. */
const FIRST = Array.from({ length: 2_000 }, (_, index) => [index, -1 - index, (index << 24) | 7]).flat();
const SECOND = [0, 1, 2 ** 30 - 1];

it("finds the number of each pair, and none of any other", () => {
  const numbers = createPairNumbers();
  const known = [...new Set(FIRST)].flatMap((a) => SECOND.map((b): [number, number] => [a, b]));
  const free = known.map(([a, b], number) => {
    const before = numbers.find(a, b);
    numbers.set(a, b, number);
    return before;
  });
  expect(new Set(free)).toEqual(new Set([undefined]));
  expect(known.map(([a, b]) => numbers.find(a, b))).toEqual([...known.keys()]);
  expect(new Set(known.map(([a, b]) => numbers.find(a, b + 5)))).toEqual(new Set([undefined]));
  const found: [number, number][] = [];
  numbers.forEach((number, a, b) => {
    found[number] = [a, b];
  });
  expect(found).toEqual(known.map(([a, b]) => [a >>> 0, b]));
});
