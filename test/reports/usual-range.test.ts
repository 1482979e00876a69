import { describe, expect, it } from "vitest";
import { findUsualRange, isByChance } from "../../src/reports/usual-range.ts";

const round = ({ median, least, most }: ReturnType<typeof findUsualRange>) =>
  [median, least, most].map((value) => Math.round(10 * value) / 10);

describe("the usual range of counts", () => {
  it.each<[string, number[], number[]]>([
    // Deviations of 100, 0, 100, 200, 0, 100, 300, 0: their median is 100.
    ["three scaled deviations", [900, 1000, 1100, 1200, 1000, 900, 1300, 1000], [1000, 555.2, 1444.8]],
    ["is not moved by an odd day", [900, 1000, 1100, 9999, 1000, 900, 1300, 1000], [1000, 555.2, 1444.8]],
    ["has a quarter of the median", Array(8).fill(10_000), [10_000, 7_500, 12_500]],
    ["has what chance explains of few", Array(8).fill(20), [20, 5, 44]],
    ["begins at zero", Array(8).fill(2), [2, 0, 14]],
    ["after nothing", Array(8).fill(0), [0, 0, 9]],
    ["of an odd number", [10_000, 20_000, 10_000], [10_000, 7_500, 12_500]],
  ])("%s", (_, earlier, expected) => {
    expect(round(findUsualRange(earlier, true))).toEqual(expected);
  });

  it("ends where chance ends", () => {
    const { least, most } = findUsualRange(Array(8).fill(20), true);
    expect([isByChance(20, least), isByChance(20, least - 1)]).toEqual([true, false]);
    expect([isByChance(20, most), isByChance(20, most + 1)]).toEqual([true, false]);
  });
});

it("averages are not counts of anybody, so that chance says nothing about them", () => {
  expect(round(findUsualRange(Array(8).fill(40), false))).toEqual([40, 30, 50]);
});
