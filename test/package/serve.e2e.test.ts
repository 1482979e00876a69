import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import * as oauth from "oauth4webapi";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { clientKinds, connectHttp } from "../support/clients.ts";
import { startTestConnector } from "../support/connector.ts";
import { answerRightly, send, startServer } from "../support/faulty-server.ts";
import { installed } from "../support/installed-package.ts";
import { otherNodes } from "../support/other-nodes.ts";
import { findPort, startProgram } from "../support/processes.ts";
import { runShell } from "../support/shell.ts";
import { loose, signIn } from "../support/sign-in.ts";

const STARTED = "The connector is at";

let folder: string;
const open: { close(): unknown }[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "serve-"));
});
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The installed command with `serve`; its state is in the test's own folder. */
async function serve(
  args: string[],
  { node = process.execPath, bin = installed.bin, port = 0, env = {} } = {},
) {
  const all = [bin, "serve", "--port", `${port}`, ...args];
  const program = await startProgram(node, all, { XDG_STATE_HOME: folder, ...env }, STARTED);
  open.push({ close: () => program.child.exitCode ?? program.stop("SIGKILL") });
  const [, publicUrl = ""] = /The connector is at (\S+):/.exec(program.output.stderr) ?? [];
  return { ...program, publicUrl, mcp: `${publicUrl}/mcp` };
}

async function signInFor(server: { publicUrl: string; mcp: string }) {
  const { exchange, ...rest } = await signIn(server);
  const tokens = await oauth.processAuthorizationCodeResponse(rest.server, rest.client, await exchange());
  return { ...rest, tokens };
}

/** A tool's call over a connection that its client would keep. */
function callTool(mcp: string, token: string, agent: Agent, tool = "list_sites") {
  const headers = {
    authorization: `Bearer ${token}`,
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
  };
  const params = { name: tool, arguments: {} };
  return new Promise<{ status: number | undefined; text: string }>((done, fail) => {
    const outgoing = request(mcp, { method: "POST", agent, headers }, (response) => {
      let text = "";
      response.on("data", (chunk) => {
        text += chunk;
      });
      response.on("error", fail);
      response.on("end", () => done({ status: response.statusCode, text }));
    });
    outgoing.on("error", fail);
    outgoing.end(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }));
  });
}

/** An analytics service whose answers wait until they are let go. */
async function startService() {
  const gate = { wait: Promise.resolve(), asked: () => {} };
  const server = await startServer(async (incoming, response) => {
    gate.asked();
    await gate.wait;
    const { status, headers, body } = await answerRightly(incoming);
    send(response, status, headers, body);
  });
  open.push(server);
  const hold = () => {
    let release = () => {};
    gate.wait = new Promise((done) => {
      release = done;
    });
    const asked = new Promise<void>((done) => {
      gate.asked = done;
    });
    return { release, asked };
  };
  return { origin: server.origin, hold };
}

describe.each([process.execPath, ...otherNodes])("under %s (also TEST_NODES)", (node) => {
  it("answers each request of a real client of each kind", async () => {
    const service = await startService();
    const server = await serve(["--store", "memory", "--base-url", service.origin], { node });
    const { tokens } = await signInFor(server);
    const reference = { type: "ref/prompt", name: "weekly_report" } as const;
    for (const kind of clientKinds) {
      const client = await connectHttp(kind, server.mcp, tokens.access_token);
      open.push(client);
      for (let round = 0; round < 2; round++) {
        const [{ tools }, { resources }, { prompts }, sites, overview] = await Promise.all([
          client.listTools(),
          client.listResources(),
          client.listPrompts(),
          client.complete(reference, "site", "shop"),
          client.callTool("get_overview", { site: "example.com" }),
        ]);
        const least = Math.min(tools.length, resources.length, prompts.length);
        expect([kind, least]).toEqual([kind, expect.toSatisfy((count) => count > 0)]);
        expect([sites, overview.content[0]?.text]).toEqual([
          ["shop.example.net"],
          expect.stringContaining("visitors"),
        ]);
      }
    }
  });
});

