import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as oauth from "oauth4webapi";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openSqliteStore } from "../../src/oauth/store/sqlite.ts";
import { startTestConnector } from "../support/connector.ts";
import { runShell } from "../support/shell.ts";
import { signIn } from "../support/sign-in.ts";

const SECRET = Buffer.alloc(32, 9);

describe("the commands of who runs the connector, while it serves", () => {
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

  const manage = (...argv: string[]) => {
    const place = ["--store", join(folder, "data", "store.db"), "--secret-file", join(folder, "secret")];
    return runShell([...argv, ...place], { clock: () => connector.time.now });
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
    for (const { grant, client, revoked } of grants) {
      expect([typeof client, revoked]).toEqual(["string", null]);
      expect(grant, "to be typed in a shell as it is").toMatch(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/);
    }
    const table = await manage("grants", "list");
    expect(table.stdout.split("\n")[0]).toBe("grant\tclient\tcreated\trefreshed\texpires\trevoked");
    for (const token of tokens) expect(table.stdout).not.toContain(token.access_token);

    const ended = await manage("grants", "revoke", grants[0].grant);
    expect([ended.code, ended.stderr]).toEqual([0, "The sign-in is ended.\n"]);
    expect((await manage("grants", "revoke", grants[0].grant)).stderr).toContain("ended before");
    const statuses = await Promise.all(tokens.map((each) => listTools(each.access_token)));
    expect(statuses.map(({ status }) => status).sort()).toEqual([200, 401]);
  });

  it("refuse a grant that there is not", async () => {
    expect(await manage("grants", "revoke", "nope")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("no such grant"),
    });
    expect((await manage("grants", "list")).stdout).toBe(
      "grant\tclient\tcreated\trefreshed\texpires\trevoked\n",
    );
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
    expect((await list()).map((each: { grants: number }) => each.grants)).toEqual([1, 0]);
    expect((await manage("clients", "prune")).stderr).toBe("Removed 0 applications.\n");
    connector.time.now += 1_000;
    expect((await manage("clients", "prune", "--days", "0")).stderr).toBe("Removed 1 application.\n");
    expect(await list()).toMatchObject([{ client: client.client_id }]);
  });

  it("know that a store in memory is another process's", async () => {
    const { code, stderr } = await runShell(["grants", "list", "--store", "memory"]);
    expect([code, stderr]).toEqual([2, expect.stringContaining("its own process alone")]);
  });

  it.each([[["grants"]], [["clients"]]])("%j alone says what there is", async (argv) => {
    const { stdout, stderr } = await runShell(argv);
    expect(stdout + stderr).toContain("list");
  });
});
