import { once } from "node:events";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { writeProfile } from "../../src/config/profiles.ts";
import { queries } from "../../src/reports/queries.ts";
import { createTestApi, DEMO_KEY, NOW } from "../support/api.ts";
import { spawn } from "../support/child-process.js";
import { clientKinds, spawnClient, type TestClient } from "../support/clients.ts";
import { answerRightly, type FaultyServer, send, startServer } from "../support/faulty-server.ts";
import { installed } from "../support/installed-package.ts";
import { combined, createLogFolder, joinLines } from "../support/logs.ts";
import { createHome } from "../support/profiles.ts";

const { bin } = installed;
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

const withKey = ({ origin }: FaultyServer) => ({
  ANALYTICS_API_KEY: CANARY,
  ANALYTICS_BASE_URL: origin,
});

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
    await expect(client.readResource("analytics://nothing")).rejects.toMatchObject({ code: -32602 });
    const prompts = (await client.listPrompts()).prompts.map((prompt) => prompt.name);
    expect(prompts).toEqual(["weekly_report", "what_changed", "traffic_drop_check"]);
    const given = { site: "example.com", days: "14", dimension: "pages" };
    const prompt = await client.getPrompt("what_changed", given);
    expect(prompt.messages[0]?.content.text).toContain("compare_periods with days=14 and dimension=pages");
    await expect(client.getPrompt("what_changed", { days: "183" })).rejects.toThrow("from 1 to 182");
    const reference = { type: "ref/prompt", name: "what_changed" };
    expect(await client.complete(reference, "site", "shop")).toEqual(["shop.example.net"]);

    // What is packed does not depend on the client.
    if (kind !== "v2 auto") return;
    expect(JSON.parse(await read("analytics://openapi")).openapi).toBe("3.1.1");
    expect(await read("analytics://llms.txt")).toMatch(/^# analytics-mcp/);
    expect(await read("ui://analytics-mcp/chart.html")).toMatch(/^<!doctype html>[\s\S]*<\/html>\n$/);
    expect(JSON.parse(await read("analytics://sites/example.com/overview"))).toMatchObject({
      period: { days: 28 },
    });
    const missing = client.readResource("analytics://sites/nope.example/overview");
    await expect(missing).rejects.toMatchObject({ code: -32602 });
    for (const args of [{ days: "abc" }, { days: "0" }, { dimension: "colours" }]) {
      const said = "days" in args ? /whole number from 1 to 182/ : /one of pages, /;
      await expect(client.getPrompt("what_changed", args)).rejects.toThrow(said);
    }
    const empty = await client.getPrompt("what_changed", { days: "", dimension: "" });
    expect(empty.messages[0]?.content.text).toContain("compare_periods with days=7.");
    expect(await client.complete(reference, "dimension", "c")).toEqual(
      expect.arrayContaining(["countries", "channels"]),
    );
    const place = { type: "ref/resource", uri: "analytics://sites/{site}/overview" };
    expect(await client.complete(place, "site", "example.c")).toEqual(["example.com", "docs.example.com"]);
  });

  it("answers from a service over HTTP, with its key; a cancelled call aborts there, and the next is answered", async () => {
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
    const client = await connect(kind, bin, [], withKey(server));
    const { body } = await createTestApi({ start: NOW }).ask("/api/v1/stats?site=example.com&days=7");
    const result = await client.callTool("get_stats", { site: "example.com", days: 7 });
    expect(result.structuredContent).toMatchObject({ visitors: body.visitors, pageviews: body.pageviews });
    expect(server.requests.map((request) => request.headers.authorization)).toEqual([`Bearer ${CANARY}`]);
    await expect(
      client.callTool("get_realtime", { site: "example.com" }, controller.signal),
    ).rejects.toThrow();
    await upstream;
    expect((await client.callTool("list_sites")).isError).toBeFalsy();
  });
});

