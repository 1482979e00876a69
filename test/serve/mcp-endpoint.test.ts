import { afterEach, describe, expect, it } from "vitest";
import { createHttpClient } from "../../src/client/http-client.ts";
import type { Fetch } from "../../src/client/http-request.ts";
import { createServer } from "../../src/mcp/mcp-server.ts";
import { queries } from "../../src/reports/queries.ts";
import { createTestApi, DEMO_KEY } from "../support/api.ts";
import { clientKinds, connectHttp } from "../support/clients.ts";
import { startHttpServer } from "../support/http-server.ts";

const open: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const server of open.splice(0).reverse()) await server.close();
});

/** The analytics server behind the product's HTTP stack, a new one for each request. */
async function start(options: { fetch?: Fetch } = {}) {
  const { api, ask, time } = createTestApi();
  const { call } = createHttpClient({
    readTarget: () => ({
      baseUrl: "https://stats.example.test/api/v1",
      apiKey: DEMO_KEY,
      fetch: options.fetch ?? (async (url, init) => api(new Request(url, init))),
    }),
    clock: () => time.now,
  });
  let servers = 0;
  const server = await startHttpServer(() => {
    servers++;
    return createServer({ call, version: "0.0.0", admit: () => {}, about: { label: "a test" }, options: [] });
  });
  open.push(server);
  return { ...server, ask, servers: () => servers };
}

describe.each(clientKinds)("a real client over HTTP (%s)", (kind) => {
  const connect = async (url: string) => {
    const client = await connectHttp(kind, url);
    open.push(client);
    return client;
  };

  it("lists, calls and gets errors, with a new server for each request", async () => {
    const { url, ask, servers } = await start();
    const client = await connect(url);
    expect((await client.listTools()).tools).toHaveLength(queries.length);
    expect(client.instructions()).toContain("last_month");
    const { body } = await ask("/api/v1/stats?site=example.com&days=7");
    const before = servers();
    const result = await client.callTool("get_stats", { site: "example.com", days: 7 });
    expect(result.structuredContent).toMatchObject({ visitors: body.visitors, pageviews: body.pageviews });
    expect(result.content[0]?.text).toContain(`${body.visitors}\t${body.pageviews}`);
    expect(servers()).toBeGreaterThan(before);
    const mistaken = await client.callTool("get_stats", { site: "nope.example" });
    expect(mistaken.isError).toBe(true);
    expect(mistaken.content[0]?.text).toContain("shop.example.net");
    await expect(client.callTool("get_everything")).rejects.toMatchObject({ code: -32602 });
  });

  it("offers resources, prompts and completions", async () => {
    const client = await connect((await start()).url);
    expect((await client.listResources()).resources.map(({ uri }) => uri)).toContain("analytics://sites");
    expect((await client.listTemplates()).resourceTemplates).toHaveLength(1);
    const [content] = (await client.readResource("analytics://sites/example.com/overview")).contents;
    expect(JSON.parse(content?.text ?? "")).toMatchObject({ site: { domain: "example.com" } });
    await expect(client.readResource("analytics://nothing")).rejects.toMatchObject({ code: -32602 });
    expect((await client.listPrompts()).prompts).toHaveLength(3);
    const prompt = await client.getPrompt("weekly_report", { site: "example.com" });
    expect(prompt.messages[0]?.content.text).toContain("on the site example.com");
    const reference = { type: "ref/prompt", name: "weekly_report" };
    expect(await client.complete(reference, "site", "shop")).toEqual(["shop.example.net"]);
  });

  it("a cancelled call aborts upstream, and the next call is answered", async () => {
    const { api } = createTestApi();
    const controller = new AbortController();
    let aborted: () => void = () => {};
    const upstream = new Promise<void>((resolve) => {
      aborted = resolve;
    });
    const { url } = await start({
      fetch: (input, init) => {
        if (!input.includes("/realtime")) return Promise.resolve(api(new Request(input, init)));
        return new Promise((_, reject) => {
          init.signal?.addEventListener("abort", () => {
            reject(init.signal?.reason);
            aborted();
          });
          controller.abort();
        });
      },
    });
    const client = await connect(url);
    const call = client.callTool("get_realtime", { site: "example.com" }, controller.signal);
    await expect(call).rejects.toThrow();
    await upstream;
    expect((await client.callTool("list_sites")).isError).toBeFalsy();
  });
});

