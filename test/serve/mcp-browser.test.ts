import { afterAll, beforeAll, expect, it } from "vitest";
import { startTestConnector } from "../support/connector.ts";
import { register, signIn } from "../support/oauth-client.ts";

let connector: Awaited<ReturnType<typeof startTestConnector>>;
beforeAll(async () => {
  connector = await startTestConnector({ dashboardUrl: "https://stats.example.test/keys" });
});
afterAll(() => connector.close());

const CHROMIUM = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8";

it.each(["", "/"])("a browser at /mcp%s sees the page that explains the connector", async (end) => {
  const response = await fetch(`${connector.mcp}${end}`, { headers: { accept: CHROMIUM } });
  const text = await response.text();
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
  expect(text).toBe(await (await fetch(connector.publicUrl)).text());
  expect(text).toContain('<a href="https://stats.example.test/keys">an API key</a>');
});

it.each<[string, RequestInit]>([
  ["asks for a stream", { headers: { accept: "text/event-stream" } }],
  ["takes anything", { headers: { accept: "*/*" } }],
  ["posts", { method: "POST", headers: { accept: CHROMIUM } }],
])("a client that %s there without a token is still asked to sign in", async (_, init) => {
  const { status, headers } = await fetch(connector.mcp, init);
  expect([status, headers.get("www-authenticate")]).toEqual([
    401,
    expect.stringContaining("resource_metadata="),
  ]);
});

it("a GET with a token is still a wrong method", async () => {
  const client = (await register(connector)).body.client_id;
  const { body } = await signIn(connector, { client });
  const headers = { accept: CHROMIUM, authorization: `Bearer ${body.access_token}` };
  const { status } = await fetch(connector.mcp, { headers });
  expect(status).toBe(405);
});
