import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { BASE_PATH } from "../src/operations/contract.ts";
import { compareCases, describeMachine, type Times } from "./measure.ts";
import { publish, table } from "./results.ts";
import { openStdio, type StdioServer } from "./stdio.ts";
import { catalogue } from "./truth.ts";
import { startUpstream, type Upstream } from "./upstream.ts";

const CHAPTER = "## Calls over stdio";
/** How long the service takes to answer when many calls are made at once. */
const DELAY_MS = 50;

/**
 * Measures tool calls over stdio against bare requests for the same data: one at a time, many at once, and the memory
 * that the server takes.
 */
export async function run(args: string[], serviceScript: string): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      rounds: { type: "string", default: "300" },
      /** Rounds with many calls at once. */
      bursts: { type: "string", default: "20" },
      /** Number of calls after which memory is read. */
      calls: { type: "string", default: "1000" },
      trial: { type: "boolean", default: false },
    },
  });
  const [rounds, bursts, calls] = [Number(values.rounds), Number(values.bursts), Number(values.calls)];
  const [prompt, slow] = [
    await startUpstream(serviceScript, 0),
    await startUpstream(serviceScript, DELAY_MS),
  ];
  try {
    const section = [
      `### Node ${process.version.slice(1).split(".")[0]}`,
      `\`npm run bench -- calls\`, ${describeMachine()}, Node ${process.versions.node}.`,
      `One at a time, ${rounds} rounds:`,
      await compareOne(prompt, rounds),
      `Many at once, ${bursts} rounds; the service answers each request after ${DELAY_MS} ms:`,
      await compareMany(slow, bursts),
      `Peak memory of each process, after ${calls} calls one after the other:`,
      await compareMemory(prompt, calls),
    ].join("\n\n");
    publish(CHAPTER, section, values);
  } finally {
    await prompt.close();
    await slow.close();
  }
  return 0;
}

const openServer = ({ origin, key }: Upstream) =>
  openStdio(process.execPath, [resolve("bin/analytics-mcp.js"), "--base-url", origin], {
    ANALYTICS_API_KEY: key,
    ANALYTICS_CALLS_PER_MINUTE: "100000000",
  });

/** Starts one of the bare servers: its script and its arguments. */
const openBare = ({ key }: Upstream, script: string, ...args: string[]) =>
  openStdio(process.execPath, [resolve("bench", script), ...args], { ANALYTICS_API_KEY: key });

async function compareOne(upstream: Upstream, rounds: number): Promise<string> {
  const server = await openServer(upstream);
  const { site } = upstream;
  // So many different calls that the first has left the cache when it comes again.
  const [bare, asked] = [createCounter(8, 365), createCounter(8, 365)];
  const [realtime, stats] = ["a bare request for `/realtime`", "a bare request for `/stats`"];
  const cases = {
    [realtime]: () => upstream.ask("/realtime", {}),
    get_realtime: () => server.call("get_realtime", { site }),
    [stats]: () => upstream.ask("/stats", { days: bare() }),
    get_stats: () => server.call("get_stats", { site, days: asked() }),
    "get_stats, remembered": () => server.call("get_stats", { site, days: 7 }),
  };
  try {
    const before = await upstream.count();
    const times = await compareCases(timeAll(cases), rounds);
    const requests = (await upstream.count()) - before - 1;
    if (requests < 4 * (rounds + 1)) throw new Error(`Only ${requests} requests reached the service.`);
    return table(
      ["", "p50, ms", "p99, ms", "of its bare request, p50"],
      Object.entries(times).map(([name, each]) => [
        name,
        each.at(0.5).toFixed(2),
        each.at(0.99).toFixed(2),
        divide(each, times[/realtime/.test(name) ? realtime : stats]),
      ]),
    );
  } finally {
    await server.close();
  }
}

async function compareMany(upstream: Upstream, rounds: number): Promise<string> {
  const server = await openServer(upstream);
  const { site } = upstream;
  // No two calls are alike: those would share an answer.
  const number = createCounter(0, 36_499);
  const ask = () => {
    const index = number();
    return { dimension: "pages", days: 1 + Math.floor(index / 100), limit: 1 + (index % 100) };
  };
  const repeat = (count: number, step: () => Promise<unknown>) => () =>
    Promise.all(Array.from({ length: count }, step));
  const request = () => upstream.ask("/breakdown", ask());
  const call = () => server.call("get_breakdown", { site, ...ask() });
  const cases = {
    "a bare request": request,
    "a call": call,
    "100 bare requests": repeat(100, request),
    "100 calls": repeat(100, call),
    "200 calls, sent 100 at a time": repeat(200, call),
  };
  try {
    const times = await compareCases(timeAll(cases), rounds);
    return table(
      ["", "until all are answered, median, ms", "least, ms", `of the service's ${DELAY_MS} ms, median`],
      Object.entries(times).map(([name, { at, least }]) => [
        name,
        at(0.5).toFixed(0),
        least.toFixed(0),
        (at(0.5) / DELAY_MS).toFixed(2),
      ]),
    );
  } finally {
    await server.close();
  }
}

/** Only on Linux: its kernel records the peak. */
async function compareMemory(upstream: Upstream, calls: number): Promise<string> {
  const stats = `${upstream.origin}${BASE_PATH}/stats?site=${upstream.site}`;
  const tools = new Set(catalogue.map(({ tool }) => tool));
  const servers = {
    "a bare responder": await openBare(upstream, "bare-responder.js"),
    "a bare responder, one undici request per call": await openBare(upstream, "bare-responder.js", stats),
    "the SDK's server, one undici request per call": await openBare(
      upstream,
      "bare-server.js",
      stats,
      ...tools,
    ),
    "analytics-mcp": await openServer(upstream),
  };
  const rows = Object.entries(servers).map(async ([name, server]) => {
    const before = readPeak(server);
    for (let call = 0; call < calls; call++) {
      const { tool, args } = catalogue[call % catalogue.length] ?? { tool: "get_realtime", args: {} };
      // Different days each time, because a cached answer costs less.
      const days = "days" in args ? { days: 1 + (call % 90) } : {};
      await server.call(tool, tool === "list_sites" ? {} : { site: upstream.site, ...args, ...days });
    }
    const after = readPeak(server);
    await server.close();
    return [name, before, after];
  });
  return table(["MB", "when the tools are listed", "after the calls"], await Promise.all(rows));
}

function readPeak({ pid }: StdioServer): string {
  const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return (Number(kilobytes) / 1024).toFixed(0);
}

const timeAll = (cases: Record<string, () => Promise<unknown>>) =>
  Object.fromEntries(
    Object.entries(cases).map(([name, step]) => [
      name,
      async () => {
        const start = performance.now();
        await step();
        return performance.now() - start;
      },
    ]),
  );

const divide = (own: Times, floor: Times | undefined) =>
  (own.at(0.5) / (floor?.at(0.5) ?? Number.NaN)).toFixed(2);

/** Counts from first to last, then starts over. */
function createCounter(first: number, last: number): () => number {
  let next = first - 1;
  return () => {
    next = next === last ? first : next + 1;
    return next;
  };
}
