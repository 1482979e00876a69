import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as oauth from "oauth4webapi";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createKeyId } from "../../src/config/issued-key.ts";
import { saveKeyOwner } from "../../src/oauth/key-owner.ts";
import { createSealing } from "../../src/oauth/store/sealing.ts";
import { openSqliteStore } from "../../src/oauth/store/sqlite-store.ts";
import { startTestConnector } from "../support/connector.ts";
import { runShell } from "../support/shell.ts";
import { signIn } from "../support/sign-in.ts";

const SECRET = Buffer.alloc(32, 9);
const HEADER =
  "grant\tapplication\tstate\trefreshed\torganization\tkey\treason\tcreated\texpires\trevoked\tclient\n";

describe("the operator's commands, while the connector serves", () => {
  let folder: string;
  let connector: Awaited<ReturnType<typeof startTestConnector>>;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), "connector-"));
    writeFileSync(join(folder, "secret"), SECRET.toString("base64"), { mode: 0o600 });
    connector = await startTestConnector({
      secret: SECRET,
      openStore: (options) => openSqliteStore(join(folder, "data", "store.db"), options),
    });
  });
  afterEach(async () => {
    await connector.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const manage = (...argv: string[]) => manageAt({}, ...argv);
  const manageAt = (screen: Parameters<typeof runShell>[1], ...argv: string[]) => {
    const place = ["--store", join(folder, "data", "store.db"), "--secret-file", join(folder, "secret")];
    return runShell([...argv, ...place], { clock: () => connector.time.now, ...screen });
  };
  const listTools = (token: string) =>
    fetch(connector.mcp, {
      method: "POST",
      headers: {
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} }),
    });

  it("list sign-ins and end one of them", async () => {
    const tokens: oauth.TokenEndpointResponse[] = [];
    for (const _ of [1, 2]) {
      const { server, client, exchange } = await signIn(connector);
      tokens.push(await oauth.processAuthorizationCodeResponse(server, client, await exchange()));
    }
    const { grants } = JSON.parse((await manage("grants", "list", "--json")).stdout);
    expect(grants).toHaveLength(2);
    for (const { grant, client, revoked, application, state, created, expires } of grants) {
      expect(Date.parse(expires) - Date.parse(created), "one year").toBe(365 * 86_400_000);
      expect([typeof client, revoked, application, state]).toEqual(["string", null, "Test", "active"]);
      expect(grant, "to be typed in a shell as it is").toMatch(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/);
    }
    const table = await manage("grants", "list");
    expect(`${table.stdout.split("\n")[0]}\n`).toBe(HEADER);
    for (const token of tokens) expect(table.stdout).not.toContain(token.access_token);

    const ended = await manage("grants", "revoke", grants[0].grant);
    expect([ended.code, ended.stderr]).toEqual([0, "The sign-in has ended.\n"]);
    expect((await manage("grants", "revoke", grants[0].grant)).stderr).toContain("already ended");
    const [first] = JSON.parse((await manage("grants", "list", "--json")).stdout).grants;
    expect(first).toMatchObject({ state: "ended", reason: "revoked_by_operator" });
    expect(first.revoked, "with its zone").toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    const statuses = await Promise.all(tokens.map((token) => listTools(token.access_token)));
    expect(statuses.map(({ status }) => status).sort()).toEqual([200, 401]);
  });

  it.each([40, 80, 160])(
    "list sign-ins so that each can be ended from a terminal of %d columns",
    async (columns) => {
      for (const name of ["Test", "Claude Code (an)"]) {
        const { server, client, exchange } = await signIn(connector, undefined, undefined, name);
        await oauth.processAuthorizationCodeResponse(server, client, await exchange());
      }
      const screen = { isTTY: true, columns, environment: { NO_COLOR: "1" } };
      const [{ grant }] = JSON.parse((await manage("grants", "list", "--json")).stdout).grants;
      await manage("grants", "revoke", grant);
      const { stdout, stderr } = await manageAt(screen, "grants", "list");
      const shown = `${stdout}${stderr}`;
      expect(shown).toMatch(new RegExp(`^${grant} +\\S.* +ended(?: |$)`, "m"));
      expect(shown).toMatch(/^[\da-f-]{36} +\S.* +active(?: |$)/m);
      expect(shown).toContain("2 grants, times in UTC.");
      if (columns < 80) return;
      expect(shown).toMatch(/ Test +(?:active|ended) +\d{4}-\d\d-\d\d \d\d:\d\d(?: |$)/m);
      expect(shown).toMatch(/ Claude Code \(an\) +(?:active|ended) /);
    },
  );

  it("tell a sign-in whose code was never exchanged from the others", async () => {
    const { server, client, exchange } = await signIn(connector);
    const list = async () => {
      const [grant] = JSON.parse((await manage("grants", "list", "--json")).stdout).grants;
      return grant;
    };
    expect(await list()).toMatchObject({ state: "unused", refreshed: null, expires: null });
    expect((await manage("grants", "list")).stderr).toContain(
      "unused: the application did not fetch its tokens",
    );
    connector.time.now += 5_000;
    await oauth.processAuthorizationCodeResponse(server, client, await exchange());
    const refreshed = new Date(connector.time.now).toISOString().replace(/\.\d+Z$/, "Z");
    expect(await list()).toMatchObject({ state: "active", refreshed });
  });

  it("tell sign-ins whose key was removed from the others", async () => {
    for (const _ of [1, 2]) {
      const { server, client, exchange } = await signIn(connector);
      await oauth.processAuthorizationCodeResponse(server, client, await exchange());
    }
    const list = async (...more: string[]) =>
      JSON.parse((await manage("grants", "list", "--json", ...more)).stdout).grants;
    const statesOf = async (...more: string[]) =>
      (await list(...more)).map(({ state }: { state: string }) => state);
    const sha256 = "ab".repeat(32);
    const keys = [createKeyId(sha256), createKeyId("cd".repeat(32))];
    const report = () => {};
    const clock = () => connector.time.now;
    const store = await openSqliteStore(join(folder, "data", "store.db"), { clock, secret: SECRET, report });
    const sealing = createSealing(SECRET, report);
    for (const [index, { grant: grantId, client: clientId }] of (await list()).entries()) {
      const owner = { organization: "acme", key: keys[index] ?? "" };
      await saveKeyOwner(store, sealing, { grantId, clientId, created: connector.time.now }, owner);
    }
    await store.close();
    const file = join(folder, "keys.json");
    const acme = {
      name: "acme",
      sites: ["acme.example"],
      keys: [{ sha256, created: "2026-11-21T04:05:10Z" }],
    };
    writeFileSync(file, JSON.stringify({ version: 1, organizations: [acme] }), { mode: 0o600 });
    expect(await statesOf()).toEqual(["active", "active"]);
    expect(await statesOf("--keys", file)).toEqual(["active", "no_key"]);
    const { stderr } = await manage("grants", "list", "--keys", file);
    expect(stderr).toContain(`no_key: the key is not in ${file}`);
    const [{ grant }] = await list();
    await manage("grants", "revoke", grant);
    const [ended] = await list("--keys", file);
    expect(ended).toMatchObject({ state: "ended", organization: "acme", key: keys[0] });
  });

  it("refuse a grant that there is not", async () => {
    expect(await manage("grants", "revoke", "nope")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("no such grant"),
    });
    expect((await manage("grants", "list")).stdout).toBe(HEADER);
  });

  it("list applications, and remove those that nobody signed in with", async () => {
    const { server, client, exchange } = await signIn(connector);
    await oauth.processAuthorizationCodeResponse(server, client, await exchange());
    connector.time.now += 1_000;
    const metadata = { redirect_uris: ["http://localhost/cb"] };
    await fetch(`${connector.publicUrl}/register`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(metadata),
    });
    const list = async () => JSON.parse((await manage("clients", "list", "--json")).stdout).clients;
    expect((await list()).map(({ grants }: { grants: number }) => grants)).toEqual([1, 0]);
    expect((await list()).map(({ application }: { application: unknown }) => application)).toEqual([
      "Test",
      null,
    ]);
    expect((await manage("clients", "prune")).stderr).toBe(
      "Nothing to remove: no application without sign-ins registered at least 30 days ago.\n",
    );
    connector.time.now += 1_000;
    expect((await manage("clients", "prune", "--days", "0")).stderr).toBe("Removed 1 application.\n");
    expect(await list()).toMatchObject([{ client: client.client_id }]);
    const screen = { isTTY: true, columns: 80, environment: { NO_COLOR: "1" } };
    const { stdout, stderr } = await manageAt(screen, "clients", "list");
    expect(`${stdout}${stderr}`).toContain("1 application, times in UTC.");
  });

  it("know that a store in memory is another process's", async () => {
    const { code, stderr } = await runShell(["grants", "list", "--store", "memory"]);
    expect([code, stderr]).toEqual([2, expect.stringContaining("only in its own process")]);
  });

  it.each([[["grants"]], [["clients"]]])("%j alone says what there is", async (argv) => {
    const { stdout, stderr } = await runShell(argv);
    expect(stdout + stderr).toContain("list");
  });
});