describe("the packed server, told where its numbers are", () => {
  const kind = "v2 auto";

  it("starts without a key, lists its tools, and a call says how to get one", async () => {
    const client = await connect(kind, bin);
    expect((await client.listTools()).tools).toHaveLength(queries.length);
    const result = await client.callTool("list_sites");
    expect(result.isError).toBe(true);
    expect(result.content[0]?.text).toContain("npx -y analytics-mcp login");
    expect(result.content[0]?.text).toContain("--demo");
    expect(result.content[0]?.text).not.toMatch(/dashboard|\/var\//);
    expect(await client.complete({ type: "ref/prompt", name: "weekly_report" }, "site", "")).toEqual([]);
    await expect(client.readResource("analytics://sites")).rejects.toThrow("npx -y analytics-mcp login");
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

  it("takes a variable that its client did not fill in for a missing key", async () => {
    const client = await connect(kind, bin, [], { ANALYTICS_API_KEY: "${ANALYTICS_API_KEY}" });
    expect((await client.listTools()).tools).toHaveLength(queries.length);
    const result = await client.callTool("list_sites");
    expect([result.isError, result.content[0]?.text]).toEqual([true, expect.stringContaining("--demo")]);
  });

  it("with a key and no base URL says what to set", async () => {
    const client = await connect(kind, bin, [], { ANALYTICS_API_KEY: CANARY });
    const result = await client.callTool("list_sites");
    expect(result.content[0]?.text).toContain("ANALYTICS_BASE_URL");
    expect(result.content[0]?.text).not.toContain(CANARY);
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

  it("answers greetings that cannot be read with an error each, and goes on", async () => {
    const { child, send, until, output } = start(["--demo"]);
    const greetings = [
      ['{"toString":1}', "{}"],
      [nest("[", "]"), "{}"],
      ['"2025-11-25"', `{"experimental":{"x":{"y":${nest("[", "]")}}}}`],
      ['"2025-11-25"', `{"experimental":${nest('{"x":', "}", "{}")}}`],
    ];
    for (const [index, [version, capabilities]] of greetings.entries()) {
      const params = `{"protocolVersion":${version},"capabilities":${capabilities},"clientInfo":{"name":"raw","version":"1"}}`;
      child.stdin.write(`{"jsonrpc":"2.0","id":1${index},"method":"initialize","params":${params}}\n`);
      await until(`"id":1${index}`);
      const answer = JSON.parse(output.stdout.trim().split("\n").at(-1) ?? "");
      expect(answer.error.code).toBeLessThan(-32_000);
    }
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

  const call = (id: number, args: object = {}) => ({
    jsonrpc: "2.0",
    id,
    method: "tools/call",
    params: { name: "list_sites", arguments: args },
  });

  /** A call under way at a service that answers when the test says so, with the input at its end. */
  async function endInputAtCall() {
    let release = () => {};
    const server = await serve(async (request, response) => {
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      const right = await answerRightly(request);
      send(response, right.status, right.headers, right.body);
    });
    const started = start([], withKey(server));
    started.send(initialize(1));
    started.send(call(2));
    await expect.poll(() => server.requests.length).toBe(1);
    const exit = once(started.child, "exit");
    return { ...started, exit, release };
  }

  it("answers a call that is under way at a slow service when its input ends, then exits with 0", async () => {
    const { child, output, exit, release } = await endInputAtCall();
    child.stdin.end();
    // An exit at the end of input would come in this time.
    await new Promise((resolve) => setTimeout(resolve, 500));
    release();
    expect(await exit).toEqual([0, null]);
    expect(output.stdout).toContain('"id":2');
    expect(output.stdout).toContain("docs.example.com");
    expect(output.stderr).toBe("");
  });

  it("does not wait for a cancelled call, nor for what nobody can read, nor after a signal", async () => {
    const cancelled = await endInputAtCall();
    cancelled.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 2 } });
    cancelled.child.stdin.end();
    expect(await cancelled.exit).toEqual([0, null]);
    expect(cancelled.output.stdout).not.toContain('"id":2');

    const unread = await endInputAtCall();
    unread.child.stdin.end();
    unread.child.stdout.destroy();
    unread.release();
    expect(await unread.exit).toEqual([0, null]);

    const stopped = await endInputAtCall();
    stopped.child.stdin.end();
    stopped.child.kill("SIGTERM");
    expect(await stopped.exit).toEqual([null, "SIGTERM"]);
  });

  it("answers from logs what a pipe asks", async () => {
    const lines = Array.from({ length: 50_000 }, (_, at) =>
      combined({ at: Date.now() - 1_000 * at, address: `192.0.2.${at % 200}` }),
    );
    const { path } = createLogFolder({ "access.log": joinLines(...lines) });
    const { child, output, send: write } = start(["--logs", path("access.log"), "--site", "shop.example"]);
    for (const message of [initialize(1), call(2, { period: "last_7_days" }), call(3)]) write(message);
    child.stdin.end();
    expect(await once(child, "close")).toEqual([0, null]);
    const frames = output.stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(frames.map(({ id }) => id).sort()).toEqual([1, 2, 3]);
    expect(frames.filter(({ result }) => result.isError)).toEqual([]);
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
    // Far more than a pipe holds.
    for (let id = 2; id < 62; id++) send({ jsonrpc: "2.0", id, method: "tools/list" });
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    child.stdout.resume();
    while (!output.stdout.includes('"id":61}')) await once(child.stdout, "data");
    expect(output.stderr).toBe("");
  });

  it("sends nothing more for a cancelled call", async () => {
    const server = await serve(() => {});
    const { send, until, output } = start([], withKey(server));
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

  it("shows the key nowhere, even if the service repeats it", async () => {
    const refusals = [
      { status: 401, code: "invalid_api_key" },
      { status: 400, code: "invalid_parameter" },
      { status: 500, code: "internal_error" },
    ];
    let refusal: { status?: number } = {};
    const server = await serve((request, response) => {
      const detail = `You sent ${request.headers.authorization}`;
      const { status = 200, ...problem } = { ...refusal, detail };
      send(response, status, { "content-type": "application/problem+json" }, JSON.stringify(problem));
    });
    const { send: write, until, output } = start([], { ...withKey(server), NODE_DEBUG: "" });
    write(initialize(1));
    await until('"id":1');
    for (const [index, each] of refusals.entries()) {
      refusal = each;
      const id = 20 + index;
      write({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "list_sites", arguments: {} } });
      await until(`"id":${id}`);
      expect(output.stdout.split("\n").find((line) => line.includes(`"id":${id}`))).toContain(
        "You sent Bearer [key]",
      );
    }
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
