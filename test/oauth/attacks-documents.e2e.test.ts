import { generateKeyPairSync, sign } from "node:crypto";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { isPublicAddress } from "../../src/oauth/document-fetch.ts";
import { createMemoryStore } from "../../src/oauth/store/memory-store.ts";
import { ask, openConsent, post, prepare, register } from "../support/attacker.ts";
import { startTestConnector } from "../support/connector.ts";
import { startServer } from "../support/faulty-server.ts";
import { findPort } from "../support/processes.ts";

const open: { close(): unknown }[] = [];
let connector: Awaited<ReturnType<typeof startTestConnector>>;
beforeEach(async () => {
  connector = await startTestConnector();
  open.push(connector);
});
afterEach(async () => {
  vi.unstubAllGlobals();
  for (const server of open.splice(0)) await server.close();
});

/** A listener on this machine that counts connections and never answers. */
async function listen() {
  const seen = { connections: 0 };
  const server = createTcpServer((socket) => {
    seen.connections += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, "::", resolve));
  open.push({ close: () => server.close() });
  return { seen, port: (server.address() as AddressInfo).port };
}

const authorizeAs = async (clientId: string) => {
  const { url } = await prepare(connector.publicUrl, { client_id: clientId, prompt: "none" });
  return ask(url.href);
};

it.each([
  "127.0.0.1",
  "127.0.0.1.",
  "127.1",
  "2130706433",
  "0x7f000001",
  "0177.0.0.1",
  "0x7f.0.0.1",
  "0",
  "0.0.0.0",
  "[::1]",
  "[::]",
  "[::ffff:127.0.0.1]",
  "[::ffff:7f00:1]",
  "[::127.0.0.1]",
  "[64:ff9b::127.0.0.1]",
  "[64:ff9b::7f00:1]",
  "[fe80::1]",
  "[fd00::1]",
  "[2002:7f00:1::]",
  "[2001:0:7f00:1::]",
  "169.254.169.254",
  "10.0.0.1",
  "192.168.0.1",
  "localhost",
  "LOCALHOST",
  "localhost.",
  "%6cocalhost",
  "①②⑦.0.0.1",
])("SSRF: a metadata document at %s is refused before anything connects", async (host) => {
  const { seen, port } = await listen();
  const { status, headers, text } = await authorizeAs(`https://${host}:${port}/client.json`);
  // One that is waited for ends with 503.
  expect(status).toBe(400);
  expect(text).toContain("not on the public internet");
  expect(headers.get("location")).toBeNull();
  expect(seen.connections).toBe(0);
});

it.each(["0", "22", "6667"])(
  "documents: port %s, which fetch never opens, is refused with the reason",
  async (port) => {
    const { status, text } = await authorizeAs(`https://client.test:${port}/client.json`);
    expect(status).toBe(400);
    expect(text).toContain(`port ${port} is never used for HTTPS`);
  },
);

it("SSRF: the listener of these tests does notice connections", async () => {
  const { seen, port } = await listen();
  for (const host of ["127.0.0.1", "[::ffff:127.0.0.1]", "localhost"]) {
    await fetch(`https://${host}:${port}/`).catch(() => {});
  }
  expect(seen.connections).toBeGreaterThanOrEqual(3);
});

it.each([
  ["8.8.8.8", true],
  ["2606:4700:4700::1111", true],
  ...[
    "100.64.0.1",
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.170",
    "198.18.0.1",
    "203.0.113.1",
    "224.0.0.1",
    "255.255.255.255",
  ].map((address) => [address, false] as const),
  ...[
    "::",
    "::1",
    "::ffff:8.8.8.8",
    "64:ff9b::808:808",
    "64:ff9b:1::1",
    "100::1",
    "2001:db8::1",
    "2001::1",
    "2002:808:808::",
    "fc00::1",
    "fe80::1",
    "fe80::1%lo",
    "ff02::1",
    "fec0::1",
  ].map((address) => [address, false] as const),
  ...["", "localhost", "0x7f.1", "127.1"].map((address) => [address, false] as const),
] as const)("SSRF: %s counts as public: %s", (address, isPublic) => {
  expect(isPublicAddress(address)).toBe(isPublic);
});

it("SSRF: the key set of a registered application is fetched under the same rules", async () => {
  const { seen, port } = await listen();
  for (const host of ["127.0.0.1", "localhost", "[::ffff:7f00:1]"]) {
    const { body } = await register(connector.publicUrl, {
      token_endpoint_auth_method: "private_key_jwt",
      jwks_uri: `https://${host}:${port}/jwks`,
    });
    const client = String(body.client_id);
    const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const now = Math.floor(Date.now() / 1000);
    const claims = { iss: client, sub: client, aud: connector.publicUrl, jti: host, iat: now, exp: now + 60 };
    const text = [{ alg: "ES256" }, claims]
      .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
      .join(".");
    const signature = sign("sha256", Buffer.from(text), { key: privateKey, dsaEncoding: "ieee-p1363" });
    const answer = await post(`${connector.publicUrl}/token`, {
      grant_type: "refresh_token",
      refresh_token: "x",
      client_id: client,
      client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
      client_assertion: `${text}.${signature.toString("base64url")}`,
    });
    expect(answer.status).toBeGreaterThanOrEqual(400);
  }
  expect(seen.connections).toBe(0);
});

const DOCUMENT = "https://client.example/client.json";

/** Redirects requests for the client's host to a server on this machine; other requests are unchanged. */
async function serveDocument(listener: Parameters<typeof startServer>[0]) {
  const server = await startServer(listener);
  open.push(server);
  const { fetch: real } = globalThis;
  vi.stubGlobal("fetch", (input: string | URL | Request, init?: RequestInit & { dispatcher?: unknown }) => {
    const url = String(input instanceof Request ? input.url : input);
    if (!url.startsWith("https://client.example/")) return real(input, init);
    const { dispatcher: _, ...rest } = init ?? {};
    return real(url.replace("https://client.example", server.origin), rest);
  });
  return server;
}

