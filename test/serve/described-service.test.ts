import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as oauth from "oauth4webapi";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { resolveKeyedSource } from "../../src/sources/resolve-keyed-source.ts";
import { NOW } from "../support/api.ts";
import { connectHttp, type McpClient, textOf } from "../support/clients.ts";
import { startTestConnector } from "../support/connector.ts";
import { DESCRIBED_KEY, startDescribedService } from "../support/described-service.ts";
import { createHome } from "../support/profiles.ts";
import { signIn } from "../support/sign-in.ts";

const folder = mkdtempSync(join(tmpdir(), "described-connector-"));
const file = join(folder, "service.json");
writeFileSync(file, JSON.stringify({ stats: { visitors: "/data/distinctVisitors" } }));
const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});
afterAll(() => rmSync(folder, { recursive: true }));

/** A connector in front of a service in words of its own, with two counts that could be its visitors. */
async function start(flags: { mapping?: string } = {}) {
  const service = await startDescribedService({ counts: { uniqueVisitors: 70, distinctVisitors: 55 } });
  open.push(() => service.close());
  const source = await resolveKeyedSource(
    { baseUrl: service.origin, ...flags },
    { environment: createHome(), clock: () => NOW, warn: () => {} },
  );
  const connector = await startTestConnector({ source });
  open.push(connector.close);
  return connector;
}

async function connect(connector: Awaited<ReturnType<typeof start>>): Promise<McpClient> {
  const { server, client, exchange } = await signIn(connector, undefined, DESCRIBED_KEY);
  const { access_token } = await oauth.processAuthorizationCodeResponse(server, client, await exchange());
  const connected = await connectHttp("v2 auto", connector.mcp, access_token);
  open.push(() => connected.close());
  return connected;
}

describe("a connector in front of a service in words of its own", () => {
  it("signs people in with that service's key, and answers by its words", async () => {
    const connector = await start();
    const client = await connect(connector);
    const series = await client.callTool("get_timeseries", { site: "acme.example", days: 3 });
    expect(series.structuredContent).toMatchObject({
      points: Array(3).fill({ visitors: 10, pageviews: 20 }),
    });
    const rows = await client.callTool("get_breakdown", { site: "acme.example", dimension: "pages" });
    expect(rows.structuredContent).toMatchObject({ rows: [{ value: "/", visitors: 40, pageviews: 90 }, {}] });
    const unclear = await client.callTool("get_stats", { site: "acme.example", days: 7 });
    expect(unclear.isError).toBe(true);
    expect(textOf(unclear)).toContain('{"stats":{"visitors":"/data/uniqueVisitors"}}');
    expect(connector.lines.join()).not.toContain(DESCRIBED_KEY);
  });

  it("reads it by its operator's mapping", async () => {
    const client = await connect(await start({ mapping: file }));
    const { structuredContent } = await client.callTool("get_stats", { site: "acme.example", days: 7 });
    expect(structuredContent).toMatchObject({ visitors: 55, pageviews: 140 });
  });

  it("lets nobody in with another key", async () => {
    await expect(signIn(await start(), undefined, "some-other-key")).rejects.toThrow();
  });
});
