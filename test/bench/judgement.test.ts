import { describe, expect, it } from "vitest";
import { fitSlope } from "../../bench/report.ts";
import { replaceSection } from "../../bench/results.ts";
import { isLevel } from "../../bench/soak-report.ts";
import { agrees } from "../../bench/truth.ts";

describe("what the load run judges by", () => {
  it.each<[string, unknown, boolean]>([
    ["the same", { a: 1, rows: [{ b: "x" }, { b: null }] }, true],
    ["less, which can be read off the rest", { rows: [{}, { b: null }] }, true],
    ["another number", { a: 2 }, false],
    ["a row less", { rows: [{ b: "x" }] }, false],
    ["a member that the service has not", { c: 1 }, false],
    ["a list in the place of a number", { a: [] }, false],
  ])("%s", (_, said, verdict) => {
    expect(agrees(said, { a: 1, rows: [{ b: "x" }, { b: null }] })).toBe(verdict);
  });

  it("the slope of the nearest line", () => {
    expect(fitSlope([0, 1, 2, 3].map((x) => [x, 7 + 3 * x]))).toBeCloseTo(3);
    expect(fitSlope([0, 1, 2, 3].map((x) => [x, x % 2]))).toBeCloseTo(0.2);
  });

  it("writes its own section alone", () => {
    const CHAPTER = "## The connector under load";
    const document =
      "# Measured\n\n## The connector under load\n\nHow.\n\n### A\n\nold\n\n### B\n\nb\n\n## Other\n\n### C\n\no\n";
    const replaced = document.replace("old", "new");
    expect(replaceSection(document, CHAPTER, "### A", "### A\n\nnew")).toBe(replaced);
    const added = document.replace("b\n\n## Other", "b\n\n### C\n\nc\n\n## Other");
    expect(replaceSection(document, CHAPTER, "### C", "### C\n\nc")).toBe(added);
  });
});

describe("what the long run takes for level", () => {
  const points = Array.from({ length: 30 }, (_, index) => index);
  it.each<[string, number[], boolean]>([
    ["a line", points.map(() => 40), true],
    ["warming up", points.map((index) => Math.min(40, 20 + 3 * index)), true],
    ["what comes and goes", points.map((index) => 40 + (index % 5) * 30), true],
    ["what rises slowly", points.map((index) => 40 + index / 2), false],
    ["what rises below what comes and goes", points.map((index) => 20 + index + (index % 5) * 30), false],
  ])("%s", (_, values, level) => {
    expect(isLevel(values)).toBe(level);
  });
});
