import { expect, it } from "vitest";
import { createPairNumbers } from "../../../../src/sources/logs/counting/pair-numbers.ts";

/** Of the kinds that logs have: neighbours, both ends of the range, and negative ones, as `parseIpv4` returns them. */
const FIRST = Array.from({ length: 2_000 }, (_, index) => [index, -1 - index, (index << 24) | 7]).flat();
const SECOND = [0, 1, 2 ** 30 - 1];

it("finds the number of each pair, and none of any other", () => {
  const numbers = createPairNumbers();
  const known = [...new Set(FIRST)].flatMap((a) => SECOND.map((b): [number, number] => [a, b]));
  for (const [number, [a, b]] of known.entries()) {
    expect(numbers.find(a, b)).toBeUndefined();
    numbers.set(a, b, number);
  }
  for (const [number, [a, b]] of known.entries()) {
    expect(numbers.find(a, b)).toBe(number);
    expect(numbers.find(a, b + 5)).toBeUndefined();
  }
  const found: [number, number][] = [];
  numbers.forEach((number, a, b) => {
    found[number] = [a, b];
  });
  expect(found).toEqual(known.map(([a, b]) => [a >>> 0, b]));
});
