import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import * as oauth from "oauth4webapi";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { spawnSync } from "../support/child-process.js";
import { writeHostLog } from "../support/host-log.ts";
import { findPort, startProgram } from "../support/processes.ts";
import { signIn } from "../support/sign-in.ts";

const BIN = resolve("bin/analytics-mcp.js");

let folder: string;
let env: Record<string, string>;
const open: (() => unknown)[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "shared-"));
  env = { HOME: join(folder, "home"), ANALYTICS_KEYS_FILE: join(folder, "keys.json") };
  const visits = [
    { host: "acme.example", visitors: 30 },
    { host: "beta.example", visitors: 20 },
  ];
  writeFileSync(join(folder, "access.log"), writeHostLog(Date.now(), visits));
});
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
  rmSync(folder, { recursive: true, force: true });
});

const run = (args: string[], more: Record<string, string> = {}) =>
  spawnSync(process.execPath, [BIN, ...args], { env: { ...env, ...more }, encoding: "utf8" });
const addKey = (name: string) => run(["keys", "add", name, "--sites", `${name}.example`]).stdout.trim();
async function start(args: string[], words: string) {
  const all = [BIN, ...args, "--logs", join(folder, "access.log"), "--timezone", "UTC"];
  const program = await startProgram(process.execPath, all, env, words);
  open.push(() => program.child.exitCode ?? program.stop("SIGKILL"));
  return program;
}

describe("two organizations on one log", () => {
  it("see only their own sites over the REST API, and conform finds them apart", async () => {
    const [acme, beta] = [addKey("acme"), addKey("beta")];
    const { output } = await start(["reference", "--port", "0"], "Try:");
    const [, baseUrl = ""] = /Reference API at (\S+) /.exec(output.stderr) ?? [];
    const ask = async (key: string, path: string) => {
      const response = await fetch(`${baseUrl}${path}`, { headers: { authorization: `Bearer ${key}` } });
      return { status: response.status, text: await response.text() };
    };
    expect((await ask(acme, "/sites")).text).toMatch(/"domain":"acme\.example"/);
    expect((await ask(acme, "/sites")).text).not.toContain("beta");
    expect((await ask(beta, "/stats?site=acme.example")).status).toBe(404);

    const keys = { ANALYTICS_BASE_URL: baseUrl, ANALYTICS_API_KEY: acme, ANALYTICS_OTHER_API_KEY: beta };
    const { status, stdout } = run(["conform", "--only", "auth,isolation", "--json"], keys);
    const verdicts = JSON.parse(stdout).rules.map(({ verdict }: { verdict: string }) => verdict);
    expect([status, verdicts.includes("fail")]).toEqual([0, false]);
    expect(verdicts.filter((each: string) => each === "pass").length).toBeGreaterThan(10);

    expect(run(["keys", "remove", "acme"]).status).toBe(0);
    // The servers look at the file once a second, when they are asked.
    await expect.poll(async () => (await ask(acme, "/sites")).status).toBe(401);
    writeFileSync(join(folder, "keys.json"), "{");
    const warn = async () => ask(beta, "/sites").then(() => output.stderr);
    await expect.poll(warn).toContain("stay valid");
    for (const _ of [1, 2]) expect((await ask(beta, "/sites")).status).toBe(200);
    expect(output.stderr.match(/stay valid/g)).toHaveLength(1);
    expect(output.stderr).not.toMatch(/amcp_/);
  });

  it("see only their own sites in assistants; a removed key ends its sign-ins", async () => {
    const keys = { acme: addKey("acme"), beta: addKey("beta") };
    const port = await findPort();
    const { output } = await start(["serve", "--port", `${port}`], "The connector is at");
    const publicUrl = `http://localhost:${port}`;
    const connector = { publicUrl, mcp: `${publicUrl}/mcp` };
    const enter = async (key: string) => {
      const { server, client, exchange } = await signIn(connector, undefined, key);
      return (await oauth.processAuthorizationCodeResponse(server, client, await exchange())).access_token;
    };
    const call = async (token: string, name: string, args = {}) => {
      const response = await fetch(connector.mcp, {
        method: "POST",
        headers: {
          authorization: `Bearer ${token}`,
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
        },
        body: JSON.stringify({
          jsonrpc: "2.0",
          id: 1,
          method: "tools/call",
          params: { name, arguments: args },
        }),
      });
      return { status: response.status, text: await response.text() };
    };
    const [acme, beta] = [await enter(keys.acme), await enter(keys.beta)];
    const listed = run(["grants", "list", "--json"]).stdout;
    const ids = Object.values(keys).map(
      (key) => `key_${createHash("sha256").update(key).digest("hex").slice(0, 12)}`,
    );
    expect(JSON.parse(listed).grants).toMatchObject([
      { organization: "acme", key: ids[0] },
      { organization: "beta", key: ids[1] },
    ]);
    expect(output.stderr).toContain(`"organization":"beta","key_id":"${ids[1]}"}`);
    expect((await call(acme, "list_sites")).text).toMatch(/acme\.example/);
    expect((await call(acme, "list_sites")).text).not.toContain("beta");
    const stats = (token: string) => call(token, "get_stats", { site: "beta.example", period: "yesterday" });
    expect((await stats(beta)).text).toContain("20");
    expect((await stats(acme)).text).toContain("acme.example");
    expect((await stats(acme)).text).toContain('"isError":true');

    expect(run(["keys", "remove", "acme"]).status).toBe(0);
    await expect.poll(async () => (await call(acme, "list_sites")).status).toBe(401);
    expect((await call(beta, "list_sites")).status).toBe(200);
    const ended = output.stderr.split("\n").filter((line) => line.includes('"grant_ended"'));
    expect(ended).toEqual([expect.stringContaining("key_no_longer_valid")]);
    const [gone] = JSON.parse(run(["grants", "list", "--json"]).stdout).grants;
    expect(gone).toMatchObject({ state: "ended", organization: "acme", key: ids[0] });
    expect(gone.reason).toBe("key_no_longer_valid");
    await expect(enter(keys.acme)).rejects.toThrow();

    writeFileSync(join(folder, "keys.json"), "{");
    await expect.poll(() => call(beta, "list_sites").then(() => output.stderr)).toContain("stay valid");
    expect((await call(beta, "list_sites")).status).toBe(200);
    expect(output.stderr.match(/"event":"source".*stay valid/g)).toHaveLength(1);
    for (const key of Object.values(keys)) expect(output.stderr).not.toContain(key);
    const store = join(folder, "home", ".local", "state", "analytics-mcp", "connector.db");
    for (const key of Object.values(keys)) expect(readFileSync(store).includes(key)).toBe(false);
  });

  it.each(["serve", "reference"])("%s needs a keys file, and makes nothing without", (command) => {
    const { status, stderr } = run([command, "--logs", join(folder, "access.log"), "--port", "0"], {
      ANALYTICS_KEYS_FILE: "",
    });
    expect([status, stderr]).toEqual([2, expect.stringMatching(/needs keys[\s\S]*analytics-mcp keys add/)]);
    expect(stderr).not.toMatch(/amcp_/);
  });
});
