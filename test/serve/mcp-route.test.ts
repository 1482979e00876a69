import { once } from "node:events";
import { request as send } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { queries } from "../../src/reports/queries.ts";
import { startTestConnector } from "../support/connector.ts";
import { register, signIn } from "../support/oauth-client.ts";

const CURRENT = "2026-07-28";
const STREAMED = ["2025-06-18", "2025-11-25"];

let connector: Awaited<ReturnType<typeof startTestConnector>>;
let token: string;
beforeAll(async () => {
  connector = await startTestConnector();
  const client = (await register(connector)).body.client_id;
  token = String((await signIn(connector, { client })).body.access_token);
});
afterAll(() => connector.close());

interface Sent {
  headers: Record<string, string>;
  message: Record<string, unknown>;
}

const meta = {
  "io.modelcontextprotocol/protocolVersion": CURRENT,
  "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};
/** What Claude Code and other clients add to each call. */
const progress = { progressToken: 2, "claudecode/toolUseId": "toolu_01" };

function write(revision: string, name: string, input: object, own: object = {}): Sent {
  const isCurrent = revision === CURRENT;
  return {
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": revision,
      ...(isCurrent ? { "mcp-method": "tools/call", "mcp-name": name } : { "mcp-session-id": "one" }),
    },
    message: {
      jsonrpc: "2.0",
      id: 7,
      method: "tools/call",
      params: { name, arguments: input, _meta: isCurrent ? { ...meta, ...own } : own },
    },
  };
}

async function ask({ headers, message }: Sent, body = JSON.stringify(message)) {
  const response = await fetch(connector.mcp, { method: "POST", headers, body });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** The message of an answer, which is JSON or the one event of a stream. */
const readMessage = (text: string) => JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text);

const inputs: Record<string, object[]> = {
  list_sites: [{}, { site: "x" }],
  get_stats: [{ site: "example.com", days: 7 }, { site: "nope" }, { days: 7 }, { site: 1 }],
  get_timeseries: [{ site: "docs.example.com", days: 3 }],
  get_breakdown: [
    { site: "example.com", dimension: "pages", limit: 3 },
    { site: "example.com", dimension: "x" },
  ],
  get_realtime: [{ site: "example.com" }],
  get_openapi: [{}, { operation: "stats" }],
  get_overview: [{ site: "example.com", days: 7 }],
  compare_periods: [{ site: "example.com" }],
  get_conversions: [{ site: "example.com", goal: "events=signup", days: 7 }, { goal: "signup" }],
};
const calls = queries.flatMap(({ tool }) =>
  (inputs[tool.name] ?? []).map((input) => [tool.name, input] as const),
);

describe("a call gets the same answer on every revision, with and without a progress token", () => {
  it.each(calls)("%s %j", async (name, input) => {
    const results: Record<string, unknown>[] = [];
    for (const revision of [CURRENT, ...STREAMED]) {
      for (const own of [{}, progress]) {
        const { status, text } = await ask(write(revision, name, input, own));
        const { id, result } = readMessage(text);
        expect([status, id]).toEqual([200, 7]);
        const { resultType, _meta, ...rest } = result;
        expect(resultType).toBe(revision === CURRENT ? "complete" : undefined);
        results.push(rest);
      }
    }
    for (const result of results) expect(result).toEqual(results[0]);
    expect(results).toHaveLength(6);
  });

  it.each([CURRENT, ...STREAMED])("%s: as JSON, or as a stream of one event", async (revision) => {
    const { headers, text } = await ask(write(revision, "list_sites", {}));
    const type = revision === CURRENT ? "application/json" : "text/event-stream";
    expect(headers.get("content-type")).toBe(type);
    if (revision === CURRENT) expect(headers.get("content-length")).toBe(`${Buffer.byteLength(text)}`);
    else expect(text).toMatch(/^event: message\ndata: \{.*\}\n\n$/);
  });

  it.each([0, -1, "a", 'ü"', 2 ** 53 - 1])("with the id %j", async (id) => {
    const sent = write(CURRENT, "list_sites", {});
    expect(readMessage((await ask({ ...sent, message: { ...sent.message, id } })).text).id).toBe(id);
  });
});

interface Change {
  headers?: Record<string, string | undefined>;
  message?: object;
  body?: string;
}

const callOf = (name: string, input: object) => ({ params: { name, arguments: input, _meta: meta } });

