import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createNormalizer } from "../../src/oauth/request-normalizer.ts";
import { ask, register as registerAt } from "../support/attacker.ts";
import { startTestConnector } from "../support/connector.ts";

describe("a registration is refused for a redirect", () => {
  let connector: Awaited<ReturnType<typeof startTestConnector>>;
  beforeAll(async () => {
    connector = await startTestConnector();
  });
  afterAll(() => connector.close());

  const register = (...redirect_uris: unknown[]) => {
    connector.time.now += 3_600_000;
    return registerAt(connector.publicUrl, { redirect_uris });
  };

  it.each([
    // Scripts, and what browsers open themselves.
    ..."javascript:alert(1) JavaScript://x.example/%0aalert(1) data:text/html,x vbscript:x about:blank".split(
      " ",
    ),
    ..."blob:https://x.example/1 file:///etc/passwd view-source:https://x.example feed:x".split(" "),
    ..."jar:https://x.example chrome-extension://x/y ws://x.example ftp://x.example/".split(" "),
    " javascript:alert(1)",
    "java\nscript:alert(1)",
    // Programs of the operating system.
    ..."search-ms:query=x ms-appinstaller:?source=https://x.example/x ms-msdt:/id shell:startup".split(" "),
    ..."ms-word:ofe|u|https://x.example/x microsoft.windows.camera: windows.tbauth:x com.apple.tv:x".split(
      " ",
    ),
    ..."x-apple.systempreferences:com.apple intent://x#Intent;end itms-services://x market://x".split(" "),
    // Other applications, and commands of those that are allowed.
    ..."ssh://x.example steam://run/1 smb://x.example/x slack://x zoommtg://x tg://x app://x".split(" "),
    ..."vscode:mcp/install?%7B%7D VSCODE:mcp/install cursor:x zed:///x".split(" "),
    // Web addresses of others, with more than an address, or not written in full.
    ..."http://x.example/cb http://127.0.0.1.x.example/cb //x.example/cb".split(" "),
    ..."https://user@x.example/cb https://user:word@x.example/cb https://:word@x.example/cb".split(" "),
    ..."https:x.example/cb https:/x.example/cb https:///x.example/cb https:\\\\x.example\\cb".split(" "),
    ..."http:127.0.0.1/cb http:localhost:1/cb".split(" "),
    "https://\t/x.example/cb",
    "https://x.example/c\nb",
    "no address",
    7,
  ])("to %j, and the answer names what is allowed", async (uri) => {
    const { status, body } = await register("https://claude.ai/api/mcp/auth_callback", uri);
    expect([status, body.error]).toEqual([400, "invalid_redirect_uri"]);
    const words = ["https addresses", "com.example.app:", "cursor://", "entry 2"];
    for (const word of words) expect(body.error_description).toContain(word);
  });

  it("with a fragment (RFC 6749, section 3.1.2)", async () => {
    const { status, body } = await register("https://x.example/cb#fragment");
    expect([status, body.error]).toEqual([400, "invalid_redirect_uri"]);
  });

  it.each(["redirect_uris=x", "", '"text"'])("if it is no JSON object: %s", async (body) => {
    const init = { method: "POST", headers: { "content-type": "application/json" }, body };
    const answer = await ask(`${connector.publicUrl}/register`, init);
    expect([answer.status, answer.body]).toEqual([
      400,
      { error: "invalid_client_metadata", error_description: "The body must be a JSON object." },
    ]);
  });

  it("if all together take more than 8,000 bytes", async () => {
    const ofLength = (length: number) =>
      Array.from({ length: 20 }, (_, index) => `https://x.example/${index}`.padEnd(length, "x"));
    expect((await register(...ofLength(350))).status).toBe(201);
    expect((await register(...ofLength(400))).status).toBe(400);
  });

  it("and accepted for those of clients in use", async () => {
    const { status } = await register(
      "https://x.example/cb",
      "http://localhost:1/cb",
      "cursor://x/cb",
      "vscode://x/cb",
    );
    expect(status).toBe(201);
  });
});

describe("of an application's metadata", () => {
  const { registration, document } = createNormalizer("https://mcp.example/mcp");
  const redirect_uris = ["https://x.example/cb"];

  it.each<[string, unknown, string | undefined, string | undefined]>([
    ["https", "https://x.example/", "https://x.example/", "https://x.example/"],
    ["http", "http://x.example/", "http://x.example/", undefined],
    ["https without slashes", "https:evil.example/", undefined, undefined],
    ["https with backslashes", "https://x.example\\y", undefined, undefined],
    ["no address", "x", undefined, undefined],
    ["no text", 7, undefined, undefined],
    ["none", undefined, undefined, undefined],
  ])("its website is kept: %s", (_, client_uri, registered, documented) => {
    expect(registration({ redirect_uris, client_uri }).client_uri).toBe(registered);
    expect(document({ redirect_uris, client_uri }).client_uri).toBe(documented);
  });

  it("keys are kept if it authenticates with them and they are not nested too deeply", () => {
    const key = { kty: "EC", x5c: ["a"] };
    const taken = (jwks: unknown, token_endpoint_auth_method = "private_key_jwt") =>
      registration({ redirect_uris, token_endpoint_auth_method, jwks, jwks_uri: "https://x.example/keys" });
    expect(taken({ keys: [key] })).toMatchObject({
      jwks: { keys: [key] },
      jwks_uri: "https://x.example/keys",
    });
    expect(taken({ keys: [{ ...key, x5c: [["a"]] }] })).not.toHaveProperty("jwks");
    expect(taken({ keys: [key, { x5c: [null, {}] }] })).not.toHaveProperty("jwks");
    for (const property of ["jwks", "jwks_uri"])
      expect(taken({ keys: [key] }, "none")).not.toHaveProperty(property);
    expect(
      registration({ redirect_uris, token_endpoint_auth_method: "private_key_jwt", jwks_uri: 7 }),
    ).not.toHaveProperty("jwks_uri");
    const jwks_uri = "https:x.example/keys";
    expect(
      registration({ redirect_uris, token_endpoint_auth_method: "private_key_jwt", jwks_uri }),
    ).not.toHaveProperty("jwks_uri");
  });

  it("long names and lists are cut", () => {
    const many = Array.from({ length: 30 }, (_, index) => `https://x.example/${index}`);
    const given = registration({ redirect_uris: many, client_name: "n".repeat(300) });
    expect([given.redirect_uris, given.client_name]).toEqual([many.slice(0, 20), "n".repeat(200)]);
    expect(registration({ redirect_uris: "https://x.example/" }).redirect_uris).toEqual([]);
    const deep = JSON.parse(`${"[".repeat(5_000)}${"]".repeat(5_000)}`);
    expect(registration({ redirect_uris: [7, deep, "x"] }).redirect_uris).toEqual([null, null, "x"]);
    expect(registration({ redirect_uris, client_name: 7 })).not.toHaveProperty("client_name");
  });

  it("a document with an unknown authentication method is not treated as one with none", () => {
    const methods = ["tls_client_auth", "none", undefined].map(
      (token_endpoint_auth_method) =>
        document({ redirect_uris, token_endpoint_auth_method }).token_endpoint_auth_method,
    );
    expect(methods).toEqual(["tls_client_auth", "none", "none"]);
    expect(
      registration({ redirect_uris, token_endpoint_auth_method: "tls_client_auth" })
        .token_endpoint_auth_method,
    ).toBe("none");
  });
});
