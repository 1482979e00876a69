import { Agent as HttpAgent } from "node:http";
import { parseArgs } from "node:util";
import { Agent } from "undici";
import { startProgram } from "../test/support/processes.ts";
import { startConnectors } from "./connectors.ts";
import { createSpeaker } from "./mcp.ts";
import { describeMachine, sortTimes } from "./measure.ts";
import { describeOrganization } from "./organizations.ts";
import { publish, table } from "./results.ts";
import { createAuthorization, REDIRECT } from "./sign-in.ts";

const CHAPTER = "## Calls beside strangers";
const CALL = { id: 1, method: "tools/call", params: { name: "get_stats", arguments: { days: 7 } } };
const STRANGER = "10.9.9.9";

/** A request that anyone can send, and the status that it gets. */
interface Stranger {
  path: string;
  status: number;
  method?: "POST";
  headers?: Record<string, string>;
  body?: string;
}

/**
 * How long a signed-in call takes while strangers keep 32 connections busy: with what needs nothing (`/healthz`), with
 * readiness, and with what is refused. All take turns.
 */
export async function run(args: string[], serviceScript: string): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      connections: { type: "string", default: "32" },
      rounds: { type: "string", default: "5" },
      /** Milliseconds. */
      turn: { type: "string", default: "1500" },
      store: { type: "string", default: "sqlite" },
      trial: { type: "boolean", default: false },
    },
  });
  const [connections, turnMs] = [Number(values.connections), Number(values.turn)];
  const service = await startProgram(process.execPath, [serviceScript, "1"], {}, "Service at");
  const [, origin = ""] = /Service at (\S+)/.exec(service.output.stderr) ?? [];
  const connectors = await startConnectors({
    origin,
    store: values.store,
    replicas: 1,
    env: { ANALYTICS_CALLS_PER_MINUTE: "100000000" },
  });
  const agent = new HttpAgent({ keepAlive: true });
  const { publicUrl } = connectors;
  const { access, client } = await createAuthorization(agent, publicUrl).signIn(
    describeOrganization(0).key,
    "10.0.0.1",
  );
  const speaker = createSpeaker(agent, `${publicUrl}/mcp`, "current");
  const strangers = describeStrangers(client);
  try {
    await reachLimits(publicUrl, strangers);
    const cases: [name: string, stranger?: Stranger][] = [["nobody"], ...Object.entries(strangers)];
    const seen = cases.map(() => ({ times: [] as number[], requests: 0 }));
    for (let round = -1; round < Number(values.rounds); round++) {
      for (const [index, [, stranger]] of cases.entries()) {
        const crowd = stranger && startCrowd(publicUrl, stranger, connections);
        const times = await callFor(turnMs, () => speaker.send(access, CALL));
        const requests = (await crowd?.stop()) ?? 0;
        if (round < 0) continue;
        seen[index]?.times.push(...times);
        if (seen[index]) seen[index].requests += requests;
      }
    }
    const medians = seen.map(({ times }) => sortTimes(times).at(0.5));
    const [alone = Number.NaN, floor = Number.NaN] = medians;
    const seconds = (Number(values.rounds) * turnMs) / 1000;
    const report = [
      `### ${values.store === "redis" ? "Redis" : "SQLite"}, ${connections} connections, Node ${process.version.slice(1).split(".")[0]}`,
      `\`npm run bench -- strangers${values.store === "redis" ? " --store redis" : ""}\`, ${describeMachine()}, Node ${process.versions.node}; ${values.rounds} turns of ${turnMs / 1000} seconds each; the clients share the machine.`,
      table(
        [
          "strangers ask",
          "a call, median, ms",
          "p99, ms",
          "of nobody",
          "of `/healthz`",
          "strangers' requests a second",
        ],
        cases.map(([name], index) => {
          const { times = [], requests = 0 } = seen[index] ?? {};
          const median = medians[index] ?? Number.NaN;
          return [
            name,
            median.toFixed(1),
            sortTimes(times).at(0.99).toFixed(1),
            (median / alone).toFixed(2),
            (median / floor).toFixed(2),
            (requests / seconds).toFixed(0),
          ];
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

function describeStrangers(client: string): Record<string, Stranger> {
  const json = { "content-type": "application/json" };
  const form = { "content-type": "application/x-www-form-urlencoded" };
  const signIn = new URLSearchParams({
    client_id: client,
    redirect_uri: REDIRECT,
    response_type: "code",
    code_challenge_method: "S256",
    code_challenge: "x".repeat(43),
  });
  return {
    "`/healthz`": { path: "/healthz", status: 200 },
    "`/readyz`": { path: "/readyz", status: 200 },
    "a page that is not there": { path: "/nothing", status: 404 },
    "`/mcp` with a wrong token": {
      path: "/mcp",
      status: 401,
      method: "POST",
      body: "{}",
      headers: { ...json, authorization: "Bearer wrong" },
    },
    "`/token` with a wrong token": {
      path: "/token",
      status: 400,
      method: "POST",
      headers: form,
      body: `grant_type=refresh_token&client_id=${client}&refresh_token=wrong`,
    },
    "`/register`, refused with 429": {
      path: "/register",
      status: 429,
      method: "POST",
      headers: json,
      body: JSON.stringify({ redirect_uris: [REDIRECT] }),
    },
    "`/authorize`, refused with 429": { path: `/authorize?${signIn}`, status: 429 },
  };
}

/** Asks for each until it gets the expected status: some are refused only after a number of requests. */
async function reachLimits(publicUrl: string, strangers: Record<string, Stranger>): Promise<void> {
  const agent = new Agent({ connections: 8 });
  for (const stranger of Object.values(strangers)) {
    for (let attempt = 0; (await ask(agent, publicUrl, stranger)) !== stranger.status; attempt++) {
      if (attempt === 1_000) throw new Error(`${stranger.path} is not answered with ${stranger.status}.`);
    }
  }
  await agent.close();
}

async function ask(agent: Agent, origin: string, stranger: Stranger): Promise<number> {
  const { path, method = "GET", body = null, headers } = stranger;
  const from = { ...headers, "x-forwarded-for": STRANGER };
  const answer = await agent.request({ origin, path, method, headers: from, body });
  await answer.body.dump();
  return answer.statusCode;
}

/** One request after the other on each of the connections, until it is stopped; resolves to how many were answered. */
function startCrowd(origin: string, stranger: Stranger, connections: number) {
  const agent = new Agent({ connections, pipelining: 1 });
  let going = true;
  let requests = 0;
  const drive = async () => {
    while (going) {
      const status = await ask(agent, origin, stranger);
      if (status !== stranger.status) throw new Error(`${stranger.path} is answered with ${status}.`);
      requests++;
    }
  };
  const all = Promise.all(Array.from({ length: connections }, drive));
  return {
    stop: async () => {
      going = false;
      await all;
      await agent.close();
      return requests;
    },
  };
}

/** Calls one after the other; the time of each. */
async function callFor(milliseconds: number, call: () => Promise<{ status: number } | undefined>) {
  const times: number[] = [];
  const start = performance.now();
  while (performance.now() - start < milliseconds) {
    const began = performance.now();
    const answer = await call();
    if (answer?.status !== 200) throw new Error(`A call is answered with ${answer?.status}.`);
    times.push(performance.now() - began);
  }
  return times;
}
