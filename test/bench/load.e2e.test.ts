import { describe, expect, it } from "vitest";
import { execFile } from "../support/child-process.js";
import { REDIS_SERVER } from "../support/redis.ts";

describe("the load run, for seconds", () => {
  const run = async (...args: string[]) => {
    const all = ["bench/run.js", "load", "--sessions", "4", "--seconds", "2", "--pause", "200", "--trial"];
    const { stdout } = await execFile(process.execPath, [...all, ...args]).catch((error) => error);
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