describe("serve, when it is asked to stop", () => {
  it.each(["SIGTERM", "SIGINT"] as const)(
    "by %s ends what is under way, and exits with 0",
    async (signal) => {
      const service = await startService();
      const server = await serve(["--store", "memory", "--base-url", service.origin]);
      const { tokens } = await signInFor(server);
      const agent = new Agent({ keepAlive: true });
      const { release, asked } = service.hold();
      const call = callTool(server.mcp, tokens.access_token, agent);
      await asked;
      const exit = server.stop(signal);
      await expect.poll(() => fetch(`${server.publicUrl}/healthz`).catch(() => "refused")).toBe("refused");
      expect(server.child.exitCode).toBe(null);
      release();
      expect(await call).toMatchObject({ status: 200, text: expect.stringContaining("example.com") });
      const answered = performance.now();
      expect(await exit).toBe(0);
      // Its client would have kept the connection until the deadline, which is ten seconds.
      expect(performance.now() - answered).toBeLessThan(8_000);
      agent.destroy();
    },
  );

  it("serves on for --drain-delay, says so at /readyz, and keeps no connection", async () => {
    const server = await serve(["--demo", "--drain-delay", "5"]);
    const ready = () => fetch(`${server.publicUrl}/readyz`);
    expect((await ready()).status).toBe(200);
    const exit = server.stop();
    await expect.poll(async () => (await ready()).status, { interval: 50 }).toBe(503);
    expect(await (await ready()).json()).toEqual({ status: "draining" });
    const { status, headers } = await fetch(`${server.publicUrl}/.well-known/oauth-authorization-server`);
    expect([status, headers.get("connection")]).toEqual([200, "close"]);
    expect(await exit).toBe(0);
  });

  it("cuts off what is not done at the deadline", async () => {
    let asked = () => {};
    const connector = await startTestConnector({
      reach: (apiKey) => ({
        baseUrl: "https://stats.example.test/api/v1",
        apiKey,
        fetch: async (url, init) => {
          if (hold) {
            asked();
            await new Promise((_, fail) => init?.signal?.addEventListener("abort", () => fail(new Error())));
          }
          const { status, headers, body } = await answerRightly({
            url: new URL(url).pathname,
            headers: { accept: "application/json" },
          });
          return new Response(body, { status, headers });
        },
      }),
    });
    let hold = false;
    const { tokens } = await signInFor(connector);
    hold = true;
    const underWay = new Promise<void>((done) => {
      asked = done;
    });
    const call = callTool(connector.mcp, tokens.access_token, new Agent());
    call.catch(() => {});
    await underWay;
    await connector.connector.close(300);
    await expect(call).rejects.toThrow();
    await connector.store.close();
  });
});

describe("serve, started", () => {
  it("writes one line for people, then lines of JSON; nothing on stdout, and of --demo no file", async () => {
    const server = await serve(["--demo"]);
    await signInFor(server);
    await fetch(server.mcp, { method: "POST", headers: { authorization: "Bearer x" } });
    expect(await server.stop()).toBe(0);
    const [first, ...lines] = server.output.stderr.trim().split("\n");
    expect(first).toContain(STARTED);
    const events = lines.map((line) => JSON.parse(line));
    expect(events).toContainEqual({
      time: expect.stringMatching(/Z$/),
      level: "info",
      event: "grant_made",
      request: expect.any(String),
      grant: expect.any(String),
      client: expect.any(String),
      name: "Test",
    });
    expect(server.output.stdout).toBe("");
    expect(readdirSync(folder)).toEqual([]);
  });

  it("again, with the same file and secret, keeps everyone signed in; with another secret nobody", async () => {
    const bin = installWithSqlite();
    const port = await findPort();
    const service = await startService();
    const args = ["--base-url", service.origin];
    const first = await serve(args, { bin, port });
    const { server, client, tokens } = await signInFor(first);
    expect(await first.stop()).toBe(0);

    const second = await serve(args, { bin, port });
    const mcp = await connectHttp("v2 auto", second.mcp, tokens.access_token);
    expect((await mcp.callTool("list_sites")).isError ?? false).toBe(false);
    await mcp.close();
    const refresh = (token = "") =>
      oauth.refreshTokenGrantRequest(server, client, oauth.None(), token, loose);
    const response = await refresh(tokens.refresh_token);
    const renewed = await oauth.processRefreshTokenResponse(server, client, response);
    expect(await second.stop()).toBe(0);

    const third = await serve([...args, "--secret-file", join(folder, "other")], { bin, port });
    const headers = { authorization: `Bearer ${renewed.access_token}` };
    expect((await fetch(third.mcp, { method: "POST", headers })).status).toBe(401);
    expect((await refresh(renewed.refresh_token)).status).toBe(401);
  });
});

