import * as oauth from "oauth4webapi";
import { describe, expect, it } from "vitest";
import { openSqliteStore } from "../../src/oauth/store/sqlite-store.ts";
import { consent, startTestConnector } from "../support/connector.ts";
import { buildRequest, initialize, post, REDIRECT, register, signIn } from "../support/oauth-client.ts";
import { keep, OK, registerOne, start, startShared } from "./connector-fixture.ts";
import { createFolder } from "./stores.ts";

const connector = await startShared();

describe("clients authenticate at the token endpoint", () => {
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

  it.each(methods)("by %s: for code, refresh and revocation; others cannot act for them", async (method) => {
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

  it("an unknown client gets 401 invalid_client at token and revocation", async () => {
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

it("registrations, grants and tokens survive a restart on the same file", async () => {
  const { path, remove } = createFolder();
  keep({ close: remove });
  const options = {
    openStore: (given: Parameters<typeof openSqliteStore>[1]) => openSqliteStore(path, given),
  };
  const before = await startTestConnector(options);
  const { body: client } = await register(before);
  const { body: tokens } = await signIn(before, { client: client.client_id });
  await before.close();

  const port = Number(new URL(before.publicUrl).port);
  const after = await start({ ...options, port, secret: before.secret });
  // This process's pool may still have connections to the first server; one request clears them.
  await fetch(`${after.publicUrl}/healthz`).catch(() => {});
  expect((await initialize(after.mcp, tokens.access_token)).status).toBe(200);
  const refreshed = await post(`${after.publicUrl}/token`, {
    grant_type: "refresh_token",
    client_id: client.client_id,
    refresh_token: String(tokens.refresh_token),
  });
  expect(refreshed).toMatchObject(OK);
  expect(await signIn(after, { client: client.client_id })).toMatchObject(OK);
});

it("access tokens live for four to eight hours, exactly as long as expires_in says", async () => {
  const client = await registerOne(connector);
  const { body } = await signIn(connector, { client });
  const seconds = Number(body.expires_in);
  expect(seconds).toBeGreaterThanOrEqual(4 * 3_600);
  expect(seconds).toBeLessThanOrEqual(8 * 3_600);
  connector.time.now += (seconds - 30) * 1_000;
  expect((await initialize(connector.mcp, body.access_token)).status).toBe(200);
  connector.time.now += 60 * 1_000;
  expect((await initialize(connector.mcp, body.access_token)).status).toBe(401);
  // Later tokens live from later on: one clock decides everywhere.
  const renewed = await post(`${connector.publicUrl}/token`, {
    grant_type: "refresh_token",
    client_id: client,
    refresh_token: String(body.refresh_token),
  });
  connector.time.now += (seconds - 30) * 1_000;
  expect((await initialize(connector.mcp, renewed.body.access_token)).status).toBe(200);
});
