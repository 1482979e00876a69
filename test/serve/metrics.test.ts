import * as oauth from "oauth4webapi";
import { describe, expect, it } from "vitest";
import { start } from "../oauth/connector-fixture.ts";
import { DEMO_KEY } from "../support/api.ts";
import { signIn } from "../support/sign-in.ts";

describe("the operator's address", () => {
  async function startWithAdmin() {
    const connector = await start({ adminListen: { host: "127.0.0.1", port: 0 } });
    const ask = async (path: string) => {
      const response = await fetch(`http://127.0.0.1:${connector.connector.adminPort}${path}`);
      return { status: response.status, text: await response.text() };
    };
    return { connector, ask };
  }

  it("shows requests and events, without secrets", async () => {
    const { connector, ask } = await startWithAdmin();
    const { server, client, exchange } = await signIn(connector);
    const tokens = await oauth.processAuthorizationCodeResponse(server, client, await exchange());
    await fetch(connector.mcp, { method: "POST" });
    await fetch(`${connector.publicUrl}/some/strange/path?with=query`);
    const { text } = await ask("/metrics");
    expect(text).toContain('analytics_mcp_http_requests_total{place="mcp",status="401"} 1');
    expect(text).toContain('analytics_mcp_http_requests_total{place="token",status="200"} 1');
    expect(text).toContain('analytics_mcp_http_requests_total{place="other",status="404"} 1');
    expect(text).toContain('analytics_mcp_events_total{event="grant_made"} 1');
    expect(text).toMatch(/analytics_mcp_http_request_duration_seconds_count\{place="consent"\} 2/);
    expect(text).toMatch(/^process_resident_memory_bytes \d+/m);
    for (const secret of [
      tokens.access_token,
      tokens.refresh_token ?? "?",
      client.client_id,
      DEMO_KEY,
      "strange",
    ]) {
      expect(text).not.toContain(secret);
    }
  });

  it("shows health and readiness; a failing store is not ready", async () => {
    const { connector, ask } = await startWithAdmin();
    expect([(await ask("/healthz")).status, (await ask("/readyz")).status]).toEqual([200, 200]);
    connector.store.check = () => Promise.reject(new Error("the disk of 10.1.2.3 is full"));
    connector.time.now += 1_000;
    expect((await ask("/healthz")).status).toBe(200);
    const { status, text } = await ask("/readyz");
    expect([status, text]).toEqual([503, expect.not.stringContaining("10.1.2.3")]);
    expect((await ask("/elsewhere")).status).toBe(404);
  });

  it("is not reachable at the public address", async () => {
    const { connector } = await startWithAdmin();
    expect((await fetch(`${connector.publicUrl}/metrics`)).status).toBe(404);
  });
});

it("checks the store at most once a second, for both addresses, however many ask", async () => {
  const connector = await start({ adminListen: { host: "127.0.0.1", port: 0 } });
  let [checks, isWell] = [0, true];
  connector.store.check = async () => {
    checks++;
    if (!isWell) throw new Error("The disk is gone.");
  };
  const origins = [connector.publicUrl, `http://127.0.0.1:${connector.connector.adminPort}`];
  const askAll = async () => {
    const asked = Array.from({ length: 10 }, (_, index) => fetch(`${origins[index % 2]}/readyz`));
    return new Set((await Promise.all(asked)).map(({ ok }) => ok));
  };
  expect(await askAll()).toEqual(new Set([true]));
  isWell = false;
  connector.time.now += 999;
  expect(await askAll()).toEqual(new Set([true]));
  expect(checks).toBe(1);
  connector.time.now += 1;
  expect(await askAll()).toEqual(new Set([false]));
  isWell = true;
  connector.time.now += 1_000;
  expect(await askAll()).toEqual(new Set([true]));
  expect(checks).toBe(3);
});
