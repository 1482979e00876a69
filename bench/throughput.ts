import { Agent as HttpAgent } from "node:http";
import { parseArgs } from "node:util";
import { Agent } from "undici";
import { startProgram } from "../test/support/processes.ts";
import { startConnectors } from "./connectors.ts";
import { createSpeaker } from "./mcp.ts";
import { describeMachine, sortTimes } from "./measure.ts";
import { describeOrganization } from "./organizations.ts";
import { readCpu } from "./proc.ts";
import { publish, table } from "./results.ts";
import { createAuthorization } from "./sign-in.ts";

const CHAPTER = "## Calls over HTTP";
const params = { name: "get_stats", arguments: { days: 7 } };
/** A bare call, and one as six real clients send it: with a token for its progress. */
const CALLS = {
  "": { id: 1, method: "tools/call", params },
  ", with a `progressToken`": {
    id: 1,
    method: "tools/call",
    params: { ...params, _meta: { progressToken: 2 } },
  },
};

/**
 * How many calls of a tool `/mcp` answers in a second, each with its bearer check; the service's answer comes from the
 * grant's cache. Both protocol generations take turns.
 */
export async function run(args: string[], serviceScript: string): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      connections: { type: "string", default: "50" },
      rounds: { type: "string", default: "10" },
      /** Milliseconds. */
      turn: { type: "string", default: "1000" },
      trial: { type: "boolean", default: false },
    },
  });
  const connections = Number(values.connections);
  const service = await startProgram(process.execPath, [serviceScript, "1"], {}, "Service at");
  const [, origin = ""] = /Service at (\S+)/.exec(service.output.stderr) ?? [];
  const connectors = await startConnectors({
    origin,
    store: "sqlite",
    replicas: 1,
    env: { ANALYTICS_CALLS_PER_MINUTE: "100000000" },
  });
  const agent = new HttpAgent({ keepAlive: true });
  const { key } = describeOrganization(0);
  const { access } = await createAuthorization(agent, connectors.publicUrl).signIn(key, "10.0.0.1");
  const speakers = {
    "2026-07-28": createSpeaker(agent, `${connectors.publicUrl}/mcp`, "current"),
    "2025-11-25": createSpeaker(agent, `${connectors.publicUrl}/mcp`, "before"),
  };
  try {
    const target = { url: `${connectors.publicUrl}/mcp`, pid: connectors.pids[0] ?? 0 };
    const cases: Record<string, Sent> = Object.fromEntries(
      Object.entries(speakers).flatMap(([revision, speaker]) =>
        Object.entries(CALLS).map(([kind, call]) => [
          `\`/mcp\`, ${revision}${kind}`,
          { ...target, ...speaker.write(access, call) },
        ]),
      ),
    );
    const seen = new Map(Object.keys(cases).map((name) => [name, [] as Burst[]]));
    for (let round = Number(values.rounds) > 1 ? -1 : 0; round < Number(values.rounds); round++) {
      for (const [name, sent] of Object.entries(cases)) {
        const burst = await press(sent, connections, Number(values.turn));
        if (round >= 0) seen.get(name)?.push(burst);
      }
    }
    const report = [
      `### ${connections} connections, Node ${process.version.slice(1).split(".")[0]}`,
      `\`npm run bench -- throughput\`, ${describeMachine()}, Node ${process.versions.node}; ${values.rounds} turns of ${Number(values.turn) / 1000} s each, medians; the client shares the machine.`,
      table(
        ["", "calls a second", "p50, ms", "p99, ms", "CPU a call, µs"],
        [...seen].map(([name, bursts]) => {
          const rate = sortTimes(bursts.map((each) => each.rate)).at(0.5);
          const times = sortTimes(bursts.flatMap((each) => each.times));
          const cpu = sortTimes(bursts.map((each) => each.cpu)).at(0.5);
          return [name, rate.toFixed(0), times.at(0.5).toFixed(1), times.at(0.99).toFixed(1), cpu.toFixed(0)];
        }),
      ),
    ].join("\n\n");
    publish(CHAPTER, report, values);
  } finally {
    agent.destroy();
    await connectors.close();
    await service.stop();
  }
  return 0;
}

interface Burst {
  /** Calls a second. */
  rate: number;
  times: number[];
  /** Microseconds of a processor's time that the server took for each call. */
  cpu: number;
}

interface Sent {
  pid: number;
  url: string;
  headers: Record<string, string>;
  body: string;
}

/** One request after the other on each of the connections, for as long; throws where one is not answered with 200. */
async function press(sent: Sent, connections: number, milliseconds: number): Promise<Burst> {
  const { url, headers, body, pid } = sent;
  const agent = new Agent({ connections, pipelining: 1 });
  const { origin, pathname } = new URL(url);
  const times: number[] = [];
  const cpu = readCpu(pid);
  const start = performance.now();
  const drive = async () => {
    while (performance.now() - start < milliseconds) {
      const began = performance.now();
      const answer = await agent.request({ origin, path: pathname, method: "POST", headers, body });
      const text = await answer.body.text();
      if (answer.statusCode !== 200 || text.includes('"isError"'))
        throw new Error(`${answer.statusCode}: ${text}`);
      times.push(performance.now() - began);
    }
  };
  await Promise.all(Array.from({ length: connections }, drive));
  const rate = times.length / ((performance.now() - start) / 1000);
  await agent.close();
  return { rate, times, cpu: ((readCpu(pid) - cpu) * 1e6) / times.length };
}
