import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { isLevel } from "../../bench/soak-report.ts";

it("the long run, for seconds, finds nothing wrong while the service fails", {
  timeout: 120_000,
}, async () => {
  const lively = ["--minutes", "0.1", "--sessions", "3", "--pause", "1000"];
  // Whoever meets a stall waits for a time limit.
  const args = ["bench/run.js", "soak", ...lively, "--without", "stalls", "--trial"];
  const { stdout } = await promisify(execFile)(process.execPath, args).catch((error) => error);
  expect(stdout).toContain("Faults: none.");
  expect(stdout).toContain("an error while the service failed");
  for (const asked of ["an unknown tool", "a wrong argument"])
    expect(stdout).toContain(`${asked} is refused`);
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
