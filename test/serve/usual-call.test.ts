import { request as send } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { questions } from "../../src/insights/question.ts";
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

/** A call as clients usually send it. */
function write(revision: string, name: string, input: object, id: unknown = 7): Sent {
  const isCurrent = revision === CURRENT;
  return {
    headers: {
      ...{ authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...{ accept: "application/json, text/event-stream", "mcp-protocol-version": revision },
      ...(isCurrent ? { "mcp-method": "tools/call", "mcp-name": name } : { "mcp-session-id": "one" }),
    },
    message: {
      ...{ jsonrpc: "2.0", id, method: "tools/call" },
      params: { name, arguments: input, ...(isCurrent && { _meta: meta }) },
    },
  };
}

/** The same, which the SDK answers: its `Accept` has more than is usual. */
const unusually = ({ headers, message }: Sent): Sent => ({
  headers: { ...headers, accept: `${headers.accept}, */*;q=0.1` },
  message,
});

async function ask({ headers, message }: Sent, body = JSON.stringify(message)) {
  const response = await fetch(connector.mcp, { method: "POST", headers, body });
  const text = await response.text();
  // How the body is sent, and when, is all that differs.
  const {
    date,
    "content-length": length,
    "transfer-encoding": _,
    "keep-alive": __,
    ...rest
  } = Object.fromEntries(response.headers);
  return { status: response.status, headers: rest, text, isUsual: length !== undefined };
}

const inputs: Record<string, object[]> = {
  list_sites: [{}, { site: "x" }],
  get_stats: [
    { site: "example.com" },
    { site: "example.com", days: 7 },
    { site: "nope" },
    { days: 7 },
    { site: 1 },
  ],
  get_timeseries: [
    { site: "docs.example.com", days: 3 },
    { site: "example.com", days: 400 },
  ],
  get_breakdown: [
    { site: "example.com", dimension: "pages", limit: 3 },
    { site: "example.com", dimension: "x" },
  ],
  get_realtime: [{ site: "example.com" }],
  get_openapi: [{}, { operation: "stats" }],
  get_overview: [{ site: "example.com", days: 7 }],
  compare_periods: [{ site: "example.com" }],
};
const calls = questions.flatMap(({ tool }) =>
  (inputs[tool.name] ?? []).map((input) => [tool.name, input] as const),
);

describe.each([CURRENT, ...STREAMED])("a usual call of %s is answered as the SDK answers it", (revision) => {
  it.each(calls)("%s %j", async (name, input) => {
    const sent = write(revision, name, input);
    const [usual, usualAgain, other] = [await ask(sent), await ask(sent), await ask(unusually(sent))];
    expect({ ...usual, isUsual: false }).toEqual({ ...other, isUsual: false });
    expect(usualAgain.text).toBe(usual.text);
    if (revision === CURRENT) expect([usual.isUsual, other.isUsual]).toEqual([true, false]);
  });

  it.each([0, -1, "a", 'ü"', 2 ** 53 - 1])("with the id %j", async (id) => {
    const sent = write(revision, "list_sites", {}, id);
    const [usual, other] = [await ask(sent), await ask(unusually(sent))];
    expect(usual.text).toBe(other.text);
    expect(usual.text).toContain(JSON.stringify(id));
  });
});

/** Each is changed in one thing. */
const changed: Record<string, (sent: Sent) => [Sent, string?]> = {
  "no such tool": ({ headers, message }) => [
    {
      headers: { ...headers, "mcp-name": "nothing" },
      message: { ...message, params: { _meta: meta, name: "nothing", arguments: {} } },
    },
  ],
  "another name in its header": ({ headers, message }) => [
    { headers: { ...headers, "mcp-name": "get_stats" }, message },
  ],
  "no name in its header": ({ headers: { "mcp-name": _, ...headers }, message }) => [{ headers, message }],
  "another method in its header": ({ headers, message }) => [
    { headers: { ...headers, "mcp-method": "ping" }, message },
  ],
  "another revision in its body": ({ headers, message }) => [
    {
      headers,
      message: {
        ...message,
        params: {
          name: "list_sites",
          arguments: {},
          _meta: { ...meta, "io.modelcontextprotocol/protocolVersion": "2025-11-25" },
        },
      },
    },
  ],
  "a revision that there is not": ({ headers, message }) => [
    { headers: { ...headers, "mcp-protocol-version": "2027-01-01" }, message },
  ],
  "no revision": ({ headers: { "mcp-protocol-version": _, ...headers }, message }) => [{ headers, message }],
  "a progress token": ({ headers, message }) => [
    {
      headers,
      message: {
        ...message,
        params: { name: "list_sites", arguments: {}, _meta: { ...meta, progressToken: 1 } },
      },
    },
  ],
  "no arguments": ({ headers, message }) => [
    { headers, message: { ...message, params: { name: "list_sites", _meta: meta } } },
  ],
  "arguments that are a list": ({ headers, message }) => [
    { headers, message: { ...message, params: { name: "list_sites", arguments: [], _meta: meta } } },
  ],
  "no id": ({ headers, message: { id: _, ...message } }) => [{ headers, message }],
  "null for an id": ({ headers, message }) => [{ headers, message: { ...message, id: null } }],
  "a fraction for an id": ({ headers, message }) => [{ headers, message: { ...message, id: 0.5 } }],
  "JSON-RPC 1.0": ({ headers, message }) => [{ headers, message: { ...message, jsonrpc: "1.0" } }],
  "a member more": ({ headers, message }) => [{ headers, message: { ...message, more: 1 } }],
  "several in one": ({ headers, message }) => [{ headers, message: {} }, JSON.stringify([message])],
  "no JSON": ({ headers, message }) => [{ headers, message }, "{"],
  "an empty body": ({ headers, message }) => [{ headers, message }, ""],
  "text for a type": ({ headers, message }) => [
    { headers: { ...headers, "content-type": "text/plain" }, message },
  ],
  "JSON alone to be accepted": ({ headers, message }) => [
    { headers: { ...headers, accept: "application/json" }, message },
  ],
  "a page's origin": ({ headers, message }) => [
    { headers: { ...headers, origin: "https://evil.example" }, message },
  ],
  "a long body": ({ headers, message }) => [
    { headers, message },
    JSON.stringify(message) + " ".repeat(20_000),
  ],
};

it.each(Object.entries(changed))("%s is left to the SDK", async (_, change) => {
  const [sent, body] = change(write(CURRENT, "list_sites", {}));
  const [first, other] = [await ask(sent, body), await ask(unusually(sent), body)];
  const isRefused = sent.headers.accept === "application/json";
  if (!isRefused) expect(first).toEqual(other);
  expect(first.isUsual).toBe(false);
});

describe("while the service thinks", () => {
  /** A call whose answer is held back, with what its client may do meanwhile. */
  async function hold(revision: string) {
    let release = () => {};
    connector.hold.until = new Promise((resolve) => {
      release = resolve;
    });
    const { headers, message } = write(revision, "get_realtime", { site: "example.com" });
    const outgoing = send(connector.mcp, { method: "POST", headers });
    const answer = new Promise<string>((resolve) => {
      outgoing.on("response", async (response) => {
        let text = "";
        response.on("error", () => {});
        for await (const chunk of response) text += chunk;
        resolve(text);
      });
      outgoing.on("error", () => resolve("hung up"));
    });
    outgoing.end(JSON.stringify(message));
    await expect.poll(() => connector.hold.waiting).toBe(1);
    const asked = connector.upstream.length;
    return {
      ...{ outgoing, answer, headers },
      /** Whether the service was still to be asked. */
      finish: async () => {
        release();
        await expect.poll(() => connector.hold.waiting).toBe(0);
        connector.hold.until = Promise.resolve();
        return connector.upstream.length > asked;
      },
    };
  }

  it.each([CURRENT, ...STREAMED])("a client of %s that hangs up ends the call", async (revision) => {
    const { outgoing, answer, finish } = await hold(revision);
    outgoing.destroy();
    expect(await answer).toBe("hung up");
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await finish()).toBe(false);
  });

  it.each(STREAMED)("a client of %s cancels it, in its own conversation alone", async (revision) => {
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

  it.each(STREAMED)("a client of %s has the headers soon", async (revision) => {
    const { outgoing, finish } = await hold(revision);
    await new Promise((resolve) => outgoing.once("response", resolve));
    expect(await finish()).toBe(true);
  });
});