describe("the endpoint", () => {
  const frame = { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} };
  const post = async (url: string, headers: Record<string, string>, body = JSON.stringify(frame)) => {
    const accept = "application/json, text/event-stream";
    const all = { "content-type": "application/json", accept, ...headers };
    return fetch(url, { method: "POST", headers: all, body });
  };

  it.each(["https://evil.example", "http://127.0.0.1.evil.example", "null"])(
    "refuses a web page of another origin (%s)",
    async (origin) => {
      const { url } = await start();
      expect((await post(url, { origin })).status).toBe(403);
      expect((await post(url, { origin: new URL(url).origin })).status).toBe(200);
    },
  );

  it.each([
    ["*/*", 200],
    ["text/html, */*;q=0.8", 200],
    ["text/html", 406],
  ])("answers Accept: %s with %d", async (accept, status) => {
    const { url } = await start();
    expect((await post(url, { accept })).status).toBe(status);
  });

  it("refuses a host name that is not its own (DNS rebinding)", async () => {
    const { url, servers } = await start();
    const { createConnection } = await import("node:net");
    const { hostname, port } = new URL(url);
    const body = JSON.stringify(frame);
    const answer = await new Promise<string>((resolve) => {
      const socket = createConnection(Number(port), hostname);
      socket.on("data", (chunk) => resolve(chunk.toString()));
      socket.write(
        `POST /mcp HTTP/1.1\r\nHost: evil.example\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      );
      open.push({ close: async () => socket.destroy() });
    });
    expect(answer).toMatch(/^HTTP\/1\.1 403/);
    expect(servers()).toBe(0);
  });

  it("refuses a body of more than a megabyte before parsing it", async () => {
    const { url, servers } = await start();
    const padded = JSON.stringify({ ...frame, params: { padding: "x".repeat(1_000_000) } });
    expect((await post(url, {}, padded)).status).toBe(413);
    expect(servers()).toBe(0);
  });

  it("a call is cancelled only by its own conversation, even if request ids are equal", async () => {
    let answer: () => void = () => {};
    let asked: () => void = () => {};
    const arrived = new Promise<void>((resolve) => {
      asked = resolve;
    });
    const { api } = createTestApi();
    const { url } = await start({
      fetch: (input, init) =>
        new Promise((resolve, reject) => {
          asked();
          init.signal?.addEventListener("abort", () => reject(init.signal?.reason));
          answer = () => resolve(api(new Request(input, init)));
        }),
    });
    const headers = { "mcp-session-id": "one", authorization: "Bearer one" };
    const params = { name: "get_realtime", arguments: { site: "example.com" } };
    const call = post(url, headers, JSON.stringify({ ...frame, method: "tools/call", params })).then(
      (response) => response.text(),
    );
    await arrived;
    const cancel = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } };
    for (const strange of [{ "mcp-session-id": "two" }, { authorization: "Bearer two" }]) {
      expect((await post(url, { ...headers, ...strange }, JSON.stringify(cancel))).status).toBe(202);
    }
    answer();
    expect(await call).toContain("window_minutes");
  });
});

it("a failure of the server itself is reported, once, with status 500", async () => {
  const faults: string[] = [];
  const broken = () => {
    throw new Error("broken");
  };
  const server = await startHttpServer(broken, { onFault: ({ message }) => void faults.push(message) });
  open.push(server);
  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
  const response = await fetch(server.url, { method: "POST", headers, body });
  expect([response.status, faults]).toEqual([500, ["broken"]]);
});
