import * as oauth from "oauth4webapi";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openSqliteStore } from "../../src/oauth/store/sqlite.ts";
import { consent, startTestConnector, type TestConnectorOptions } from "../support/connector.ts";
import { buildRequest, initialize, open, post, REDIRECT, register, signIn } from "../support/oauth-client.ts";
import { ask, findPort } from "../support/raw-http.ts";
import { createFolder } from "./stores.ts";

type Connector = Awaited<ReturnType<typeof startTestConnector>>;
const OK = { status: 200, body: { token_type: "Bearer", scope: "analytics:read" } };

const own: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const each of own.splice(0)) await each.close();
});
async function start(options: TestConnectorOptions = {}) {
  const started = await startTestConnector(options);
  own.push(started);
  return started;
}

/** Each test's own: sign-ins from one address are counted. */
let connector: Connector;
beforeEach(async () => {
  connector = await start();
});

/** A public client with one redirect. */
async function registerOne(redirect = REDIRECT) {
  return (await register(connector, { redirect_uris: [redirect] })).body.client_id;
}

describe("the consent page", () => {
  it("names no form-action, which would keep Chromium from cursor:// and loopback", async () => {
    const { url } = buildRequest(connector, { client_id: await registerOne() });
    const first = await fetch(url, { redirect: "manual" });
    const page = await fetch(new URL(first.headers.get("location") ?? "", url), {
      headers: {
        cookie: first.headers
          .getSetCookie()
          .map((each) => each.split(";")[0])
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

  it("has Referrer-Policy same-origin, with which the form is sent with its origin", async () => {
    const { url } = buildRequest(connector, { client_id: "nobody" });
    expect((await fetch(url)).headers.get("referrer-policy")).toBe("same-origin");
    const { url: good } = buildRequest(connector, { client_id: await registerOne() });
    const first = await fetch(good, { redirect: "manual" });
    const page = await fetch(new URL(first.headers.get("location") ?? "", good), {
      headers: {
        cookie: first.headers
          .getSetCookie()
          .map((each) => each.split(";")[0])
          .join("; "),
      },
    });
    expect(page.headers.get("referrer-policy")).toBe("same-origin");
  });
});

describe("registration takes what clients in use send", () => {
  const several = [
    "cursor://anysphere.cursor-mcp/oauth/callback",
    "https://www.cursor.com/agents/mcp/oauth/callback",
    "http://localhost:8787/callback",
    "http://127.0.0.1:33418/",
    "com.example.app:/oauth2redirect",
  ];

  it.each([
    ["a scope that is not known", { scope: "openid profile offline_access mcp:tools" }],
    ["grant types that are not known", { grant_types: ["authorization_code", "urn:example:unknown"] }],
    ["no refresh grant", { grant_types: ["authorization_code"], response_types: ["code"] }],
    ["contacts", { contacts: ["not an address", "ops@example.com"] }],
    ["software_id and what is nobody's", { software_id: "x", software_version: "1", x_example: {} }],
    ["an authentication method that is not known", { token_endpoint_auth_method: "tls_client_auth" }],
  ])("%s", async (_, metadata) => {
    const { status, body } = await register(connector, metadata);
    expect(status).toBe(201);
    expect(await signIn(connector, { client: body.client_id })).toMatchObject(OK);
  });

  it.each(["web", "native", undefined])(
    "%s, with schemes of applications among its redirects",
    async (type) => {
      const { status, body } = await register(connector, { redirect_uris: several, application_type: type });
      expect(status).toBe(201);
      expect(body.redirect_uris).toEqual(several);
      for (const redirect_uri of several) {
        const { landed, ...answer } = await signIn(connector, {
          client: body.client_id,
          asked: { redirect_uri },
        });
        expect(landed.href.startsWith(redirect_uri)).toBe(true);
        expect(answer).toMatchObject(OK);
      }
    },
  );
});

describe("loopback redirects", () => {
  it.each(["http://127.0.0.1/cb", "http://localhost/cb", "http://[::1]/cb", "http://localhost:5000/cb"])(
    "%s matches on any port",
    async (registered) => {
      const client = await registerOne(registered);
      const asked = new URL(registered);
      asked.port = "49152";
      const { landed, ...answer } = await signIn(connector, { client, asked: { redirect_uri: asked.href } });
      expect(landed.port).toBe("49152");
      expect(answer).toMatchObject(OK);
    },
  );

  it.each([
    ["http://localhost/cb", "http://127.0.0.1/cb"],
    ["http://127.0.0.1/cb", "http://localhost:1234/cb"],
    ["http://127.0.0.1/cb", "http://[::1]/cb"],
    ["http://127.0.0.1/cb", "http://127.0.0.2/cb"],
    ["http://127.0.0.1/cb", "http://127.0.0.1/other"],
    ["https://app.example/cb", "https://app.example:8443/cb"],
  ])("%s is not %s", async (registered, redirect_uri) => {
    const client_id = await registerOne(registered);
    const { status, url } = await open(connector, { client_id, redirect_uri });
    expect(status).toBe(400);
    expect(url.startsWith(`${connector.publicUrl}/authorize`)).toBe(true);
  });
});

describe("the resource", () => {
  const names = (): [string, string | undefined][] => [
    ["as it is", connector.mcp],
    ["with a slash behind it", `${connector.mcp}/`],
    ["the bare origin", connector.publicUrl],
    ["the bare origin with a slash", `${connector.publicUrl}/`],
    ["not named", undefined],
  ];
  it.each(
    [0, 1, 2, 3, 4].flatMap((asked) => [0, 1, 2, 3, 4].map((exchanged) => [asked, exchanged] as const)),
  )(
    "may be named in any of its ways at authorize (%i) and at token (%i), also at the refresh",
    async (asked, exchanged) => {
      const client = await registerOne();
      const at = names()[asked]?.[1];
      const later = names()[exchanged]?.[1];
      const { status, body } = await signIn(connector, {
        client,
        asked: { resource: at },
        exchanged: { resource: later },
      });
      expect({ status, body }).toMatchObject(OK);
      const refreshed = await post(`${connector.publicUrl}/token`, {
        ...{ grant_type: "refresh_token", client_id: client, resource: later },
        refresh_token: String(body.refresh_token),
      });
      expect(refreshed).toMatchObject(OK);
      expect((await initialize(connector.mcp, refreshed.body.access_token)).status).toBe(200);
    },
  );

  it("of another is refused, at authorize and at token", async () => {
    const client = await registerOne();
    const { url } = await open(connector, { client_id: client, resource: "https://other.example/mcp" });
    expect(new URL(url).searchParams.get("error")).toBe("invalid_target");
    const exchanged = { resource: "https://other.example/mcp" };
    expect(await signIn(connector, { client, exchanged })).toMatchObject({
      status: 400,
      body: { error: "invalid_target" },
    });
  });
});

describe("the authorization request", () => {
  it.each([
    ["no scope", { scope: undefined }],
    ["an empty scope", { scope: "" }],
    ["an odd scope", { scope: "openid profile offline_access mcp:tools" }],
    ["prompt=consent", { prompt: "consent" }],
    ["prompt=login, select_account", { prompt: "login select_account" }],
    ["neither scope nor resource nor state", { scope: undefined, resource: undefined, state: undefined }],
  ])("may have %s", async (_, asked) => {
    const client = await registerOne();
    expect(await signIn(connector, { client, asked })).toMatchObject(OK);
  });

  it("may ask for an odd scope at the token endpoint, too, and gets the one there is", async () => {
    const client = await registerOne();
    const exchanged = { scope: "openid offline_access" };
    const { status, body } = await signIn(connector, { client, exchanged });
    expect({ status, body }).toMatchObject(OK);
    const form = {
      grant_type: "refresh_token",
      client_id: client,
      refresh_token: String(body.refresh_token),
    };
    expect(await post(`${connector.publicUrl}/token`, { ...form, ...exchanged })).toMatchObject(OK);
  });
});

describe("clients prove who they are at the token endpoint", () => {
  const loose = { [oauth.allowInsecureRequests]: true };
  const methods = ["none", "client_secret_post", "client_secret_basic", "private_key_jwt"] as const;

  async function prepare(method: (typeof methods)[number]) {
    const { publicKey, privateKey } = await crypto.subtle.generateKey(
      { name: "ECDSA", namedCurve: "P-256" },
      true,
      ["sign", "verify"],
    );
    const jwk = { ...(await crypto.subtle.exportKey("jwk", publicKey)), kid: "k", alg: "ES256", use: "sig" };
    const { status, body } = await register(connector, {
      token_endpoint_auth_method: method,
      ...(method === "private_key_jwt" && { jwks: { keys: [jwk] } }),
    });
    expect([status, body.token_endpoint_auth_method]).toEqual([201, method]);
    const secret = String(body.client_secret);
    const proofs = {
      none: () => oauth.None(),
      client_secret_post: () => oauth.ClientSecretPost(secret),
      client_secret_basic: () => oauth.ClientSecretBasic(secret),
      private_key_jwt: () => oauth.PrivateKeyJwt({ key: privateKey, kid: "k" }),
    };
    return { client: { client_id: body.client_id }, proof: proofs[method]() };
  }

  it.each(methods)("by %s: code, refresh, revocation; nobody else in their name", async (method) => {
    const issuer = new URL(connector.publicUrl);
    const server = await oauth.processDiscoveryResponse(
      issuer,
      await oauth.discoveryRequest(issuer, { algorithm: "oauth2", ...loose }),
    );
    expect(server.token_endpoint_auth_methods_supported).toContain(method);
    const { client, proof } = await prepare(method);
    const { url, verifier } = buildRequest(connector, { client_id: client.client_id });
    const answer = oauth.validateAuthResponse(server, client, await consent(connector.publicUrl, url), "s-1");
    const exchange = (auth: oauth.ClientAuth) =>
      oauth.authorizationCodeGrantRequest(server, client, auth, answer, REDIRECT, verifier, loose);
    if (method !== "none") {
      const refused = await exchange(oauth.ClientSecretPost("a guess"));
      expect([refused.status, await refused.json()]).toMatchObject([401, { error: "invalid_client" }]);
    }
    const tokens = await oauth.processAuthorizationCodeResponse(server, client, await exchange(proof));
    const refreshed = await oauth.processRefreshTokenResponse(
      server,
      client,
      await oauth.refreshTokenGrantRequest(server, client, proof, tokens.refresh_token ?? "", loose),
    );
    expect((await initialize(connector.mcp, refreshed.access_token)).status).toBe(200);
    await oauth.processRevocationResponse(
      await oauth.revocationRequest(server, client, proof, refreshed.access_token, loose),
    );
    expect((await initialize(connector.mcp, refreshed.access_token)).status).toBe(401);
  });

  it("a client that is not known gets 401 invalid_client, at token and at revocation", async () => {
    const form = { grant_type: "refresh_token", refresh_token: "x", token: "x", client_id: "long-forgotten" };
    for (const path of ["/token", "/revoke"]) {
      const { status, body } = await post(connector.publicUrl + path, form);
      expect([path, status, body.error]).toEqual([path, 401, "invalid_client"]);
    }
    const basic = { authorization: `Basic ${btoa("long-forgotten:secret")}` };
    const { status, body } = await post(
      `${connector.publicUrl}/token`,
      { ...form, client_id: undefined },
      basic,
    );
    expect([status, body.error]).toEqual([401, "invalid_client"]);
  });
});

it("registrations, grants and tokens outlive a restart on the same file", async () => {
  const { path, remove } = createFolder();
  own.push({ close: async () => remove() });
  const options = {
    openStore: (given: Parameters<typeof openSqliteStore>[1]) => openSqliteStore(path, given),
  };
  const before = await startTestConnector(options);
  const { body: client } = await register(before);
  const { body: tokens } = await signIn(before, { client: client.client_id });
  await before.close();

  const port = Number(new URL(before.publicUrl).port);
  const after = await start({ ...options, port, secret: before.secret });
  // Connections to the first may still stand in this process's pool; the first request finds out.
  await fetch(`${after.publicUrl}/healthz`).catch(() => {});
  expect((await initialize(after.mcp, tokens.access_token)).status).toBe(200);
  const refreshed = await post(`${after.publicUrl}/token`, {
    ...{ grant_type: "refresh_token", client_id: client.client_id },
    refresh_token: String(tokens.refresh_token),
  });
  expect(refreshed).toMatchObject(OK);
  expect(await signIn(after, { client: client.client_id })).toMatchObject(OK);
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
    ...[...metadataPaths.server, ...metadataPaths.resource],
    ...["/token", "/register", "/revoke", "/jwks", "/mcp", "/mcp/"],
  ];

  it.each(paths)("may ask %s: the preflight is answered, without a token", async (path) => {
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
        ...["authorization", "content-type", "accept", "mcp-protocol-version", "mcp-method", "mcp-name"],
        ...["mcp-session-id", "last-event-id"],
      ]),
    );
    expect(response.headers.get("access-control-allow-methods")).toMatch(/GET, POST/);
  });

  it.each([
    ...[...metadataPaths.server, ...metadataPaths.resource].map((path) => ["GET", path]),
    ...["/token", "/register", "/revoke", "/mcp"].map((path) => ["POST", path]),
    ["GET", "/mcp"],
  ])("may read what %s %s answers, refusals too", async (method, path) => {
    // Without a body it is a refusal, wherever it is no document.
    const headers = { origin: connector.publicUrl };
    const response = await fetch(connector.publicUrl + path, { method, headers });
    // With the page's own origin the answer must not speak of credentials, and a page must be let in by it.
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

  it("with a token that is none says so", async () => {
    const response = await initialize(connector.mcp, "never-issued");
    expect(response.status).toBe(401);
    expect(response.headers.get("www-authenticate")).toMatch(
      /resource_metadata="[^"]+".*error="invalid_token"/,
    );
  });

  it("by GET or DELETE with a token is 405, and says what is allowed", async () => {
    const { body } = await signIn(connector, { client: await registerOne() });
    const headers = { authorization: `Bearer ${body.access_token}`, accept: "text/event-stream" };
    for (const method of ["GET", "DELETE"]) {
      const response = await fetch(connector.mcp, { method, headers });
      expect([method, response.status]).toEqual([method, 405]);
      expect(response.headers.get("allow")).toContain("POST");
    }
  });

  it("with a slash behind it is the same, and no redirect", async () => {
    expect((await initialize(`${connector.mcp}/`)).status).toBe(401);
    const { body } = await signIn(connector, { client: await registerOne() });
    const response = await initialize(`${connector.mcp}/`, body.access_token);
    expect(response.status).toBe(200);
    expect(await response.text()).toContain("analytics-mcp");
  });
});

it("access tokens live for four to eight hours, as long as is said and no longer", async () => {
  const client = await registerOne();
  const { body } = await signIn(connector, { client });
  const seconds = Number(body.expires_in);
  expect(seconds).toBeGreaterThanOrEqual(4 * 3_600);
  expect(seconds).toBeLessThanOrEqual(8 * 3_600);
  connector.time.now += (seconds - 30) * 1_000;
  expect((await initialize(connector.mcp, body.access_token)).status).toBe(200);
  connector.time.now += 60 * 1_000;
  expect((await initialize(connector.mcp, body.access_token)).status).toBe(401);
  // What is made then lives from then on: one clock decides for all.
  const renewed = await post(`${connector.publicUrl}/token`, {
    ...{ grant_type: "refresh_token", client_id: client },
    refresh_token: String(body.refresh_token),
  });
  connector.time.now += (seconds - 30) * 1_000;
  expect((await initialize(connector.mcp, renewed.body.access_token)).status).toBe(200);
});

describe("metadata", () => {
  const publicUrl = "https://stats-mcp.example.com";
  const hostile = {
    ...{ host: "evil.example", forwarded: "host=evil.example;proto=http" },
    ...{ "x-forwarded-host": "evil.example", "x-forwarded-proto": "http", "x-forwarded-prefix": "/evil" },
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
          ...{ issuer: publicUrl, authorization_endpoint: `${publicUrl}/authorize` },
          ...{ token_endpoint: `${publicUrl}/token`, registration_endpoint: `${publicUrl}/register` },
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