const buildMetadata = () => ({
  client_id: DOCUMENT,
  client_name: "Of a document",
  redirect_uris: ["http://127.0.0.1:1234/cb"],
});

const serveMetadata = (change: object = {}) =>
  serveDocument((_, response) =>
    response
      .setHeader("content-type", "application/json")
      .end(JSON.stringify({ ...buildMetadata(), ...change })),
  );

it("documents: a valid one is accepted, so the refusals below have the reason they name", async () => {
  await serveMetadata();
  const { url } = await prepare(connector.publicUrl, { client_id: DOCUMENT });
  const { page } = await openConsent(connector.publicUrl, url);
  expect(page.text).toContain("Of a document");
});

it.each([301, 302, 307, 308])("documents: a redirect (%s) is not followed", async (status) => {
  const server = await serveDocument((request, response) => {
    if (request.url === "/client.json") response.writeHead(status, { location: "/secret" }).end();
    else response.setHeader("content-type", "application/json").end(JSON.stringify(buildMetadata()));
  });
  expect((await authorizeAs(DOCUMENT)).status).toBe(503);
  expect(new Set(server.requests.map(({ url }) => url))).toEqual(new Set(["/client.json"]));
});

it.each(["announced", "endless"])("documents: one that is too large (%s) is cut off", async (how) => {
  let sent = 0;
  await serveDocument((_, response) => {
    response.setHeader("content-type", "application/json");
    if (how === "announced") response.setHeader("content-length", "100000000");
    const timer = setInterval(() => {
      sent += 65_536;
      response.write(Buffer.alloc(65_536, " "));
    }, 1);
    response.on("close", () => clearInterval(timer));
  });
  // One that is read until the time is over ends with 503.
  expect((await authorizeAs(DOCUMENT)).status).toBe(400);
  expect(sent).toBeLessThan(50_000_000);
});

it("documents: one with slow headers or a slow body is cut off", async () => {
  await serveDocument((request, response) => {
    if (request.url === "/headers.json") return;
    response.setHeader("content-type", "application/json");
    const timer = setInterval(() => response.write(" "), 100);
    response.on("close", () => clearInterval(timer));
  });
  const slow = ["https://client.example/headers.json", "https://client.example/body.json"].map(authorizeAs);
  for (const { status } of await Promise.all(slow)) expect(status).toBe(503);
});

it.each<[string, number, (document: object) => [number, string]]>([
  ["that is not there", 400, () => [404, ""]],
  ["that is none", 503, () => [200, "{"]],
  [
    "of another client",
    400,
    (document) => [200, JSON.stringify({ ...document, client_id: "https://other.example" })],
  ],
])("documents: one %s is fetched once per request, and not again for a while", async (_, expected, build) => {
  const server = await serveDocument((_request, response) => {
    const [status, body] = build(buildMetadata());
    response.writeHead(status, { "content-type": "application/json" }).end(body);
  });
  for (let index = 0; index < 3; index++) expect((await authorizeAs(DOCUMENT)).status).toBe(expected);
  expect(server.requests).toHaveLength(1);
  connector.time.now += 31_000;
  expect((await authorizeAs(DOCUMENT)).status).toBe(expected);
  expect(server.requests).toHaveLength(2);
});

it("documents: one address can make the server fetch 300 in an hour; other addresses are not affected", async () => {
  const trusting = await startTestConnector({ trustProxy: true });
  open.push(trusting);
  const server = await serveDocument((_, response) => response.writeHead(404).end());
  const flood = (index: number, address: string) =>
    ask(`${trusting.publicUrl}/token`, {
      method: "POST",
      headers: { "x-forwarded-for": address },
      body: new URLSearchParams({
        grant_type: "refresh_token",
        refresh_token: "x",
        client_id: `https://client.example/${index}.json`,
      }),
    });
  for (let round = 0; round < 31; round++) {
    await Promise.all(Array.from({ length: 10 }, (_, index) => flood(round * 10 + index, "203.0.113.1")));
  }
  expect(server.requests).toHaveLength(300);
  await flood(1_000, "203.0.113.2");
  expect(server.requests).toHaveLength(301);
});

it("documents: if one is gone when the form is submitted, the sign-in ends with a page and without a grant", async () => {
  let isGone = false;
  const documents = () => (isGone ? new Response("", { status: 404 }) : Response.json(buildMetadata()));
  const shared = createMemoryStore({ clock: Date.now, secret: Buffer.alloc(32, 7) });
  const options = {
    secret: Buffer.alloc(32, 7),
    fetchDocument: async () => documents(),
    openStore: () => shared,
  };
  const first = await startTestConnector(options);
  open.push(first);
  const { url } = await prepare(first.publicUrl, { client_id: DOCUMENT });
  const { decide } = await openConsent(first.publicUrl, url);
  const port = await findPort();
  open.push(await startTestConnector({ ...options, publicUrl: first.publicUrl, port }));
  isGone = true;
  const answer = await decide("allow", { at: `http://127.0.0.1:${port}` });
  expect([answer.status, answer.text]).toEqual([400, expect.stringContaining("cannot continue")]);
  expect(await shared.listGrants()).toEqual([]);
});

it("documents: a website of javascript: is left out, and the document accepted", async () => {
  await serveMetadata({ client_uri: "javascript:alert(1)" });
  // The document is accepted; only signing in without asking is refused.
  const { status, headers } = await authorizeAs(DOCUMENT);
  expect([status, headers.get("location")]).toEqual([303, expect.stringContaining("error=login_required")]);
});
