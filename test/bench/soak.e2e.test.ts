import { expect, it } from "vitest";
import { execFile } from "../support/child-process.js";

it("the long run, for seconds, finds nothing wrong while the service fails", async () => {
  const lively = ["--minutes", "0.03", "--sessions", "2", "--pause", "500"];
  // A client that meets a stall waits for its time limit.
  const args = ["bench/run.js", "soak", ...lively, "--without", "stalls", "--trial"];
  const { stdout } = await execFile(process.execPath, args).catch((error) => error);
  expect(stdout).toContain("Faults: none.");
  expect(stdout).toContain("an error while the service failed");
  for (const asked of ["an unknown tool", "a wrong argument"])
    expect(stdout).toContain(`${asked} is refused`);
});
