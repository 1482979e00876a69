import { mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bundleWorker, startWorker } from "../oauth/store-workers.ts";
import { execFileSync } from "../support/child-process.js";
import { register } from "../support/oauth-client.ts";
import { findPort, findProgram } from "../support/processes.ts";
import { type Served, startAnalytics, startServed } from "../support/served.ts";
import { ask, expectAll, expectReadiness, openSignIns, unavailable } from "../support/under-way.ts";

let analytics: Awaited<ReturnType<typeof startAnalytics>>;
let worker: Awaited<ReturnType<typeof bundleWorker>>;
beforeAll(async () => {
  [analytics, worker] = await Promise.all([startAnalytics(), bundleWorker()]);
});
afterAll(async () => {
  await served.stop("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
  worker.remove();
  await analytics.close();
});

let folder: string;
let data: string;
let store: string;
let port: number;
let served: Served;
const start = async () => {
  const env = { NODE_OPTIONS: `--import=${resolve("test/support/read-only.js")}` };
  served = await startServed({ folder, port, store, env, service: analytics.origin });
};
// One process for all faults: it recovers from each.
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "faults-"));
  data = join(folder, "data");
  store = join(data, "store.db");
  port = await findPort();
  await start();
});

const prlimit = findProgram("prlimit");
const limit = (size: string) => execFileSync(prlimit ?? "", ["--pid", `${served.pid}`, `--fsize=${size}:`]);

interface Fault {
  name: string;
  absent?: boolean;
  /** Whether requests that only read are still answered. */
  reads: boolean;
  /** What the log says. */
  reason: string;
  /** Causes the fault; returns what ends it. */
  cause(): Promise<() => unknown>;
}

const faults: Fault[] = [
  {
    name: "full: its file may not grow (prlimit)",
    absent: prlimit === undefined,
    reads: true,
    reason: "its disk cannot be read or written",
    cause: async () => {
      limit("0");
      return () => limit("unlimited");
    },
  },
  {
    name: "locked by another process, while many want to write",
    reads: true,
    reason: "another process has locked its file",
    cause: async () => {
      const holder = startWorker([worker.script, "lock", store]);
      await holder.until("locked");
      const crowd = Array.from({ length: 50 }, () => register(served));
      return async () => {
        expect(new Set((await Promise.all(crowd)).map(({ status }) => status))).toEqual(new Set([503]));
        await holder.kill();
      };
    },
  },
  {
    name: "read-only",
    reads: true,
    reason: "its file is read-only",
    cause: async () => {
      process.kill(served.pid, "SIGUSR2");
      await expect.poll(() => served.output.stderr).toContain("query_only true");
      return async () => {
        process.kill(served.pid, "SIGUSR2");
        await expect.poll(() => served.output.stderr).toContain("query_only false");
      };
    },
  },
  {
    name: "gone with its folder",
    reads: false,
    reason: "its file was removed or replaced",
    cause: async () => {
      renameSync(data, `${data}.away`);
      return () => renameSync(`${data}.away`, data);
    },
  },
];

describe("serve, on a store that is", () => {
  for (const { name, absent = false, reads, reason, cause } of faults) {
    it.skipIf(absent)(`${name}, answers 503 and recovers by itself`, async () => {
      const said = served.output.stderr.length;
      const { writing, reading, goOn } = await openSignIns(served);
      const repair = await cause();
      await Promise.all([
        expectAll(writing, unavailable),
        expectAll(reading, reads ? { status: 200 } : unavailable),
        expectReadiness(served, reads ? { status: 200 } : unavailable),
      ]);
      expect(await ask(`${served.publicUrl}/healthz`)).toMatchObject({ status: 200 });
      expect(served.output.stderr.slice(said)).toContain(reason);
      expect(served.output.stderr).not.toContain('"fault"');
      await repair();
      await expectReadiness(served);
      await goOn();
    });
  }

  it("removed for good, answers 503 until it is restarted, and then asks everyone to sign in", async () => {
    const { reading } = await openSignIns(served);
    rmSync(data, { recursive: true });
    await expectAll(reading, unavailable);
    await served.stop("SIGKILL");
    await start();
    await expectAll(reading, { status: 401 });
  });
});
