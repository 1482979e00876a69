import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ChildProcess, execFileSync, spawn } from "./child-process.js";
import { findPort, findProgram } from "./processes.ts";

/** The binary, where the machine has one. */
export const REDIS_SERVER = findProgram("redis-server");

export interface RedisServer {
  url: string;
  /** Where it keeps its files. */
  folder: string;
  cli(...args: string[]): string;
  kill(signal?: NodeJS.Signals): Promise<void>;
  /** Starts it again, with what it has on its disk. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** A Redis of its own on a free port, with an append-only file, gone with the test. */
export async function startRedis(...options: string[]): Promise<RedisServer> {
  const port = await findPort();
  const folder = mkdtempSync(join(tmpdir(), "redis-"));
  const fixed = ["--port", `${port}`, "--bind", "127.0.0.1", "--dir", folder, "--save", ""];
  let child: ChildProcess | undefined;
  const cli = (...args: string[]) =>
    execFileSync("redis-cli", ["-p", `${port}`, ...args], { encoding: "utf8", stdio: "pipe" }).trim();
  const start = async () => {
    child = spawn(REDIS_SERVER ?? "", [...fixed, "--appendonly", "yes", ...options], { stdio: "ignore" });
    for (let attempt = 0; attempt < 2_000; attempt++) {
      await new Promise((resolve) => setTimeout(resolve, 25));
      try {
        if (cli("ping") === "PONG") return;
      } catch {
        // Not yet.
      }
    }
    throw new Error("redis-server does not start.");
  };
  const kill = async (signal: NodeJS.Signals = "SIGKILL") => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, "exit");
    child.kill(signal);
    await exit;
  };
  await start();
  return {
    url: `redis://127.0.0.1:${port}`,
    folder,
    cli,
    kill,
    start,
    stop: async () => {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
