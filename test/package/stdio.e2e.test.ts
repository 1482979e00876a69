import { once } from "node:events";
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import { writeProfile } from "../../src/config/profiles.ts";
import { queries } from "../../src/reports/queries.ts";
import { createTestApi, DEMO_KEY, NOW } from "../support/api.ts";
import { spawn } from "../support/child-process.js";
import { clientKinds, spawnClient, type TestClient } from "../support/clients.ts";
import { answerRightly, type FaultyServer, send, startServer } from "../support/faulty-server.ts";
import { createHome } from "../support/profiles.ts";

const { bin } = inject("installed");
const CANARY = "canary-4f1c9a2e77d04b6f";
const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

async function connect(...options: Parameters<typeof spawnClient>): Promise<TestClient> {
  const client = await spawnClient(...options);
  open.push(client);
  return client;
}

async function serve(listener: Parameters<typeof startServer>[0]): Promise<FaultyServer> {
  const server = await startServer(listener);
  open.push(server);
  return server;
}

const initialize = (id: number) => ({
  jsonrpc: "2.0",
  id,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
});

/** Deeper than the stack of what reads it recursively. */
const nest = (open: string, close: string, core = "") => open.repeat(20_000) + core + close.repeat(20_000);

/** The installed command with its raw streams. */
function start(args: string[] = [], env: Record<string, string> = {}) {
  const child = spawn(bin, args, {
    env,
  });
  const output = { stdout: "", stderr: "" };
  child.stdout.on("data", (chunk: Buffer) => {
    output.stdout += chunk;
  });
  child.stderr.on("data", (chunk: Buffer) => {
    output.stderr += chunk;
  });
  child.stdin.on("error", () => {});
  open.push({ close: () => child.kill("SIGKILL") });
  return {
    child,
    output,
    send: (message: unknown) => child.stdin.write(`${JSON.stringify(message)}\n`),
    /** Waits until stdout holds the text. */
    until: async (text: string) => {
      while (!output.stdout.includes(text)) await once(child.stdout, "data");
    },
  };
}

