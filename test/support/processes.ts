import { randomInt } from "node:crypto";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createServer } from "node:net";
import { delimiter, join } from "node:path";
import { type ChildProcess, spawn } from "./child-process.js";

/** A program of this machine, where it is there. */
export function findProgram(name: string): string | undefined {
  const folders = [...(process.env.PATH ?? "").split(delimiter), "/usr/sbin"];
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
}

/** Above the last port that `fetch` and browsers refuse, below the system's ephemeral ports. */
const PORTS = [10_240, 32_768] as const;

/** A free port of this machine that nothing else gets meanwhile: for addresses that must be known before. */
export async function findPort(): Promise<number> {
  const port = randomInt(...PORTS);
  const server = createServer().listen(port);
  try {
    await once(server, "listening");
  } catch {
    return findPort();
  }
  server.close();
  await once(server, "close");
  return port;
}

export interface Running {
  child: ChildProcess;
  output: { stdout: string; stderr: string };
  /** Sends the signal and gives the exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

/** A program that runs until it is stopped; resolves when it has said the words on stderr. */
export async function startProgram(
  command: string,
  args: string[],
  env: Record<string, string>,
  words: string,
): Promise<Running> {
  const child = spawn(command, args, { env, stdio: "pipe" });
  const output = { stdout: "", stderr: "" };
  child.stdout.on("data", (chunk) => {
    output.stdout += chunk;
  });
  const exit = once(child, "close");
  await new Promise<void>((resolve, reject) => {
    child.stderr.on("data", (chunk) => {
      output.stderr += chunk;
      if (output.stderr.includes(words)) resolve();
    });
    exit.then(() => reject(new Error(`It ended before it said ${words}: ${output.stderr}`)));
  });
  return {
    child,
    output,
    stop: async (signal = "SIGTERM") => {
      child.kill(signal);
      const [code] = await exit;
      return code;
    },
  };
}