it.each<[string, number, number, Change]>([
  ["no such tool", 200, -32_602, { headers: { "mcp-name": "nothing" }, message: callOf("nothing", {}) }],
  ["another name in its header", 400, -32_020, { headers: { "mcp-name": "get_stats" } }],
  ["no name in its header", 400, -32_020, { headers: { "mcp-name": undefined } }],
  ["another method in its header", 400, -32_020, { headers: { "mcp-method": "ping" } }],
  ["a revision that there is not", 400, -32_020, { headers: { "mcp-protocol-version": "2027-01-01" } }],
  ["arguments that are a list", 200, -32_602, { message: callOf("list_sites", []) }],
  ["JSON-RPC 1.0", 400, -32_600, { message: { jsonrpc: "1.0" } }],
  ["no JSON", 400, -32_700, { body: "{" }],
  ["an empty body", 400, -32_700, { body: "" }],
  ["text for a type", 415, -32_000, { headers: { "content-type": "text/plain" } }],
  ["a page's origin", 403, -32_000, { headers: { origin: "https://evil.example" } }],
])("refuses %s with %d and %d", async (_, status, code, change) => {
  const right = write(CURRENT, "list_sites", {});
  const headers: Record<string, string> = JSON.parse(JSON.stringify({ ...right.headers, ...change.headers }));
  const answer = await ask({ headers, message: { ...right.message, ...change.message } }, change.body);
  expect([answer.status, readMessage(answer.text).error.code]).toEqual([status, code]);
});

it("takes a long body in one piece", async () => {
  const sent = write(CURRENT, "list_sites", {});
  expect((await ask(sent, JSON.stringify(sent.message) + " ".repeat(20_000))).status).toBe(200);
});

describe("while the service has not answered", () => {
  /** Starts a call whose answer is delayed. */
  async function hold(revision: string) {
    let release = () => {};
    connector.hold.until = new Promise((resolve) => {
      release = resolve;
    });
    const { headers, message } = write(revision, "get_realtime", { site: "example.com" });
    const outgoing = send(connector.mcp, { method: "POST", headers });
    const begun = once(outgoing, "response");
    begun.catch(() => {});
    const answer = new Promise<string>((resolve) => {
      outgoing.on("error", () => resolve("hung up"));
      outgoing.on("response", (response) => {
        response.on("error", () => resolve("hung up"));
        let text = "";
        response.setEncoding("utf8").on("data", (chunk: string) => {
          text += chunk;
        });
        response.on("end", () => resolve(text));
      });
    });
    outgoing.end(JSON.stringify(message));
    await expect.poll(() => connector.hold.waiting).toBe(1);
    const asked = connector.upstream.length;
    return {
      outgoing,
      begun,
      answer,
      headers,
      /** Lets the service answer; returns whether it was still asked. */
      finish: async () => {
        release();
        await expect.poll(() => connector.hold.waiting).toBe(0);
        connector.hold.until = Promise.resolve();
        return connector.upstream.length > asked;
      },
    };
  }

  it.each([CURRENT, ...STREAMED])("a client of %s ends the call by hanging up", async (revision) => {
    const { outgoing, answer, finish } = await hold(revision);
    const countEnded = () => connector.lines.filter((line) => line.includes('"event":"request"')).length;
    const before = countEnded();
    outgoing.destroy();
    expect(await answer).toBe("hung up");
    await expect.poll(countEnded).toBeGreaterThan(before);
    expect(await finish()).toBe(false);
  });

  it.each(STREAMED)("a client of %s cancels it, only in its own conversation", async (revision) => {
    const { answer, headers, finish } = await hold(revision);
    const cancel = async (session: string) => {
      const message = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 7 } };
      const sent = { ...headers, "mcp-session-id": session };
      const response = await fetch(connector.mcp, {
        method: "POST",
        headers: sent,
        body: JSON.stringify(message),
      });
      expect(response.status).toBe(202);
    };
    await cancel("two");
    expect(await Promise.race([answer, new Promise((resolve) => setTimeout(resolve, 50, "waits"))])).toBe(
      "waits",
    );
    await cancel("one");
    expect(await answer).toBe("");
    expect(await finish()).toBe(false);
  });

  it.each(STREAMED)("a client of %s gets the headers before the answer", async (revision) => {
    const { begun, finish } = await hold(revision);
    await begun;
    expect(await finish()).toBe(true);
  });
});
