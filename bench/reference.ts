import { execFileSync } from "node:child_process";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { Agent } from "undici";
import { BASE_PATH } from "../src/operations/contract.ts";
import { DEMO_KEY, readFixtures } from "../src/sources/demo/fixtures.ts";
import { startProgram } from "../test/support/processes.ts";
import { scrubbed } from "./environment.ts";
import { describeMachine, sortTimes } from "./measure.ts";
import { publish, table } from "./results.ts";

const CHAPTER = "## The reference API";
/** The first request counts visits, the others reuse that. Fewer than a key's quota per minute. */
const REQUESTS = 30;

/** Measures the reference API for a year of its largest site, in fresh processes and in warm ones. */
export async function run(args: string[], serviceScript: string): Promise<number> {
  const { values } = parseArgs({
    args,
    options: { rounds: { type: "string", default: "10" }, trial: { type: "boolean", default: false } },
  });
  const rounds = Number(values.rounds);
  const [largest] = readFixtures().sites.toSorted((a, b) => b.visitors - a.visitors);
  const year = `site=${largest?.domain}&days=365`;
  const targets = {
    "`/stats`": `${BASE_PATH}/stats?${year}`,
    "`/breakdown`, pages": `${BASE_PATH}/breakdown?${year}&dimension=pages`,
  };
  const directly = join(dirname(serviceScript), "first-answer.mjs");
  const ways: Record<string, (target: string) => Promise<number[]>> = {
    directly: async (target) =>
      JSON.parse(
        execFileSync(process.execPath, [directly, target, `${REQUESTS}`], {
          encoding: "utf8",
          env: scrubbed,
        }),
      ),
    "over HTTP": askOverHttp,
  };
  const cases = Object.entries(targets).flatMap(([name, target]) =>
    Object.entries(ways).map(([way, ask]) => ({
      name: `${name}, ${way}`,
      measure: () => ask(target),
      cold: [] as number[],
      warm: [] as number[],
    })),
  );
  for (let round = 0; round < rounds; round++) {
    for (const { measure, cold, warm } of cases) {
      const [first = Number.NaN, ...others] = await measure();
      cold.push(first);
      warm.push(...others);
    }
  }
  const section = [
    `### A year of ${largest?.domain}, Node ${process.version.slice(1).split(".")[0]}`,
    `\`npm run bench -- reference\`, ${describeMachine()}, Node ${process.versions.node}; ${rounds} processes each, and ${REQUESTS - 1} more requests to each.`,
    table(
      ["milliseconds", "cold, median", "cold, least", "warm, median", "warm, p99"],
      cases.map(({ name, ...times }) => {
        const [cold, warm] = [sortTimes(times.cold), sortTimes(times.warm)];
        return [
          name,
          cold.at(0.5).toFixed(0),
          cold.least.toFixed(0),
          warm.at(0.5).toFixed(2),
          warm.at(0.99).toFixed(2),
        ];
      }),
    ),
  ].join("\n\n");
  publish(CHAPTER, section, values);
  return 0;
}

/** Over HTTP, from `analytics-mcp reference`. The first request also opens the connection. */
async function askOverHttp(path: string): Promise<number[]> {
  const command = ["bin/analytics-mcp.js", "reference", "--port", "0"];
  const program = await startProgram(process.execPath, command, {}, "Try: ");
  const [, origin = ""] = /Reference API at (\S+)\/api\/v1/.exec(program.output.stderr) ?? [];
  const agent = new Agent();
  const times: number[] = [];
  try {
    for (let request = 0; request < REQUESTS; request++) {
      const start = performance.now();
      const headers = { authorization: `Bearer ${DEMO_KEY}` };
      const { statusCode, body } = await agent.request({ origin, path, method: "GET", headers });
      const text = await body.text();
      if (statusCode !== 200) throw new Error(`${statusCode}: ${text}`);
      times.push(performance.now() - start);
    }
  } finally {
    await agent.close();
    await program.stop();
  }
  return times;
}
