import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, expect, it } from "vitest";
import { readLiveHeap } from "../../bench/inspector.ts";
import { DEMO_KEY } from "../support/api.ts";
import { signIn } from "../support/attacker.ts";
import { spawn } from "../support/child-process.js";
import { brokenFrame, conversation, lastRequest, readAnswers } from "./frames.ts";
import { SECONDS, sample, TIMEOUT_MS } from "./fuzz.ts";
import { createSender, toBytes } from "./http.ts";
import { writeOut } from "./mutations.ts";

const MB = 1_048_576;
/** What a process may hold more after a round than after the one before: code that was compiled late, and caches. */
const MAX_GROWTH = 3 * MB;
const ROUNDS = 4;
const AT_ONCE = 5;
const PATIENCE_MS = 30_000;
const FRAMES = 30 * Math.ceil(SECONDS);

const bin = resolve("bin/analytics-mcp.js");
const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

/** The built program with its inspector open, which shows the live heap. */
async function start(args: string[], words: string) {
  const folder = mkdtempSync(join(tmpdir(), "fuzz-"));
  open.push(() => rmSync(folder, { recursive: true, force: true }));
  const child = spawn(process.execPath, ["--inspect=127.0.0.1:0", bin, ...args], {
    env: { XDG_STATE_HOME: folder, ANALYTICS_CALLS_PER_MINUTE: "10000000" },
  });
  open.push(async () => {
    const closed = child.exitCode === null ? once(child, "close") : undefined;
    child.kill("SIGKILL");
    await closed;
  });
  const output = { stdout: "", stderr: "" };
  child.stdout.on("data", (chunk) => {
    output.stdout += chunk;
  });
  child.stderr.on("data", (chunk) => {
    output.stderr += chunk;
  });
  child.stdin.on("error", () => {});
  await expect.poll(() => output.stderr).toContain(words);
  const [address = ""] = /ws:\/\/\S+/.exec(output.stderr) ?? [];
  const measure = async () => ({
    heap: await readLiveHeap(address),
    handles: readdirSync(`/proc/${child.pid}/fd`).length,
  });
  return { child, output, measure };
}

type Measure = { heap: number; handles: number };

/** Flat: not more after each round, but for what one round in between may have left to be. */
function expectFlat(measures: Measure[]): void {
  const [first, ...rest] = measures.slice(1);
  const last = rest.at(-1);
  const growth = ((last?.heap ?? 0) - (first?.heap ?? 0)) / rest.length;
  expect(growth, JSON.stringify(measures)).toBeLessThan(MAX_GROWTH / ROUNDS);
  expect(last?.handles, JSON.stringify(measures)).toBeLessThanOrEqual((first?.handles ?? 0) + 8);
  if (process.env.FUZZ_SECONDS !== undefined) {
    const heaps = measures.map(({ heap }) => (heap / MB).toFixed(1)).join(", ");
    const handles = measures.map((each) => each.handles).join(", ");
    process.stdout.write(`fuzz: ${FRAMES} a round: live heap ${heaps} MB; handles ${handles}\n`);
  }
}

it("over standard input the server holds no more after many frames", {
  timeout: TIMEOUT_MS * 2,
}, async () => {
  const { child, output, measure } = await start(["--demo"], "Debugger listening");
  const measures: Measure[] = [];
  let sent = 0;
  for (let round = 0; round <= ROUNDS; round++) {
    const conversations = sample(conversation, Math.ceil(FRAMES / 5));
    const lines = conversations
      .flat()
      .map(writeOut)
      .filter((line) => !/subscriptions.{1,6}listen/.test(line));
    for (const line of lines) {
      if (!child.stdin.write(`${line}\n`)) await once(child.stdin, "drain");
      sent += line.split("\n").length;
    }
    const key = `round ${round}`;
    child.stdin.write(`${lastRequest(key)}\n`);
    await expect.poll(() => output.stdout, { timeout: TIMEOUT_MS }).toContain(`"id":"${key}"`);
    readAnswers(output.stdout.split("\n").slice(0, -1));
    output.stdout = "";
    measures.push(await measure());
  }
  expect(child.exitCode).toBeNull();
  expect(sent).toBeGreaterThan(FRAMES);
  expect(output.stderr).not.toContain(DEMO_KEY);
  expectFlat(measures);
});

it("over HTTP the connector holds no more after many frames", { timeout: TIMEOUT_MS * 2 }, async () => {
  const { child, output, measure } = await start(
    ["serve", "--demo", "--port", "0", "--log-level", "error"],
    "The connector is at",
  );
  const [, origin = ""] = /The connector is at (\S+):/.exec(output.stderr) ?? [];
  const { access } = await signIn(origin);
  const sender = createSender(origin, PATIENCE_MS);
  open.push(() => sender.close());
  const ask = async (body: string, generation: string) => {
    const [, method = "tools/list"] = /"method":"([\w/]{1,50})"/.exec(body) ?? [];
    const headers = {
      "mcp-method": method,
      authorization: `Bearer ${access}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": generation,
      "mcp-session-id": "a session",
    };
    const wait = /subscriptions.{1,6}listen/.test(body) ? 20 : PATIENCE_MS;
    return sender.send({ method: "POST", path: "/mcp", headers, body: toBytes(writeOut(body)) }, wait);
  };
  const measures: Measure[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    for (let asked = 0; asked < FRAMES; asked += 2 * AT_ONCE) {
      await Promise.all([
        ...sample(brokenFrame("before"), AT_ONCE).map((body) => ask(body, "2025-11-25")),
        ...sample(brokenFrame("current"), AT_ONCE).map((body) => ask(body, "2026-07-28")),
      ]);
    }
    measures.push(await measure());
  }
  expect(child.exitCode).toBeNull();
  expect((await ask(lastRequest("the last"), "2026-07-28")).status).toBe(200);
  expect(output.stdout + output.stderr).not.toContain(access);
  expectFlat(measures);
});
