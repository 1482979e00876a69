import { describe, expect, it } from "vitest";
import { buildServerMetadata } from "../../src/oauth/discovery.ts";
import { createBrowser } from "../support/connector.ts";
import { buildRequest, initialize, post, signIn } from "../support/oauth-client.ts";
import { findPort } from "../support/processes.ts";
import { askRaw } from "../support/raw.ts";
import { registerOne, start, startShared } from "./connector-fixture.ts";

const connector = await startShared();

it("the page of a refused sign-in has Referrer-Policy same-origin, so browsers send forms with their origin", async () => {
  const { url } = buildRequest(connector, { client_id: "nobody" });
  expect((await fetch(url)).headers.get("referrer-policy")).toBe("same-origin");
});

it("no step has form-action, which would make Chromium block cursor:// and loopback redirects", async () => {
  const { url } = buildRequest(connector, { client_id: await registerOne(connector) });
  const first = await fetch(url, { redirect: "manual" });
  const { response } = await createBrowser(connector.publicUrl).visit(url);
  expect(await response.text()).toContain("<form");
  expect(response.headers.get("content-security-policy")).toMatch(/default-src 'none'/);
  for (const { headers } of [first, response]) {
    expect(headers.get("content-security-policy") ?? "").not.toMatch(/form-action/);
  }
  expect(response.headers.get("referrer-policy")).toBe("same-origin");
});

const metadataPaths = {
  server: ["oauth-authorization-server", "openid-configuration"].flatMap((name) => [
    `/.well-known/${name}`,
    `/.well-known/${name}/mcp`,
    `/mcp/.well-known/${name}`,
  ]),
  resource: [
    "/.well-known/oauth-protected-resource",
    "/.well-known/oauth-protected-resource/mcp",
    "/mcp/.well-known/oauth-protected-resource",
  ],
};

describe("scripts of web pages", () => {
  const paths = [
    ...metadataPaths.server,
    ...metadataPaths.resource,
    "/token",
    "/register",
    "/revoke",
    "/jwks",
    "/mcp",
    "/mcp/",
  ];

  it.each(paths)("may call %s: the preflight is answered without a token", async (path) => {
    const response = await fetch(connector.publicUrl + path, {
      method: "OPTIONS",
      headers: {
        origin: "https://inspector.example",
        "access-control-request-method": "POST",
        "access-control-request-headers":
          "authorization,content-type,mcp-protocol-version,mcp-method,mcp-name",
      },
    });
    expect(response.status).toBe(204);
    expect(response.headers.get("access-control-allow-origin")).toBe("*");
    const allowed = (response.headers.get("access-control-allow-headers") ?? "").toLowerCase().split(", ");
    expect(allowed).toEqual(
      expect.arrayContaining([
        "authorization",
        "content-type",
        "accept",
        "mcp-protocol-version",
        "mcp-method",
        "mcp-name",
        "mcp-session-id",
        "last-event-id",
      ]),
    );
    expect(response.headers.get("access-control-allow-methods")).toMatch(/GET, POST/);
  });

  it.each([
    ...[...metadataPaths.server, ...metadataPaths.resource].map((path) => ["GET", path]),
    ...["/token", "/register", "/revoke", "/mcp"].map((path) => ["POST", path]),
    ["GET", "/mcp"],
  ])("may read the answer to %s %s, even a refusal", async (method, path) => {
    // Without a body, every answer but a document is a refusal.
    const headers = { origin: connector.publicUrl };
    const response = await fetch(connector.publicUrl + path, { method, headers });
    // The answer must allow any origin, or this one without credentials.
    expect(["*", connector.publicUrl]).toContain(response.headers.get("access-control-allow-origin"));
    expect(response.headers.has("access-control-allow-credentials")).toBe(false);
    if (response.status === 401 && path === "/mcp") {
      expect(response.headers.get("access-control-expose-headers")).toMatch(/WWW-Authenticate/);
    }
  });

  it("may register and fetch tokens from any origin", async () => {
    const registered = await fetch(`${connector.publicUrl}/register`, {
      method: "POST",
      headers: { origin: "https://inspector.example", "content-type": "application/json" },
      body: JSON.stringify({ redirect_uris: ["https://inspector.example/cb"] }),
    });
    expect(registered.status).toBe(201);
    const { client_id } = (await registered.json()) as { client_id: string };
    const form = {
      grant_type: "authorization_code",
      client_id,
      code: "x",
      code_verifier: "x",
      redirect_uri: "x",
    };
    const answer = await post(`${connector.publicUrl}/token`, form, { origin: "https://inspector.example" });
    expect([answer.status, answer.body.error]).toEqual([400, "invalid_grant"]);
    expect(answer.headers.get("access-control-allow-origin")).toMatch(/^(\*|https:\/\/inspector\.example)$/);
  });
});

describe("/mcp", () => {
  it.each(["GET", "POST", "DELETE", "HEAD"])(
    "by %s without a token is 401 with the challenge",
    async (method) => {
      const response = await fetch(connector.mcp, { method });
      expect(response.status).toBe(401);
      const challenge = response.headers.get("www-authenticate") ?? "";
      const address = `${connector.publicUrl}/.well-known/oauth-protected-resource/mcp`;
      expect(challenge).toBe(`Bearer resource_metadata="${address}", scope="analytics:read"`);
      expect((await fetch(address)).status).toBe(200);
    },
  );

  it("says that an invalid token is invalid", async () => {
    const response = await initialize(connector.mcp, "never-issued");
    expect(response.status).toBe(401);
    expect(response.headers.get("www-authenticate")).toMatch(
      /resource_metadata="[^"]+".*error="invalid_token"/,
    );
  });

  it("answers GET and DELETE with 405, and says what is allowed", async () => {
    const { body } = await signIn(connector, { client: await registerOne(connector) });
    const headers = { authorization: `Bearer ${body.access_token}`, accept: "text/event-stream" };
    for (const method of ["GET", "DELETE"]) {
      const response = await fetch(connector.mcp, { method, headers });
      expect([method, response.status]).toEqual([method, 405]);
      expect(response.headers.get("allow")).toContain("POST");
    }
  });

  it("answers the same with a trailing slash, without a redirect", async () => {
    expect((await initialize(`${connector.mcp}/`)).status).toBe(401);
    const { body } = await signIn(connector, { client: await registerOne(connector) });
    const response = await initialize(`${connector.mcp}/`, body.access_token);
    expect(response.status).toBe(200);
    expect(await response.text()).toContain("analytics-mcp");
  });
});

it.each([false, true])(
  "metadata comes from the public URL alone, in every path (trustProxy %s)",
  async (trustProxy) => {
    const publicUrl = "https://stats-mcp.example.com";
    const port = await findPort();
    await start({ publicUrl, trustProxy, port });
    const headers = { host: "evil.example", "x-forwarded-host": "evil.example", "x-forwarded-proto": "http" };
    const read = async (path: string) => {
      const { status, text } = await askRaw(`http://127.0.0.1:${port}`, { path, headers });
      expect([path, status]).toEqual([path, 200]);
      return JSON.parse(text);
    };
    const server = buildServerMetadata(
      { issuer: publicUrl, resource: `${publicUrl}/mcp` },
      { registration: true, clientDocuments: true },
    );
    for (const path of metadataPaths.server) expect(await read(path)).toEqual(server);
    for (const path of metadataPaths.resource)
      expect(await read(path)).toMatchObject({
        resource: `${publicUrl}/mcp`,
        authorization_servers: [publicUrl],
      });
  },
);
