import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { compareCases, describeMachine, type Times } from "./measure.ts";
import { readPeak } from "./proc.ts";
import { publish, table } from "./results.ts";
import { openStdio } from "./stdio.ts";
import { catalogue } from "./truth.ts";
import { startUpstream, type Upstream } from "./upstream.ts";

const CHAPTER = "## Calls over stdio";
/** How long the service takes to answer when many calls are made at once. */
const DELAY_MS = 50;

/**
 * Measures tool calls over stdio against bare requests for the same data, one at a time and many at once, and the memory
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
      await measureMemory(prompt, calls),
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
    if (requests < 4 * rounds) throw new Error(`Only ${requests} requests reached the service.`);
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
async function measureMemory(upstream: Upstream, calls: number): Promise<string> {
  const server = await openServer(upstream);
  try {
    const before = readPeak(server.pid);
    for (let call = 0; call < calls; call++) {
      const { tool, args } = catalogue[call % catalogue.length] ?? { tool: "get_realtime", args: {} };
      // Different days each time, because a cached answer costs less.
      const days = "days" in args ? { days: 1 + (call % 90) } : {};
      await server.call(tool, tool === "list_sites" ? {} : { site: upstream.site, ...args, ...days });
    }
    const figures = [before, readPeak(server.pid)].map((mb) => mb.toFixed(0));
    const head = ["", "when the tools are listed", `after ${calls} calls, one after the other`];
    return table(head, [["peak memory, MB", ...figures]]);
  } finally {
    await server.close();
  }
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
