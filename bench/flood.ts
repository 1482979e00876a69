import { mkdtempSync, rmSync } from "node:fs";
import { Agent } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { startProgram } from "../test/support/processes.ts";
import { createHostileRequests } from "./hostile-requests.ts";
import { ask } from "./http.ts";
import { evaluate } from "./inspector.ts";
import { createSpeaker } from "./mcp.ts";
import { describeMachine, sortTimes } from "./measure.ts";
import { readResident } from "./proc.ts";
import { table } from "./results.ts";
import { createAuthorization } from "./sign-in.ts";

const MB = 1_048_576;
const DEMO_KEY = "demo-key-of-acme";
const CALL = { id: 1, method: "tools/call", params: { name: "get_stats", arguments: { days: 7 } } };
/** Between two honest calls, and between two honest sign-ins. */
const CALL_PAUSE_MS = 100;
const SIGN_IN_PAUSE_MS = 5_000;

/**
 * Floods `serve --demo` from many addresses while others use it, and reads its memory before, at the end, and after a
 * quiet time. Returns 1 if an honest request fails. Writes nothing.
 */
export async function run(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      seconds: { type: "string", default: "300" },
      /** Seconds without any request afterwards. */
      quiet: { type: "string", default: "60" },
      /** Hostile requests a second, at most. */
      rate: { type: "string", default: "420" },
      connections: { type: "string", default: "32" },
      /** `memory` or `sqlite`. */
      store: { type: "string", default: "memory" },
    },
  });
  const [duration, quiet] = [Number(values.seconds) * 1000, Number(values.quiet) * 1000];
  const server = await startServer(values.store);
  const honest = await createHonest(server.publicUrl);
  try {
    const alone = await honest.callFor(Math.min(10_000, duration));
    const memory: [when: string, figures: number[]][] = [["before", await server.readMemory()]];
    const samples: number[] = [];
    const timer = setInterval(() => samples.push(server.readResident()), 1_000);
    const crowd = startCrowd(server.publicUrl, Number(values.connections), Number(values.rate));
    const [beside, signIns] = await Promise.all([honest.callFor(duration), honest.signInFor(duration)]);
    const statuses = await crowd.stop();
    memory.push(["at the end", await server.readMemory()]);
    await wait(quiet);
    memory.push([`${values.quiet} s later`, await server.readMemory()]);
    clearInterval(timer);
    const total = Object.values(statuses).reduce((sum, count) => sum + count, 0);
    const everyTenth = samples.filter((_, index) => index % 10 === 0).map((mb) => mb.toFixed(0));
    const lines = [
      `\`npm run bench -- ${["flood", ...args].join(" ")}\`, ${describeMachine()}, Node ${process.versions.node}`,
      `${total} hostile requests in ${values.seconds} s, by status: ${JSON.stringify(statuses)}. Beside them, ${beside.count} calls and ${signIns} sign-ins; ${honest.failures.length} failed.`,
      `A call takes ${beside.at(0.5).toFixed(0)} ms (p99 ${beside.at(0.99).toFixed(0)} ms), alone ${alone.at(0.5).toFixed(0)} ms (p99 ${alone.at(0.99).toFixed(0)} ms).`,
      table(
        ["", "resident, MB", "heap, MB", "outside the heap, MB"],
        memory.map(([when, figures]) => [when, ...figures.map((mb) => mb.toFixed(0))]),
      ),
      `Resident, every 10 s: ${everyTenth.join(" ")}; ${Math.max(...samples).toFixed(0)} MB at most.`,
      ...honest.failures.slice(0, 5),
    ];
    process.stdout.write(`${lines.join("\n\n")}\n`);
    return honest.failures.length === 0 ? 0 : 1;
  } finally {
    honest.close();
    await server.stop();
  }
}

/** The built program with the demo's data. It believes `X-Forwarded-For`, so each request can have its own address. */
async function startServer(store: string) {
  const folder = mkdtempSync(join(tmpdir(), "flood-"));
  const files = ["--store", join(folder, "store.db"), "--secret-file", join(folder, "secret")];
  const serve = ["bin/analytics-mcp.js", "serve", "--demo", "--port", "0", "--trust-proxy"];
  const { child, output, stop } = await startProgram(
    process.execPath,
    ["--inspect=127.0.0.1:0", ...serve, ...(store === "memory" ? [] : files)],
    { ANALYTICS_CALLS_PER_MINUTE: "1000000" },
    "The connector is at",
  );
  const inspector = /ws:\S+/.exec(output.stderr)?.[0] ?? "";
  const [, publicUrl = ""] = /The connector is at (\S+):/.exec(output.stderr) ?? [];
  return {
    publicUrl,
    readResident: () => readResident(child.pid ?? 0),
    /** Resident memory, heap, and what is outside the heap, in MB. */
    readMemory: async () => {
      const resident = readResident(child.pid ?? 0);
      const { heapUsed, external } = Object(await evaluate(inspector, "process.memoryUsage()"));
      return [resident, heapUsed / MB, external / MB];
    },
    stop: async () => {
      await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A person who is signed in and calls a tool, and others who sign in. */
async function createHonest(publicUrl: string) {
  const agent = new Agent({ keepAlive: true });
  const authorization = createAuthorization(agent, publicUrl);
  const speaker = createSpeaker(agent, `${publicUrl}/mcp`, "current");
  const { access } = await authorization.signIn(DEMO_KEY, "10.0.0.1");
  const failures: string[] = [];
  return {
    failures,
    callFor: async (milliseconds: number) => {
      const times: number[] = [];
      for (const end = performance.now() + milliseconds; performance.now() < end; ) {
        const began = performance.now();
        const answer = await speaker.send(access, CALL);
        times.push(performance.now() - began);
        if (answer?.status !== 200) failures.push(`A call is answered with ${answer?.status}.`);
        await wait(CALL_PAUSE_MS);
      }
      return sortTimes(times);
    },
    signInFor: async (milliseconds: number) => {
      let count = 0;
      for (const end = performance.now() + milliseconds; performance.now() < end; count++) {
        const address = `10.1.${count >> 8}.${count & 255}`;
        await authorization.signIn(DEMO_KEY, address).catch((error) => failures.push(error.message));
        await wait(Math.min(SIGN_IN_PAUSE_MS, Math.max(0, end - performance.now())));
      }
      return count;
    },
    close: () => agent.destroy(),
  };
}

/** Sends hostile requests, one after the other on each connection and at most `rate` a second, until it is stopped. */
function startCrowd(publicUrl: string, connections: number, rate: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const hostile = createHostileRequests(publicUrl);
  const statuses: Record<string, number> = {};
  const start = performance.now();
  let [going, sent] = [true, 0];
  const drive = async () => {
    while (going) {
      if (sent >= ((performance.now() - start) / 1000) * rate) {
        await wait(10);
        continue;
      }
      sent++;
      const { path, ...request } = hostile.next();
      const answer = await ask(agent, publicUrl + path, request).catch(() => undefined);
      const status = answer?.status ?? "no answer";
      statuses[status] = (statuses[status] ?? 0) + 1;
      if (answer) hostile.learn(path, answer.text);
    }
  };
  const all = Promise.all(Array.from({ length: connections }, drive));
  return {
    stop: async () => {
      going = false;
      await all;
      agent.destroy();
      return statuses;
    },
  };
}
