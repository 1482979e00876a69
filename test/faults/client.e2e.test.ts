import { createServer, type Socket } from "node:net";
import { inspect } from "node:util";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createHttpClient } from "../../src/client/http-client.ts";
import { createNetworkFetch } from "../../src/client/network.ts";
import { AnalyticsError } from "../../src/errors.ts";
import type { Call } from "../../src/operations/call.ts";
import { breakdown } from "../../src/operations/index.ts";
import { answerRightly, type FaultProxy, startFaultProxy } from "../support/fault-proxy.ts";
import { wireFaults } from "./wire-faults.ts";

const KEY = "canary-key-5d0c97-of-the-client";
const LIMITS = { deadline: 60_000, firstBackoff: 5, maxBackoff: 20 };
/** Milliseconds: short for what must run into a time limit, long otherwise, since the machine may be busy. */
const [SHORT_MS, LONG_MS] = [300, 20_000];
/** Its answer has multi-byte characters. */
const QUESTION = { site: "example.com", dimension: "cities", limit: 50, days: 30 } as const;
const PATH = "/api/v1/breakdown?site=example.com&dimension=cities&limit=50&days=30";

// Many of these only wait for a time limit.
vi.setConfig({ maxConcurrency: 20 });

let proxy: FaultProxy;
let right: unknown;
beforeAll(async () => {
  proxy = await startFaultProxy();
  right = JSON.parse(await proxy.read(PATH));
});
afterAll(() => proxy.close());

/** A wait for a time limit takes up to a second, so that what runs into one is tried again only once. */
function createCall(origin: string, timeout: number): Call {
  const fetch = createNetworkFetch({
    connectTimeout: timeout,
    headersTimeout: timeout,
    bodyTimeout: timeout,
  });
  const limits = { ...LIMITS, ...(timeout === SHORT_MS && { attempts: 2 }) };
  const target = { baseUrl: `${origin}/api/v1`, apiKey: KEY, fetch };
  return createHttpClient({ readTarget: () => target, clock: Date.now, limits }).call;
}

/** Fails if the error is not an AnalyticsError, comes late, or contains the key. */
async function ask(call: Call) {
  const began = performance.now();
  const { answer, error } = await call(breakdown, QUESTION).then(
    (answer) => ({ answer, error: undefined }),
    (error: unknown) => ({ answer: undefined, error }),
  );
  expect(performance.now() - began).toBeLessThan(LIMITS.deadline + 5_000);
  if (answer) return { outcome: "right", answer };
  expect(error).toBeInstanceOf(AnalyticsError);
  expect(inspect(error, { depth: 10, showHidden: true }).toLowerCase()).not.toContain(KEY);
  const { code, hint } = error as AnalyticsError;
  return { outcome: code, hint };
}

describe.concurrent("what happens on the wire ends in the right answer or a clear failure, and is over with it", () => {
  const cases = wireFaults.map(({ name, ...rest }) => [name, rest] as const);
  it.each(cases)("%s", async (_, { outcome, fault, slow }) => {
    const line = proxy.open(fault);
    const call = createCall(line.origin, slow ? SHORT_MS : LONG_MS);
    const first = await ask(call);
    const second = await ask(call);
    expect([first.outcome, second.outcome]).toEqual([outcome, outcome]);
    // The service says what a parameter must be.
    if (outcome !== "right" && outcome !== "invalid_parameter") expect(first.hint).toMatch(/\w/);
    for (const each of [first, second]) expect(each.answer ?? right).toEqual(right);
    line.fault = answerRightly;
    const askAgain = async () => expect(await ask(call)).toEqual({ outcome: "right", answer: right });
    // On a busy machine a right answer may take longer than the short time limit.
    await (slow ? vi.waitFor(askAgain, { timeout: 60_000 }) : askAgain());
    expect(new Set(line.requests.map(({ key }) => key))).toEqual(new Set([KEY]));
  });

  it.each<[string, string, (socket: Socket) => unknown]>([
    ["is closed", "unreachable", (socket) => socket.destroy()],
    ["is reset", "unreachable", (socket) => socket.resetAndDestroy()],
    ["is closed after the first bytes", "unreachable", (socket) => socket.once("data", () => socket.end())],
    ["is answered by something else", "tls", (socket) => socket.end("220 mail.example.com ESMTP\r\n")],
    ["stalls", "timeout", () => {}],
  ])("a TLS handshake that %s", async (_, outcome, fault) => {
    const server = createServer((socket) => fault(socket.on("error", () => {})));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    const port = typeof address === "object" ? address?.port : 0;
    const call = createCall(`https://127.0.0.1:${port}`, outcome === "timeout" ? SHORT_MS : LONG_MS);
    expect((await ask(call)).outcome).toBe(outcome);
    server.close();
  });
});