/** The installed package in a place of its own, with what its store in a file needs under Node before 22.13. */
function installWithSqlite(): string {
  const modules = join(folder, "node_modules");
  mkdirSync(modules);
  cpSync(join(installed.folder, "node_modules", "analytics-mcp"), join(modules, "analytics-mcp"), {
    recursive: true,
  });
  symlinkSync(resolve("node_modules/libsql"), join(modules, "libsql"));
  return join(modules, "analytics-mcp", "bin", "analytics-mcp.js");
}

describe("serve, with settings that are wrong, ends with 2 and says why", () => {
  const write = (text: string, mode: number) => {
    const file = join(folder, "given");
    writeFileSync(file, text, { mode });
    return file;
  };
  const key = Buffer.alloc(32, 7).toString("base64");
  it.each<[string, string, () => string[]]>([
    ["a secret that others can read", "can be read by others", () => [write(key, 0o644)]],
    ["a secret that the group can read", "can be read by others", () => [write(key, 0o640)]],
    ["a short secret", "fewer than 32 bytes", () => [write("c2hvcnQ=", 0o600)]],
    ["a secret that is no file", "cannot be read", () => [mkdtempSync(join(folder, "folder-"))]],
    [
      "a secret that is a link to nothing",
      "cannot be read",
      () => {
        symlinkSync(join(folder, "nothing"), join(folder, "link"));
        return [join(folder, "link")];
      },
    ],
    ["a secret below a file", "cannot be read", () => [join(write(key, 0o600), "secret")]],
    [
      "a store of another kind",
      "not a file path, a Redis URL or memory",
      () => ["", "--store", "postgres://db.example/x"],
    ],
    [
      "a store below a file",
      "a folder in its path is a file",
      () => ["", "--store", `${write("", 0o600)}/db`],
    ],
    [
      "a store that is a folder",
      "not a regular file",
      () => ["", "--store", mkdtempSync(join(folder, "folder-"))],
    ],
  ])("%s", async (_, sentence, prepare) => {
    const [secret, ...rest] = prepare();
    const args = ["serve", "--demo", "--port", "0", ...(secret ? ["--secret-file", secret] : []), ...rest];
    const { code, stderr } = await runShell(args, { environment: { XDG_STATE_HOME: folder } });
    expect(stderr).toMatch(/^error: .+\.\nhint: .+\n$/);
    expect(stderr).toContain(sentence);
    expect(code).toBe(2);
  });

  it("the port is taken by another, as the packed program says, or the operator's is", async () => {
    const { port } = new URL((await serve(["--demo"])).publicUrl);
    const environment = { XDG_STATE_HOME: folder };
    const sentence = `error: Cannot listen on 127.0.0.1, port ${port}: another program listens there.`;
    const taken = ["serve", "--demo", "--port", port];
    await expect(startProgram(installed.bin, taken, environment, STARTED)).rejects.toThrow(sentence);
    const operators = ["serve", "--demo", "--port", "0", "--admin-listen", `127.0.0.1:${port}`];
    for (const args of [taken, operators]) {
      const { code, stderr } = await runShell(args, { environment });
      expect([code, stderr]).toEqual([2, expect.stringContaining(sentence)]);
    }
  });
});
