import { describe, expect, it } from "vitest";
import { buildRequest, initialize, post, REDIRECT, signIn } from "../support/oauth-client.ts";
import { findPort } from "../support/processes.ts";
import { ask } from "../support/raw-http.ts";
import { registerOne, start, startShared } from "./connector-fixture.ts";

const connector = await startShared();

describe("the consent page", () => {
  it("has no form-action, which would make Chromium block cursor:// and loopback redirects", async () => {
    const { url } = buildRequest(connector, { client_id: await registerOne(connector) });
    const first = await fetch(url, { redirect: "manual" });
    const page = await fetch(new URL(first.headers.get("location") ?? "", url), {
      headers: {
        cookie: first.headers
          .getSetCookie()
          .map((cookie) => cookie.split(";")[0])
          .join("; "),
      },
    });
    expect(page.status).toBe(200);
    expect(await page.text()).toContain("<form");
    expect(page.headers.get("content-security-policy")).toMatch(/default-src 'none'/);
    for (const { headers } of [first, page]) {
      expect(headers.get("content-security-policy") ?? "").not.toMatch(/form-action/);
    }
  });

  it("has Referrer-Policy same-origin, so browsers send the form with its origin", async () => {
    const { url } = buildRequest(connector, { client_id: "nobody" });
    expect((await fetch(url)).headers.get("referrer-policy")).toBe("same-origin");
    const { url: good } = buildRequest(connector, { client_id: await registerOne(connector) });
    const first = await fetch(good, { redirect: "manual" });
    const page = await fetch(new URL(first.headers.get("location") ?? "", good), {
      headers: {
        cookie: first.headers
          .getSetCookie()
          .map((cookie) => cookie.split(";")[0])
          .join("; "),
      },
    });
    expect(page.headers.get("referrer-policy")).toBe("same-origin");
  });
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

describe("metadata", () => {
  const publicUrl = "https://stats-mcp.example.com";
  const hostile = {
    host: "evil.example",
    forwarded: "host=evil.example;proto=http",
    "x-forwarded-host": "evil.example",
    "x-forwarded-proto": "http",
    "x-forwarded-prefix": "/evil",
  };

  it.each([false, true])(
    "comes from the public URL alone, in every path (trustProxy %s)",
    async (trustProxy) => {
      const port = await findPort();
      await start({ publicUrl, trustProxy, port });
      const askHostile = (path: string) => ask(port, path, { headers: hostile });
      for (const path of metadataPaths.server) {
        const { status, body, text } = await askHostile(path);
        expect([path, status]).toEqual([path, 200]);
        expect(body).toMatchObject({
          issuer: publicUrl,
          authorization_endpoint: `${publicUrl}/authorize`,
          token_endpoint: `${publicUrl}/token`,
          registration_endpoint: `${publicUrl}/register`,
          revocation_endpoint: `${publicUrl}/revoke`,
          code_challenge_methods_supported: ["S256"],
          client_id_metadata_document_supported: true,
          authorization_response_iss_parameter_supported: true,
        });
        expect(text).not.toContain("evil");
      }
      for (const path of metadataPaths.resource) {
        const { status, body, text } = await askHostile(path);
        expect([path, status]).toEqual([path, 200]);
        expect(body).toMatchObject({ resource: `${publicUrl}/mcp`, authorization_servers: [publicUrl] });
        expect(text).not.toContain("evil");
      }
      const { headers } = await askHostile("/mcp");
      expect(headers["www-authenticate"]).toContain(
        `"${publicUrl}/.well-known/oauth-protected-resource/mcp"`,
      );
      const registered = await ask(port, "/register", {
        method: "POST",
        headers: { ...hostile, "content-type": "application/json" },
        body: JSON.stringify({ redirect_uris: [REDIRECT] }),
      });
      expect(registered.status).toBe(201);
      expect(registered.text).not.toContain("evil");
      const query = new URL(
        buildRequest(
          { publicUrl, mcp: `${publicUrl}/mcp` },
          {
            client_id: String(registered.body.client_id),
          },
        ).url,
      ).search;
      const { status, headers: sent } = await askHostile(`/authorize${query}`);
      expect(status).toBe(303);
      expect(new URL(sent.location ?? "", publicUrl).origin).toBe(publicUrl);
    },
  );
});
