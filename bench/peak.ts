import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { scrubbed } from "./environment.ts";

export interface Ran {
  milliseconds: number;
  /** The most resident memory that was seen, in MB; NaN where /proc is missing. */
  peakMb: number;
  /** Processor time of all threads, less that of the last moments. */
  cpuSeconds: number;
  stdout: string;
}

/** How often memory is read, in milliseconds. */
const INTERVAL = 10;

/** Runs a program to its end. Throws if it does not end well. */
export async function runMeasured(
  command: string,
  args: string[],
  env: Record<string, string>,
): Promise<Ran> {
  const start = performance.now();
  const child = spawn(command, args, { env: { ...scrubbed, ...env }, stdio: ["ignore", "pipe", "pipe"] });
  const closed = once(child, "close");
  let [stdout, stderr, peakMb, cpuSeconds] = ["", "", Number.NaN, Number.NaN];
  child.stdout.on("data", (chunk) => {
    stdout += chunk;
  });
  child.stderr.on("data", (chunk) => {
    stderr = `${stderr}${chunk}`.slice(-1_000);
  });
  const timer = setInterval(() => {
    peakMb = readPeak(child.pid) ?? peakMb;
    cpuSeconds = readCpu(child.pid) ?? cpuSeconds;
  }, INTERVAL);
  const [code] = await closed.finally(() => clearInterval(timer));
  const milliseconds = performance.now() - start;
  if (code !== 0) throw new Error(`${command} ${args.join(" ")} ended with ${code}.\n${stderr}`);
  return { milliseconds, peakMb, cpuSeconds, stdout };
}

/** The system itself keeps the maximum, so that only the last moments can be missed. */
function readPeak(pid: number | undefined): number | undefined {
  try {
    const [, kilobytes] = /^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    return kilobytes === undefined ? undefined : Number(kilobytes) / 1_000;
  } catch {
    return undefined;
  }
}

/** Ticks are hundredths of a second on every Linux (proc_pid_stat(5), sysconf(_SC_CLK_TCK)). */
function readCpu(pid: number | undefined): number | undefined {
  try {
    const [, fields = ""] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ");
    // Of those after the name: in user mode, and in the kernel.
    const [user, system] = fields.split(" ").slice(11, 13).map(Number);
    const ticks = (user ?? 0) + (system ?? 0);
    // A process that has ended has none.
    return ticks === 0 ? undefined : ticks / 100;
  } catch {
    return undefined;
  }
}
