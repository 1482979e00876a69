import { describe, expect, it } from "vitest";
import { isByChance, learnUsual, type Sensitivity } from "../../src/reports/usual-range.ts";

const round = ({ expected, least, most }: ReturnType<ReturnType<typeof learnUsual>>) =>
  [expected, least, most].map((value) => Math.round(10 * value) / 10);

/** Eight weeks of days, the last one yesterday. */
const days = (numberOf: (day: number) => number) =>
  Array.from({ length: 56 }, (_, index) => ({ day: index - 56, value: numberOf(index - 56) }));

const learn = (numberOf: (day: number) => number, sensitivity: Sensitivity = "normal") =>
  learnUsual(days(numberOf), true, sensitivity);

describe("what is expected", () => {
  it.each<[string, (day: number) => number, number]>([
    ["an even site", () => 1_000, 1_000],
    ["of one of few", () => 1, 1],
    ["of nothing", () => 0, 0],
    ["a day that is unlike the others", (day) => (day % 7 === 0 ? 200 : 1_000), 200],
    ["a day of which nothing is usual", (day) => (day % 7 === 0 ? 0 : 1_000), 0],
    ["is not moved by a few odd days", (day) => (day === -7 || day === -15 ? 90_000 : 1_000), 1_000],
    ["is not moved by days without anybody", (day) => (day > -20 && day < -16 ? 0 : 1_000), 1_000],
    ["a level that is new", (day) => (day < -30 ? 700 : 1_000), 1_000],
  ])("%s", (_, numberOf, expected) => {
    const found = learn(numberOf)([0]).expected;
    expect(Math.abs(found - expected)).toBeLessThanOrEqual(expected * 0.15);
  });

  it("follows growth, most of it", () => {
    const { expected } = learn((day) => 1_000 * 1.05 ** (day / 7))([0]);
    expect(expected).toBeGreaterThan(940);
    expect(expected).toBeLessThan(1_000);
  });
});

describe("the usual range", () => {
  it.each<[string, () => number[], number[]]>([
    [
      "has at least a quarter below and half above",
      () => round(learn(() => 10_000)([0])),
      [10_000, 7_500, 15_000],
    ],
    [
      "of some days is that of their sum",
      () => round(learn(() => 10_000)([0, 1, 2])),
      [30_000, 22_500, 45_000],
    ],
    ["after nothing allows a few", () => round(learn(() => 0)([0])), [0, 0, 6.1]],
    [
      "of rates is not what chance explains of counts",
      () =>
        round(
          learnUsual(
            days(() => 40),
            false,
            "normal",
          )([0]),
        ),
      [40, 30, 60],
    ],
  ])("%s", (_, find, expected) => {
    expect(find()).toEqual(expected);
  });

  it("is wider the less people there are, the more days differ, and the fewer are known", () => {
    const differ = (part: number) => (day: number) =>
      Math.round(1_000 * (day % 2 === 0 ? 1 - part : 1 + part));
    const partOf = ({ expected, least }: ReturnType<ReturnType<typeof learn>>) => least / expected;
    expect(partOf(learn(() => 40)([0]))).toBeLessThan(partOf(learn(() => 400)([0])));
    expect(partOf(learn(differ(0.2))([0]))).toBeLessThan(partOf(learn(differ(0.1))([0])));
    const young = learnUsual(days(differ(0.2)).slice(-28), true, "normal")([0]);
    expect(partOf(young)).toBeLessThan(partOf(learn(differ(0.2))([0])));
  });

  it("is wider with a low sensitivity, and narrower with a high one", () => {
    const ranges = (["low", "normal", "high"] as const).map((each) => round(learn(() => 10_000, each)([0])));
    expect(ranges).toEqual([
      [10_000, 6_250, 17_500],
      [10_000, 7_500, 15_000],
      [10_000, 8_125, 13_750],
    ]);
  });
});

it("chance explains differences up to three times the root of the sum", () => {
  expect([isByChance(20, 5), isByChance(20, 4)]).toEqual([true, false]);
  expect([isByChance(20, 44), isByChance(20, 45)]).toEqual([true, false]);
});