describe.each(clientKinds)("the packed server with a real client (%s)", (kind) => {
  /** A client of the demonstration, which several tests ask. */
  let client: TestClient;
  beforeAll(async () => {
    client = await spawnClient(kind, bin, ["--demo"]);
  });
  afterAll(() => client.close());

  it("answers from the demo", async () => {
    expect((await client.listTools()).tools.map((tool) => tool.name)).toContain("get_stats");
    expect(client.instructions()).toContain("demonstration");
    expect(client.serverInfo()).toMatchObject({
      name: "analytics-mcp",
      title: "Web Analytics",
      icons: [
        { mimeType: "image/svg+xml", src: expect.stringMatching(/^data:image\/svg\+xml;base64,.{100,400}$/) },
      ],
    });
    const result = await client.callTool("get_stats", { site: "example.com", days: 7 });
    expect(result.isError).toBeFalsy();
    expect(result.structuredContent).toMatchObject({
      site: { domain: "example.com" },
      period: { days: 7, timezone: "Europe/Berlin" },
      receipt: { command: "analytics-mcp stats --site example.com --days 7 --demo" },
    });
    expect(client.stderr()).toBe("");
  });

  it("answers from a service over HTTP, with its key", async () => {
    const server = await serve(async (request, response) => {
      const right = await answerRightly(request);
      send(response, right.status, right.headers, right.body);
    });
    const env = { ANALYTICS_API_KEY: CANARY, ANALYTICS_BASE_URL: server.origin };
    const client = await connect(kind, bin, [], env);
    const { body } = await createTestApi({ start: NOW }).ask("/api/v1/stats?site=example.com&days=7");
    const result = await client.callTool("get_stats", { site: "example.com", days: 7 });
    expect(result.structuredContent).toMatchObject({ visitors: body.visitors, pageviews: body.pageviews });
    expect(server.requests.map((request) => request.headers.authorization)).toEqual([`Bearer ${CANARY}`]);
  });

  it("finds the key that login saves while it runs, and nothing more than --profile in its arguments", async () => {
    const server = await serve(async (request, response) => {
      const right = await answerRightly(request);
      send(response, right.status, right.headers, right.body);
    });
    const home = createHome();
    const client = await connect(kind, bin, ["--profile", "acme"], home);
    const refused = await client.callTool("get_stats", { days: 7 });
    expect([refused.isError, refused.content[0]?.text]).toEqual([
      true,
      expect.stringContaining("analytics-mcp login --profile acme"),
    ]);
    writeProfile(home, "acme", { baseUrl: server.origin, apiKey: CANARY, site: "example.com" });
    const result = await client.callTool("get_stats", { days: 7 });
    expect(result.structuredContent).toMatchObject({
      site: { domain: "example.com" },
      receipt: { command: "analytics-mcp stats --site example.com --days 7 --profile acme" },
    });
    expect(server.requests.map((request) => request.headers.authorization)).toEqual([`Bearer ${CANARY}`]);
  });

  it("answers a mistake with what to do instead", async () => {
    const result = await client.callTool("get_breakdown", { site: "example.com", dimension: "nope" });
    expect(result.isError).toBe(true);
    expect(result.content[0]?.text).toContain("dimension must be one of pages");
    await expect(client.callTool("get_everything")).rejects.toMatchObject({ code: -32602 });
  });

  it("offers resources, prompts and completions", async () => {
    const uris = (await client.listResources()).resources.map((resource) => resource.uri);
    expect(uris).toEqual([
      "analytics://sites",
      "analytics://openapi",
      "analytics://llms.txt",
      "ui://analytics-mcp/chart.html",
    ]);
    const [template] = (await client.listTemplates()).resourceTemplates;
    expect(template?.uriTemplate).toBe("analytics://sites/{site}/overview");
    const read = async (uri: string) => (await client.readResource(uri)).contents[0]?.text ?? "";
    expect(JSON.parse(await read("analytics://sites")).sites).toHaveLength(5);
    expect(JSON.parse(await read("analytics://openapi")).openapi).toBe("3.1.1");
    expect(await read("analytics://llms.txt")).toMatch(/^# analytics-mcp/);
    expect(await read("ui://analytics-mcp/chart.html")).toMatch(/^<!doctype html>[\s\S]*<\/html>\n$/);
    expect(JSON.parse(await read("analytics://sites/example.com/overview"))).toMatchObject({
      period: { days: 30 },
    });
    for (const missing of ["analytics://nothing", "analytics://sites/nope.example/overview"]) {
      await expect(client.readResource(missing)).rejects.toMatchObject({ code: -32602 });
    }

    const prompts = (await client.listPrompts()).prompts.map((prompt) => prompt.name);
    expect(prompts).toEqual(["weekly_report", "what_changed", "traffic_drop_check"]);
    const prompt = await client.getPrompt("what_changed", {
      site: "example.com",
      days: "14",
      dimension: "pages",
    });
    expect(prompt.messages[0]?.content.text).toContain("compare_periods with days=14 and dimension=pages");

    for (const args of [{ days: "abc" }, { days: "0" }, { days: "183" }, { dimension: "colours" }]) {
      const said = "days" in args ? /whole number from 1 to 182/ : /one of pages, /;
      await expect(client.getPrompt("what_changed", args)).rejects.toThrow(said);
    }
    const empty = await client.getPrompt("what_changed", { days: "", dimension: "" });
    expect(empty.messages[0]?.content.text).toContain("compare_periods with days=7.");
    const reference = { type: "ref/prompt", name: "what_changed" };
    expect(await client.complete(reference, "site", "shop")).toEqual(["shop.example.net"]);
    expect(await client.complete(reference, "dimension", "c")).toEqual(
      expect.arrayContaining(["countries", "channels"]),
    );
    const place = { type: "ref/resource", uri: "analytics://sites/{site}/overview" };
    expect(await client.complete(place, "site", "example.c")).toEqual(["example.com", "docs.example.com"]);
  });

  it("starts without a key, lists its tools, and a call says how to get one", async () => {
    for (const env of [{}, { ANALYTICS_API_KEY: "${ANALYTICS_API_KEY}" }] as Record<string, string>[]) {
      const client = await connect(kind, bin, [], env);
      expect((await client.listTools()).tools).toHaveLength(queries.length);
      const result = await client.callTool("list_sites");
      expect(result.isError).toBe(true);
      expect(result.content[0]?.text).toContain("ANALYTICS_API_KEY");
      expect(result.content[0]?.text).toContain("--demo");
      expect(await client.complete({ type: "ref/prompt", name: "weekly_report" }, "site", "")).toEqual([]);
      await expect(client.readResource("analytics://sites")).rejects.toThrow("ANALYTICS_API_KEY");
    }
  });

  it("with a key and no base URL says what to set", async () => {
    const client = await connect(kind, bin, [], { ANALYTICS_API_KEY: CANARY });
    const result = await client.callTool("list_sites");
    expect(result.content[0]?.text).toContain("ANALYTICS_BASE_URL");
    expect(result.content[0]?.text).not.toContain(CANARY);
  });

  it("a cancelled call aborts upstream, and the next call is answered", async () => {
    let aborted: () => void = () => {};
    const upstream = new Promise<void>((resolve) => {
      aborted = resolve;
    });
    const controller = new AbortController();
    const server = await serve(async (request, response) => {
      if (!request.url?.startsWith("/api/v1/realtime")) {
        const right = await answerRightly(request);
        return send(response, right.status, right.headers, right.body);
      }
      request.socket.on("close", aborted);
      controller.abort();
    });
    const env = { ANALYTICS_API_KEY: CANARY, ANALYTICS_BASE_URL: server.origin };
    const client = await connect(kind, bin, [], env);
    await expect(
      client.callTool("get_realtime", { site: "example.com" }, controller.signal),
    ).rejects.toThrow();
    await upstream;
    expect((await client.callTool("list_sites")).isError).toBeFalsy();
  });
});

describe("the packed server on raw streams", () => {
  it("writes frames and nothing else to stdout, each on a line", async () => {
    const { child, send, until, output } = start(["--demo"]);
    send(initialize(1));
    await until('"id":1');
    send({ jsonrpc: "2.0", method: "notifications/initialized" });
    child.stdin.write("this is no JSON\n\n{}\n[]\n");
    send({
      jsonrpc: "2.0",
      id: 2,
      method: "tools/call",
      params: { name: "get_stats", arguments: { site: "example.com" } },
    });
    send({ jsonrpc: "2.0", id: 3, method: "nothing/here" });
    await until('"id":3');
    await until('"id":2');
    const frames = output.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    for (const frame of frames) expect(frame.jsonrpc).toBe("2.0");
    expect(
      frames
        .map((frame) => frame.id)
        .filter((id) => id !== undefined && id !== null)
        .sort(),
    ).toEqual([1, 2, 3]);
  });

  it.each([
    ["a version that cannot be written as text", `{"toString":1}`, "{}"],
    ["a version of nested arrays", nest("[", "]"), "{}"],
    ["capabilities of nested arrays", '"2025-11-25"', `{"experimental":{"x":{"y":${nest("[", "]")}}}}`],
    ["capabilities of nested objects", '"2025-11-25"', `{"experimental":${nest('{"x":', "}", "{}")}}`],
  ])("answers %s with an error, and goes on", async (_, version, capabilities) => {
    const { child, send, until, output } = start(["--demo"]);
    const params = `{"protocolVersion":${version},"capabilities":${capabilities},"clientInfo":{"name":"raw","version":"1"}}`;
    child.stdin.write(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":${params}}\n`);
    await until('"id":1');
    expect(JSON.parse(output.stdout).error.code).toBeLessThan(-32_000);
    send(initialize(2));
    await until('"id":2');
    expect(output.stdout).toContain('"result":{"protocolVersion":"2025-06-18"');
  });

  it("answers a call with nested arrays for an argument, and goes on", async () => {
    const { child, send, until, output } = start(["--demo"]);
    send(initialize(1));
    const params = `{"name":"get_stats","arguments":{"site":${nest("[", "]")}}}`;
    child.stdin.write(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":${params}}\n`);
    await until('"id":2');
    expect(output.stdout).toContain("site must be a string");
    send({ jsonrpc: "2.0", id: 3, method: "ping" });
    await until('"id":3');
  });

  it("reads a message that comes in pieces, amid a letter, and with CRLF", async () => {
    const { child, until, output } = start(["--demo"]);
    const line = Buffer.from(`${JSON.stringify({ ...initialize(1), id: "naïve" })}\r\n`);
    for (let at = 0; at < line.length; at += 27) {
      child.stdin.write(line.subarray(at, at + 27));
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    await until('"id":"naïve"');
    expect(JSON.parse(output.stdout).result.serverInfo.name).toBe("analytics-mcp");
  });

  it("refuses what has a member too many, and what comes in a batch", async () => {
    const { send, until } = start(["--demo"]);
    send(initialize(1));
    send({ jsonrpc: "2.0", id: 2, method: "ping", more: 1 });
    await until('{"jsonrpc":"2.0","id":2,"error":{"code":-32600,"message":"Invalid Request"}}');
    send([{ jsonrpc: "2.0", id: 3, method: "ping" }]);
    await until('{"jsonrpc":"2.0","id":3,"error":{"code":-32600,"message":"Invalid Request"}}');
  });

  it.each([
    ["2024-11-05", "2024-11-05"],
    ["2025-03-26", "2025-03-26"],
    ["2025-11-25", "2025-11-25"],
    ["1999-01-01", "2025-11-25"],
  ])("answers %s with %s", async (asked, told) => {
    const { send, until } = start(["--demo"]);
    const greeting = initialize(1);
    send({ ...greeting, params: { ...greeting.params, protocolVersion: asked } });
    await until(`"protocolVersion":"${told}"`);
  });

  it("ends at once when its input ends, even with a call under way", async () => {
    const server = await serve(() => {});
    const env = { ANALYTICS_API_KEY: CANARY, ANALYTICS_BASE_URL: server.origin };
    const { child, send, until } = start([], env);
    send(initialize(1));
    await until('"id":1');
    send({ jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "list_sites", arguments: {} } });
    while (server.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    child.stdin.end();
    const [code] = await once(child, "exit");
    expect(code).toBe(0);
  });

  it("ends when it gets no input at all", async () => {
    const { child } = start();
    child.stdin.end();
    expect(await once(child, "exit")).toEqual([0, null]);
  });

  it("fails when a message is longer than the transport takes, and names the limit", async () => {
    const { child, output } = start(["--demo"]);
    child.stdin.write("x".repeat(12_000_000));
    const [code] = await once(child, "exit");
    expect([code, output.stdout]).toEqual([1, ""]);
    expect(output.stderr).toContain("more than 10 MiB");
  });

  it("warns of nothing when its client reads slowly", async () => {
    const { child, output, send } = start(["--demo"]);
    send(initialize(1));
    send({ jsonrpc: "2.0", method: "notifications/initialized" });
    child.stdout.pause();
    const ask = { name: "get_timeseries", arguments: { site: "example.com", days: 365 } };
    for (let id = 2; id < 62; id++) send({ jsonrpc: "2.0", id, method: "tools/call", params: ask });
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    child.stdout.resume();
    while (!output.stdout.includes('"id":61}')) await once(child.stdout, "data");
    expect(output.stderr).toBe("");
  });

  it("sends nothing more for a cancelled call", async () => {
    const server = await serve(() => {});
    const env = { ANALYTICS_API_KEY: CANARY, ANALYTICS_BASE_URL: server.origin };
    const { send, until, output } = start([], env);
    send(initialize(1));
    await until('"id":1');
    send({ jsonrpc: "2.0", method: "notifications/initialized" });
    send({ jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "list_sites", arguments: {} } });
    while (server.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    const cut = once(server.requests[0]?.socket ?? process, "close");
    send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 2 } });
    await cut;
    send({ jsonrpc: "2.0", id: 3, method: "ping" });
    await until('"id":3');
    expect(output.stdout).not.toContain('"id":2');
  });

  it.each([
    ["a wrong key", 401, "invalid_api_key"],
    ["a service that repeats the key", 400, "invalid_parameter"],
    ["a service that fails", 500, "internal_error"],
  ])("shows the key nowhere: %s", async (_, status, code) => {
    const server = await serve((request, response) => {
      const detail = `You sent ${request.headers.authorization}`;
      send(
        response,
        status,
        { "content-type": "application/problem+json" },
        JSON.stringify({ code, detail }),
      );
    });
    const env = { ANALYTICS_API_KEY: CANARY, ANALYTICS_BASE_URL: server.origin, NODE_DEBUG: "" };
    const { send: write, until, output } = start([], env);
    write(initialize(1));
    await until('"id":1');
    write({ jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "list_sites", arguments: {} } });
    await until('"id":2');
    expect(output.stdout).toContain("You sent Bearer [key]");
    expect(output.stdout + output.stderr).not.toContain(CANARY);
  });

  it("is given no demo key by the environment of a real service", async () => {
    const { output, send, until } = start(["--demo"], {
      ANALYTICS_API_KEY: CANARY,
      ANALYTICS_BASE_URL: "http://127.0.0.1:9",
    });
    send(initialize(1));
    await until('"id":1');
    send({ jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "list_sites", arguments: {} } });
    await until('"id":2');
    expect(output.stdout).toContain("docs.example.com");
    expect(output.stdout + output.stderr).not.toMatch(new RegExp(`${CANARY}|${DEMO_KEY}`));
  });
});
