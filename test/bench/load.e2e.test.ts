import { expect, it } from "vitest";
import { execFile } from "../support/child-process.js";
import { REDIS_SERVER } from "../support/redis.ts";

/** The long run does the same with one process and a file. */
it.skipIf(REDIS_SERVER === undefined)(
  "the load run, for seconds, finds nothing wrong with two replicas (redis-server)",
  async () => {
    const short = ["--sessions", "2", "--seconds", "0.5", "--pause", "100", "--trial"];
    const args = ["bench/run.js", "load", ...short, "--store", "redis", "--replicas", "2"];
    const { stdout } = await execFile(process.execPath, args).catch((error) => error);
    expect(stdout).toContain("Faults: none.");
    expect(stdout).toMatch(/^\| of one core, on average \| [1-9]\d* % \|$/m);
  },
);
