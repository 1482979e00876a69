import { once } from "node:events";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { spawn } from "../support/child-process.js";
import { consent, startTestConnector } from "../support/connector.ts";
import { register, signIn } from "../support/oauth-client.ts";
import { findPort } from "../support/processes.ts";
import { startTokenProxy } from "../support/token-proxy.ts";
import { conformanceSuite, newerNode } from "../support/tools.ts";
import {
  createResults,
  failuresOf,
  NEEDS_FIXTURES,
  readChecks,
  removeResults,
  revisions,
  runSuite,
} from "./suite.ts";

describe.skipIf(!newerNode || !conformanceSuite)("the official conformance suite, on the connector", () => {
  let connector: Awaited<ReturnType<typeof startTestConnector>>;
  let proxy: Awaited<ReturnType<typeof startTokenProxy>>;
  beforeAll(async () => {
    connector = await startTestConnector();
    const { body: client } = await register(connector);
    const { body } = await signIn(connector, { client: client.client_id });
    proxy = await startTokenProxy(connector.mcp, String(body.access_token));
  });
  afterAll(async () => {
    await proxy.close();
    await connector.close();
    removeResults();
  });

  it.each(revisions)("$revision: its /mcp passes all that needs no fixture", async ({ revision }) => {
    const { scenarios } = await runSuite(revision, proxy.url);
    const own = scenarios.filter(({ name }) => !NEEDS_FIXTURES.test(name));
    expect(own.length).toBeGreaterThanOrEqual(7);
    // Within a scenario of its own, a check may still look for a fixture: the suite says so.
    const failures = own.flatMap(failuresOf).filter((each) => !/Not testable: .*'test_\w+'/.test(each));
    expect(failures).toEqual([]);
    expect(own.filter(({ checks }) => !checks.some(({ status }) => status === "SUCCESS"))).toEqual([]);
  });

  it.each(["with the resource", "without one"])("is an authorization server (%s)", async (how) => {
    const port = await findPort();
    const redirect_uris = [`http://127.0.0.1:${port}/callback`];
    const { body } = await register(connector, { redirect_uris });
    const folder = createResults();
    const args = [
      conformanceSuite ?? "",
      "authorization",
      "--url",
      connector.publicUrl,
      "--client-id",
      body.client_id,
      "--port",
      String(port),
      "--output-dir",
      folder,
      ...(how === "with the resource" ? ["--resource", connector.mcp] : []),
    ];
    const suite = spawn(newerNode ?? "", args, { stdio: ["ignore", "pipe", "inherit"] });
    const ended = once(suite, "close");
    let output = "";
    let asked = false;
    for await (const chunk of suite.stdout) {
      output += chunk;
      // It prints the address for a person to open, and waits for the way back.
      const [url] = new RegExp(`${connector.publicUrl}/authorize\\S+(?=\\s)`).exec(output) ?? [];
      if (url === undefined || asked) continue;
      asked = true;
      const back = await consent(connector.publicUrl, url);
      // It may print the address before it listens.
      await vi.waitFor(() => fetch(back), { timeout: 30_000 });
    }
    expect([output, (await ended)[0]]).toEqual([expect.any(String), 0]);
    const checks = readdirSync(folder).flatMap((each) => readChecks(join(folder, each)));
    expect(checks.map(({ id, status }) => [id, status])).toEqual([
      ["authorization-code-grant", "SUCCESS"],
      ["authorization-server-metadata", "SUCCESS"],
      ["authorization-server-metadata-cimd", "SUCCESS"],
    ]);
  });
});
