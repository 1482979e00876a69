import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { startFaultProxy } from "../test/support/fault-proxy.ts";
import { startProgram } from "../test/support/processes.ts";
import { startConnectors } from "./connectors.ts";
import { createFigures } from "./figures.ts";
import { describeOrganization } from "./organizations.ts";
import { createPhases, PHASES } from "./phases.ts";
import { createPulse } from "./pulse.ts";
import { publish } from "./results.ts";
import { createSession } from "./session.ts";
import { buildSoakReport, type Watched } from "./soak-report.ts";
import { startStdio } from "./stdio-load.ts";
import { createTruth } from "./truth.ts";

const CHAPTER = "## The long run";
/** Every fault returns every ten minutes; its first time counts as warming up. */
const ROUND_MINUTES = 10;
/** The share of a phase in which the service is well. */
const REST = 2 / 3;
/** Longer than anything keeps an idle connection. */
const QUIET_MS = 15_000;

/** Runs the stdio servers and the connector while the service fails in phases. Returns 1 if anything went wrong. */
export async function run(args: string[], serviceScript: string): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      minutes: { type: "string", default: "30" },
      sessions: { type: "string", default: "30" },
      /** Average milliseconds between two actions of a session; a client on stdio acts ten times as often. */
      pause: { type: "string", default: "4000" },
      /** A kind of failure to leave out. */
      without: { type: "string" },
      /** Leaves the recorded results as they are. */
      trial: { type: "boolean", default: false },
    },
  });
  const [minutes = 0, sessions = 0, pause = 0] = [values.minutes, values.sessions, values.pause].map(Number);
  const closers: (() => unknown)[] = [];
  try {
    const service = await startProgram(
      process.execPath,
      [serviceScript, `${sessions + 2}`],
      {},
      "Service at",
    );
    closers.push(() => service.stop());
    const [, origin = ""] = /Service at (\S+)/.exec(service.output.stderr) ?? [];
    const proxy = await startFaultProxy(undefined, origin);
    closers.push(proxy.close);
    const phases = createPhases();
    const { mayFail } = phases;
    const truth = createTruth(origin);
    const figures = createFigures();
    let [addresses, over] = [0, false];
    const shared = { truth, figures, mayFail, isOver: () => over };

    const connectors = await startConnectors({
      origin: proxy.open(phases.createFault(["invalid_api_key"])).origin,
      store: "sqlite",
      replicas: 1,
    });
    closers.push(connectors.close);
    const clients = Array.from({ length: sessions }, (_, index) =>
      createSession({
        ...shared,
        index,
        pause,
        publicUrl: connectors.publicUrl,
        takeAddress: () => `10.${++addresses >> 16}.${(addresses >> 8) & 255}.${addresses & 255}`,
      }),
    );
    const servers: Awaited<ReturnType<typeof startStdio>>[] = [];
    for (const generation of ["current", "before"] as const) {
      const organization = describeOrganization(sessions + servers.length);
      const line = proxy.open(phases.createFault());
      const options = { ...shared, origin: line.origin, organization, generation, pause: pause / 10 };
      const server = await startStdio(options);
      closers.push(server.kill);
      servers.push(server);
    }
    const processes = {
      "stdio, 2026-07-28": servers[0],
      "stdio, 2025-11-25": servers[1],
      serve: { pid: connectors.pids[0], inspector: connectors.inspectors[0] },
    };
    const watched = await Promise.all(
      Object.entries(processes).map(async ([name, { pid = 0, inspector = "" } = {}]) => {
        const readings: Pick<Watched, "pulses" | "rests" | "heaps"> = { pulses: [], rests: [], heaps: [] };
        return { name, pulse: await createPulse(pid, inspector), ...readings };
      }),
    );
    const idle = await Promise.all(watched.map(({ pulse }) => pulse.take()));
    await Promise.all(clients.map((client) => client.signIn()));
    // Reading more often would be a load of its own.
    const period = Math.max((minutes * 60_000) / 360, 100);
    const timer = setInterval(() => {
      // A reading that fails is left out: a process that has ended shows elsewhere.
      for (const { pulse, pulses } of watched) {
        pulse.take().then(
          (pulse) => pulses.push(pulse),
          () => {},
        );
      }
    }, period);
    closers.push(() => clearInterval(timer));
    const takeRest = async () => {
      const take = async ({ pulse, rests, heaps }: (typeof watched)[number]) => {
        rests.push(await pulse.take());
        heaps.push(await pulse.readLiveHeap());
      };
      await Promise.all(watched.map(take));
    };

    const start = performance.now();
    const living = [...clients, ...servers].map((session) => session.live());
    const rounds = Math.max(1, Math.round(minutes / ROUND_MINUTES));
    const kinds = PHASES.filter(([name]) => name !== values.without);
    const length = (minutes * 60_000) / rounds / kinds.length;
    for (let round = 0; round < rounds; round++) {
      for (const phase of kinds) {
        await wait(length * REST);
        await takeRest();
        phases.begin(phase);
        await wait(length * (1 - REST));
        phases.end();
      }
    }
    over = true;
    const elapsed = (performance.now() - start) / 1000;
    await Promise.all(living);
    clearInterval(timer);
    for (const client of clients) client.close();
    if (!values.trial) await wait(QUIET_MS);
    await takeRest();
    for (const server of servers) await server.close();
    // While the service fails, no key can be checked.
    await connectors.stop(figures, ["key_refused"]);

    const { report, isFlat } = buildSoakReport({
      met: phases.met,
      summary: figures.read(),
      elapsed,
      sessions,
      pause,
      watched: watched.map((each, index) => ({ ...each, idle: idle[index] })),
      command: ["npm run soak", ...(args.length === 0 ? [] : ["--", ...args])].join(" "),
    });
    publish(CHAPTER, report, values);
    return figures.read().faults.length === 0 && (isFlat || values.trial) ? 0 : 1;
  } finally {
    for (const close of closers.reverse()) await close();
  }
}
