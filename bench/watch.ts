import { readdirSync, readFileSync } from "node:fs";
import { readLiveHeap } from "./inspector.ts";

/** What a process takes at one second. */
export interface Sample {
  /** Seconds since the watch began. */
  at: number;
  rssMb: number;
  /** The longest that the event loop was late since the second before, in milliseconds. */
  lagMs: number;
  /** Files and sockets that it holds open. */
  open: number;
  /** Share of one core since the second before. */
  cpu: number;
}

const MB = 1_048_576;
const TICKS_A_SECOND = 100;

/** Looks at a process each second: in /proc, and at its own metrics; and at what is alive in its heap when asked. */
export function watch(pid: number, metricsUrl: string, inspector: string) {
  const start = performance.now();
  const samples: Sample[] = [];
  let last = { at: start, ticks: readTicks(pid) };

  const take = async () => {
    const text = await fetch(metricsUrl).then((response) => response.text());
    const read = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, "m").exec(text)?.[1] ?? Number.NaN);
    const now = { at: performance.now(), ticks: readTicks(pid) };
    samples.push({
      at: (now.at - start) / 1000,
      rssMb: readRss(pid) / MB,
      lagMs: read("nodejs_eventloop_lag_max_seconds") * 1000,
      open: readdirSync(`/proc/${pid}/fd`).length,
      cpu: (now.ticks - last.ticks) / TICKS_A_SECOND / ((now.at - last.at) / 1000),
    });
    last = now;
  };
  // One that does not come in time is missing: the process is busy, or has ended, which shows elsewhere.
  const timer = setInterval(() => void take().catch(() => {}), 1_000);
  return {
    samples,
    /** What is alive in the heap, in MB. */
    readLiveHeap: async () => (await readLiveHeap(inspector)) / MB,
    /** One more sample, which is not of the run. */
    takeOne: async () => {
      await take();
      return samples.pop();
    },
    stop: () => clearInterval(timer),
  };
}

/** Resident memory, in bytes. */
export function readRss(pid: number): number {
  const [, kilobytes = "0"] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kilobytes) * 1024;
}

/** User and system time; the name before them may hold anything, parentheses among it. */
function readTicks(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /s, "")
    .split(" ");
  return Number(fields[11]) + Number(fields[12]);
}

/** The slope of the line nearest to the points (least squares), per unit of x. */
export function fitSlope(points: [x: number, y: number][]): number {
  const mean = (of: (point: [number, number]) => number) =>
    points.reduce((sum, point) => sum + of(point), 0) / points.length;
  const [x, y] = [mean(([each]) => each), mean(([, each]) => each)];
  const covariance = mean((point) => (point[0] - x) * (point[1] - y));
  return covariance / mean((point) => (point[0] - x) ** 2);
}
