import * as oauth from "oauth4webapi";
import { describe, expect, it } from "vitest";
import { consent } from "../support/connector.ts";
import { buildRequest, open, signIn } from "../support/oauth-client.ts";
import { start } from "./connector-fixture.ts";

/** The connector on an internet of these documents only, and what it fetched. */
async function startWith(documents: Record<string, unknown>) {
  const fetched: string[] = [];
  const connector = await start({
    fetchDocument: async (url) => {
      fetched.push(String(url));
      const document = documents[String(url)];
      return document === undefined ? new Response("", { status: 404 }) : Response.json(document);
    },
  });
  return { connector, fetched };
}

const ID = "https://client.example/oauth/metadata.json";
const DOCUMENT = {
  client_id: ID,
  client_name: "Client",
  redirect_uris: ["http://localhost/callback", "http://127.0.0.1/callback"],
  grant_types: ["authorization_code", "refresh_token"],
  response_types: ["code"],
  token_endpoint_auth_method: "none",
};
const LOOPBACK = "http://localhost:53682/callback";

describe("client ID metadata documents are accepted as clients publish them", () => {
  it.each([
    ["with loopback redirects, on any port", {}],
    ['of the application type "web", which would pin the port', { application_type: "web" }],
    [
      "with a grant of devices besides",
      {
        grant_types: ["authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code"],
      },
    ],
    ["without the refresh grant", { grant_types: undefined }],
    ["with a scope of others", { scope: "openid profile offline_access mcp:tools" }],
    [
      "with contacts and addresses of pages",
      { contacts: ["no address"], logo_uri: "http://client.example/logo.png" },
    ],
    ["with a page over plain http", { client_uri: "http://client.example" }],
    ["without an authentication method", { token_endpoint_auth_method: undefined }],
    [
      "with a scheme of the application besides",
      {
        application_type: "web",
        redirect_uris: [...DOCUMENT.redirect_uris, "cursor://anysphere.cursor-mcp/oauth/callback"],
      },
    ],
  ])("%s", async (_, metadata) => {
    const { connector, fetched } = await startWith({ [ID]: { ...DOCUMENT, ...metadata } });
    const answer = await signIn(connector, { client: ID, asked: { redirect_uri: LOOPBACK } });
    expect(answer).toMatchObject({ status: 200, body: { scope: "analytics:read" } });
    expect(answer.body.refresh_token).toBeTypeOf("string");
    expect(answer.landed.href.startsWith(LOOPBACK)).toBe(true);
    // It is cached: one fetch serves all requests of a sign-in.
    expect(fetched).toEqual([ID]);
  });

  it("the consent page names the document's host", async () => {
    const { connector } = await startWith({ [ID]: DOCUMENT });
    const { status, html } = await open(connector, { client_id: ID, redirect_uri: LOOPBACK });
    expect(status).toBe(200);
    expect(html).toContain("client.example");
  });

  /** A client that authenticates with a key, published at a separate address. */
  async function proveByKey(keySet: object = {}) {
    const { publicKey, privateKey } = await crypto.subtle.generateKey(
      { name: "ECDSA", namedCurve: "P-256" },
      true,
      ["sign", "verify"],
    );
    const key = { ...(await crypto.subtle.exportKey("jwk", publicKey)), kid: "k", alg: "ES256", use: "sig" };
    const jwks_uri = "https://client.example/oauth/jwks.json";
    const proof = { token_endpoint_auth_method: "private_key_jwt", token_endpoint_auth_signing_alg: "ES256" };
    const { connector, fetched } = await startWith({
      [ID]: { ...DOCUMENT, ...proof, jwks_uri },
      [jwks_uri]: { keys: [key], ...keySet },
    });
    const server = { issuer: connector.publicUrl, token_endpoint: `${connector.publicUrl}/token` };
    const { url, verifier } = buildRequest(connector, { client_id: ID, redirect_uri: LOOPBACK });
    const landed = await consent(connector.publicUrl, url);
    const answer = oauth.validateAuthResponse(server, { client_id: ID }, landed, "s-1");
    const exchange = async (auth: oauth.ClientAuth) => {
      const response = await oauth.authorizationCodeGrantRequest(
        ...([server, { client_id: ID }, auth, answer, LOOPBACK, verifier] as const),
        { [oauth.allowInsecureRequests]: true },
      );
      return response.status;
    };
    expect(await exchange(oauth.None())).toBe(401);
    expect(await exchange(oauth.PrivateKeyJwt({ key: privateKey, kid: "another" }))).toBe(401);
    return { status: await exchange(oauth.PrivateKeyJwt({ key: privateKey, kid: "k" })), fetched };
  }

  it("with the client's own keys, by private_key_jwt", async () => {
    const { status, fetched } = await proveByKey();
    expect(status).toBe(200);
    expect(new Set(fetched)).toEqual(new Set([ID, "https://client.example/oauth/jwks.json"]));
  });

  it("except with an endless key set", async () => {
    expect((await proveByKey({ padding: "x".repeat(200_000) })).status).toBe(401);
  });
});

it("client ID metadata documents are not fetched if they are turned off", async () => {
  const fetched: unknown[] = [];
  const connector = await start({
    clientDocuments: false,
    fetchDocument: async (url) => {
      fetched.push(url);
      return Response.json(DOCUMENT);
    },
  });
  const { status } = await open(connector, { client_id: ID, redirect_uri: LOOPBACK });
  expect([status, fetched]).toEqual([400, []]);
});

describe("client ID metadata documents are refused", () => {
  it.each([
    ["where they name another client", { client_id: "https://other.example/metadata.json" }],
    ["where they hold a secret", { client_secret: "x".repeat(32) }],
    ["where they ask to prove a shared secret", { token_endpoint_auth_method: "client_secret_post" }],
    ["where their proof is none that is known here", { token_endpoint_auth_method: "tls_client_auth" }],
    ["where they do not list the redirect", { redirect_uris: ["http://127.0.0.1/callback"] }],
    ["where they send codes over plain http", { redirect_uris: ["http://client.example/cb"] }],
    ["where they send codes to a script", { redirect_uris: ["javascript:alert(1)"] }],
    ["where they are too large", { client_name: "x".repeat(200_000) }],
    [
      "where what is used of them is too large",
      {
        redirect_uris: [
          LOOPBACK,
          ...Array.from({ length: 19 }, (_, index) => `https://x.example/${index}`.padEnd(450, "x")),
        ],
      },
    ],
    ["where they are none", undefined],
  ])("%s", async (_, metadata) => {
    const { connector } = await startWith({ [ID]: metadata && { ...DOCUMENT, ...metadata } });
    const own = metadata && "redirect_uris" in metadata ? metadata.redirect_uris[0] : undefined;
    const redirect_uri = own === undefined || own.startsWith("http://127") ? LOOPBACK : own;
    const { status, url } = await open(connector, { client_id: ID, redirect_uri });
    expect(status).toBe(400);
    expect(url.startsWith(`${connector.publicUrl}/authorize`)).toBe(true);
  });
});
