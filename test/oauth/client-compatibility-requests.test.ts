import { describe, expect, it } from "vitest";
import { initialize, open, post, register, signIn } from "../support/oauth-client.ts";
import { IS_LONG } from "../support/seed.ts";
import { OK, registerOne, startShared } from "./connector-fixture.ts";

const connector = await startShared();

describe("registration accepts what clients in use send", () => {
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

  it.each([
    ["web", "web"],
    ["native", "native"],
    ["no application type", undefined],
  ])("%s, with schemes of applications among its redirects", async (_, type) => {
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
  });
});

describe("loopback redirects", () => {
  it.each(["http://127.0.0.1/cb", "http://localhost/cb", "http://[::1]/cb", "http://localhost:5000/cb"])(
    "%s matches on any port",
    async (registered) => {
      const client = await registerOne(connector, registered);
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
    const client_id = await registerOne(connector, registered);
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
    [
      "with a scheme and host in capitals",
      connector.mcp.replace(/^[^/]+\/\/[^/]+/, (origin) => origin.toUpperCase()),
    ],
  ];
  // The same way and the next one; all others with LONG=1.
  const pairs = [0, 1, 2, 3, 4, 5].flatMap((asked) => [
    [asked, asked] as const,
    [asked, (asked + 1) % 6] as const,
    ...(IS_LONG ? [2, 3, 4, 5].map((more) => [asked, (asked + more) % 6] as const) : []),
  ]);
  it.each(pairs)(
    "may be named in any of its ways at authorize (%i) and at token (%i), also at the refresh",
    async (asked, exchanged) => {
      const client = await registerOne(connector);
      const at = names()[asked]?.[1];
      const later = names()[exchanged]?.[1];
      const { status, body } = await signIn(connector, {
        client,
        asked: { resource: at },
        exchanged: { resource: later },
      });
      expect({ status, body }).toMatchObject(OK);
      const refreshed = await post(`${connector.publicUrl}/token`, {
        grant_type: "refresh_token",
        client_id: client,
        resource: later,
        refresh_token: String(body.refresh_token),
      });
      expect(refreshed).toMatchObject(OK);
      expect((await initialize(connector.mcp, refreshed.body.access_token)).status).toBe(200);
    },
  );

  it("of another is refused, at authorize and at token", async () => {
    const client = await registerOne(connector);
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
    const client = await registerOne(connector);
    expect(await signIn(connector, { client, asked })).toMatchObject(OK);
  });

  it("may ask for an unknown scope at the token endpoint too, and gets the only one", async () => {
    const client = await registerOne(connector);
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
