import { readdirSync, readFileSync } from "node:fs";
import { readLiveHeap } from "./inspector.ts";

/** What a process uses in one second. */
export interface Sample {
  /** Seconds since the watch began. */
  at: number;
  rssMb: number;
  /** The longest event loop delay since the previous second, in milliseconds. */
  lagMs: number;
  /** Open files and sockets. */
  open: number;
  /** Share of one core since the previous second. */
  cpu: number;
}

const MB = 1_048_576;
const TICKS_A_SECOND = 100;

/** Watches a process every second through /proc and its own metrics; reads its live heap on request. */
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
  // A late sample is left out: the process is busy, or has ended, which shows elsewhere.
  const timer = setInterval(() => void take().catch(() => {}), 1_000);
  return {
    samples,
    /** Live heap in MB. */
    readLiveHeap: async () => (await readLiveHeap(inspector)) / MB,
    /** One more sample that is not part of the run. */
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

/** User and system time. The process name before them may contain parentheses. */
function readTicks(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /s, "")
    .split(" ");
  return Number(fields[11]) + Number(fields[12]);
}

/** The slope of the least-squares line through the points, per unit of x. */
export function fitSlope(points: [x: number, y: number][]): number {
  const mean = (of: (point: [number, number]) => number) =>
    points.reduce((sum, point) => sum + of(point), 0) / points.length;
  const [x, y] = [mean(([each]) => each), mean(([, each]) => each)];
  const covariance = mean((point) => (point[0] - x) * (point[1] - y));
  return covariance / mean((point) => (point[0] - x) ** 2);
}
