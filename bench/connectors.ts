import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findPort, type Running, startProgram } from "../test/support/processes.ts";
import { startRedis } from "../test/support/redis.ts";
import { startRoundRobin } from "../test/support/round-robin.ts";
import type { Figures } from "./figures.ts";

export interface ConnectorsOptions {
  /** The analytics service. */
  origin: string;
  /** `sqlite` or `redis`, always a fresh one. */
  store: string;
  replicas: number;
  env?: Record<string, string>;
}

const STARTED = "The connector is at";
/** The built program as an operator runs it: one process, or replicas behind a round-robin proxy. */
export async function startConnectors({ origin, store, replicas, env = {} }: ConnectorsOptions) {
  const folder = mkdtempSync(join(tmpdir(), "load-"));
  const redis = store === "redis" ? await startRedis() : undefined;
  const proxy = replicas > 1 ? await startRoundRobin({ believes: true }) : undefined;
  const running: Running[] = [];
  for (let replica = 0; replica < replicas; replica++) {
    const port = await findPort();
    const args = [
      "--inspect=127.0.0.1:0",
      "bin/analytics-mcp.js",
      "serve",
      "--base-url",
      origin,
      "--port",
      `${port}`,
      "--trust-proxy",
      "--store",
      redis?.url ?? join(folder, "store.db"),
      "--secret-file",
      join(folder, "secret"),
      ...(proxy ? ["--public-url", proxy.publicUrl] : []),
    ];
    running.push(await startProgram(process.execPath, args, env, STARTED));
    proxy?.ports.push(port);
  }
  const [first] = running;
  const inspectors = running.map(({ output }) => /ws:\S+/.exec(output.stderr)?.[0] ?? "");
  const [, own = ""] = /The connector is at (\S+):/.exec(first?.output.stderr ?? "") ?? [];

  return {
    publicUrl: proxy?.publicUrl ?? own,
    pids: running.map(({ child }) => child.pid ?? 0),
    inspectors,
    /** Stops as an operator does, and reads the log: only expected events may be louder than info. */
    stop: async (figures: Figures, expected: string[] = []) => {
      for (const { stop, output } of running) {
        const code = await stop();
        if (code !== 0) figures.fault(`serve ended with ${code}`, output.stderr.slice(-500));
        checkLog(output.stderr, figures, expected);
      }
    },
    close: async () => {
      for (const { child, stop } of running) {
        if (child.exitCode === null && child.signalCode === null) await stop("SIGKILL");
      }
      await proxy?.close();
      await redis?.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function checkLog(stderr: string, figures: Figures, expected: string[]): void {
  const [, , ...lines] = stderr.slice(stderr.indexOf(STARTED) - 1).split("\n");
  // Without the lines of Node's inspector.
  for (const line of lines.filter(
    (each) => !/^($|Debugger |Waiting for the debugger |For help, see: )/.test(each),
  )) {
    const { level, event } = line.startsWith("{") ? JSON.parse(line) : { event: "no JSON" };
    if (level !== "info" && !expected.includes(event)) figures.fault(`logged: ${event}`, line);
  }
}
