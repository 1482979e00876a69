import { readdirSync, readlinkSync } from "node:fs";
import { evaluate, readLiveHeap } from "./inspector.ts";
import { readCpu, readResident } from "./proc.ts";

const MB = 1_048_576;

/** What a process uses at a moment. */
export interface Pulse {
  residentMb: number;
  open: number;
  sockets: number;
  /** Handles, requests and timers that keep the event loop alive. */
  handles: number;
  /** Share of one core since the previous reading. */
  cpu: number;
  /** Event loop delay since the previous reading, in milliseconds. */
  delayMedianMs: number;
  delayMostMs: number;
}

/** Evaluated in the process to measure its event loop, with a timer due every 10 ms. */
const INSTALL = `process.getBuiltinModule("node:perf_hooks").monitorEventLoopDelay({ resolution: 10 })`;
const READ = `({
  delays: [pulse.percentile(50), pulse.max].map((each) => Math.max(0, each / 1e6 - 10)),
  handles: process.getActiveResourcesInfo().length,
  reset: pulse.reset(),
})`;

/** Reads a process's vital signs from /proc and its inspector. */
export async function createPulse(pid: number, inspector: string) {
  await evaluate(inspector, `globalThis.pulse = ${INSTALL}; pulse.enable()`);
  let last = { at: performance.now(), cpu: readCpu(pid) };
  return {
    take: async (): Promise<Pulse> => {
      // Read before the inspector opens a socket there.
      const descriptors = readdirSync(`/proc/${pid}/fd`).map((name) => readLink(`/proc/${pid}/fd/${name}`));
      const [previous, now] = [last, { at: performance.now(), cpu: readCpu(pid) }];
      last = now;
      const { delays, handles } = Object(await evaluate(inspector, READ));
      return {
        residentMb: readResident(pid),
        open: descriptors.length,
        sockets: descriptors.filter((each) => each.startsWith("socket:")).length,
        handles,
        cpu: (now.cpu - previous.cpu) / ((now.at - previous.at) / 1000),
        delayMedianMs: delays[0],
        delayMostMs: delays[1],
      };
    },
    /** Live heap in MB. The collection it causes does not count as event loop delay. */
    readLiveHeap: async () => {
      const bytes = await readLiveHeap(inspector);
      await evaluate(inspector, "pulse.reset()");
      return bytes / MB;
    },
  };
}

/** The descriptor may have been closed meanwhile. */
function readLink(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}
