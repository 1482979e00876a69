import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { replaceSection } from "../../bench/results.ts";
import { agrees } from "../../bench/truth.ts";
import { fitSlope } from "../../bench/watch.ts";
import { REDIS_SERVER } from "../support/redis.ts";

describe("the load run, for seconds", () => {
  const run = async (...args: string[]) => {
    const all = ["bench/run.js", "load", "--sessions", "12", "--seconds", "4", "--pause", "200", "--trial"];
    const { stdout } = await promisify(execFile)(process.execPath, [...all, ...args]).catch((error) => error);
    return stdout as string;
  };

  it("finds nothing wrong with a process and its file", { timeout: 90_000 }, async () => {
    expect(await run()).toContain("Faults: none.");
  });

  it.skipIf(REDIS_SERVER === undefined)(
    "finds nothing wrong with two replicas (redis-server)",
    { timeout: 90_000 },
    async () => {
      expect(await run("--store", "redis", "--replicas", "2")).toContain("Faults: none.");
    },
  );
});

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
