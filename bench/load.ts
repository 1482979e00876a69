import { cpus, loadavg } from "node:os";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { startProgram } from "../test/support/processes.ts";
import { startConnectors } from "./connectors.ts";
import { createFigures } from "./figures.ts";
import { describeOrganization } from "./organizations.ts";
import { createPulse, type Pulse } from "./pulse.ts";
import { buildReport } from "./report.ts";
import { publish } from "./results.ts";
import { createSession } from "./session.ts";
import { catalogue, createTruth } from "./truth.ts";

const CHAPTER = "## The connector under load";
/** Longer than Node's server keeps an idle connection. */
const QUIET_MS = 8_000;
/** How often a run reads the live heap. */
const PARTS = 6;

/** Runs the built connector under load. Returns 1 if anything went wrong. */
export async function run(args: string[], serviceScript: string): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      sessions: { type: "string", default: "200" },
      seconds: { type: "string", default: "120" },
      /** Milliseconds between two actions of a session, on average. */
      pause: { type: "string", default: "4000" },
      store: { type: "string", default: "sqlite" },
      replicas: { type: "string", default: "1" },
      /** Leaves the recorded results as they are. */
      trial: { type: "boolean", default: false },
    },
  });
  const [sessions, seconds, pause] = [values.sessions, values.seconds, values.pause].map(Number);
  const count = sessions ?? 0;
  const say = (text: string) => process.stderr.write(`${text}\n`);
  const closers: (() => unknown)[] = [];
  try {
    const service = await startProgram(process.execPath, [serviceScript, `${count + 1}`], {}, "Service at");
    closers.push(() => service.stop());
    const [, origin = ""] = /Service at (\S+)/.exec(service.output.stderr) ?? [];
    const truth = createTruth(origin);
    say(`Asking the service itself: ${count} organizations, ${catalogue.length} queries each.`);
    for (let index = 0; index < count; index++) {
      await Promise.all(catalogue.map((asked) => truth.read(describeOrganization(index), asked)));
    }

    const connectors = await startConnectors({
      origin,
      store: values.store,
      replicas: Number(values.replicas),
    });
    closers.push(connectors.close);
    const figures = createFigures();
    let [addresses, over] = [0, false];
    const takeAddress = () => {
      addresses++;
      return `10.${addresses >> 16}.${(addresses >> 8) & 255}.${addresses & 255}`;
    };
    const all = Array.from({ length: count }, (_, index) =>
      createSession({
        index,
        publicUrl: connectors.publicUrl,
        truth,
        figures,
        takeAddress,
        isOver: () => over,
        pause: pause ?? 0,
      }),
    );
    say(`Signing ${count} sessions in.`);
    // As many at once as when a meeting starts.
    const waiting = [...all];
    const usher = async () => {
      for (let next = waiting.shift(); next; next = waiting.shift()) await next.signIn();
    };
    await Promise.all(Array.from({ length: 10 }, usher));

    say(`${seconds} seconds of load.`);
    const watched = await Promise.all(
      connectors.pids.map(async (pid, index) => ({
        pulse: await createPulse(pid, connectors.inspectors[index] ?? ""),
        pulses: [] as Pulse[],
      })),
    );
    const timer = setInterval(() => {
      // A reading that fails is left out: a process that has ended shows elsewhere.
      for (const { pulse, pulses } of watched) {
        pulse.take().then(
          (taken) => pulses.push(taken),
          () => {},
        );
      }
    }, 1_000);
    closers.push(() => clearInterval(timer));
    const ownDelay = monitorEventLoopDelay();
    ownDelay.enable();
    const start = performance.now();
    const living = all.map((session) => session.live());
    const heaps: number[][] = [];
    const readHeaps = async () =>
      void heaps.push(await Promise.all(watched.map(({ pulse }) => pulse.readLiveHeap())));
    for (let part = 0; part < PARTS; part++) {
      await wait(((seconds ?? 0) * 1000) / PARTS);
      await readHeaps();
    }
    over = true;
    const elapsed = (performance.now() - start) / 1000;
    clearInterval(timer);
    ownDelay.disable();
    const [busy = 0] = loadavg();
    await Promise.all(living);
    for (const session of all) session.close();
    if (!values.trial) await wait(QUIET_MS);
    const after = await Promise.all(watched.map(({ pulse }) => pulse.take()));
    await readHeaps();
    await connectors.stop(figures);

    const summary = figures.read();
    const title = `${values.store === "redis" ? "Redis" : "SQLite"}, ${
      Number(values.replicas) === 1 ? "one process" : `${values.replicas} replicas`
    }, Node ${process.version.slice(1).split(".")[0]}`;
    const report = buildReport({
      title,
      summary,
      elapsed,
      sessions: count,
      pause: pause ?? 0,
      after,
      busy,
      ownLagMs: ownDelay.max / 1e6,
      command: ["npm run load", ...(args.length === 0 ? [] : ["--", ...args])].join(" "),
      pulses: watched.map(({ pulses }) => pulses),
      heaps: watched.map((_, index) => heaps.map((part) => part[index] ?? Number.NaN)),
      machine: `${cpus().length} cores (${cpus()[0]?.model.trim()}), Node ${process.versions.node}`,
      date: new Date().toISOString().slice(0, 10),
    });
    publish(CHAPTER, report, values);
    return summary.faults.length === 0 ? 0 : 1;
  } finally {
    for (const close of closers.reverse()) await close();
  }
}
