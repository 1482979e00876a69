import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { DocumentFetch } from "../../src/oauth/document-fetch.ts";
import { createMemoryStore } from "../../src/oauth/store/memory-store.ts";
import type { Store, StoreOptions } from "../../src/oauth/store/store.ts";
import { consent } from "../support/connector.ts";
import { buildRequest, open, post, signIn } from "../support/oauth-client.ts";
import { findPort } from "../support/processes.ts";
import { start as startConnector } from "./connector-fixture.ts";

const ID = "https://client.example/oauth/metadata.json";
const DOCUMENT = {
  client_id: ID,
  client_name: "Client",
  redirect_uris: ["http://127.0.0.1/callback"],
  token_endpoint_auth_method: "none",
};
const REDIRECT = "http://127.0.0.1:53682/callback";

/** A connector whose clients' host answers as told, and which can be started anew on the same store. */
function createScene() {
  const secret = randomBytes(32);
  const time = { now: Date.now() };
  const host = {
    answer: async (): Promise<Response> => Response.json(DOCUMENT),
    agents: new Set<string | null>(),
  };
  const fetchDocument: DocumentFetch = (_, init) => {
    host.agents.add(new Headers(init?.headers).get("user-agent"));
    return host.answer();
  };
  let store: Store | undefined;
  const openStore = (options: StoreOptions) => {
    store ??= createMemoryStore(options);
    return { ...store, close: async () => {} };
  };
  const start = async (place: { publicUrl?: string; port?: number } = {}) => {
    const options = { secret, time, fetchDocument, openStore, version: "1.2.3" };
    return startConnector({ ...options, ...place });
  };
  /** Another replica of a connector, which has nothing cached. */
  const startAnother = async ({ publicUrl }: { publicUrl: string }) => {
    const port = await findPort();
    return Object.assign(await start({ publicUrl, port }), { origin: `http://127.0.0.1:${port}` });
  };
  return { host, time, start, startAnother };
}

const refresh = (url: string, token: unknown, client = ID) =>
  post(`${url}/token`, { grant_type: "refresh_token", client_id: client, refresh_token: String(token) });

const fail = async () => {
  throw Object.assign(new TypeError("fetch failed"), {
    cause: Object.assign(new Error("x"), { code: "ENOTFOUND" }),
  });
};
const outages: [string, () => Promise<Response>, string][] = [
  ["cannot be reached", fail, "ENOTFOUND"],
  ["answers 503", async () => new Response("", { status: 503 }), "status 503"],
  ["answers 403", async () => new Response("", { status: 403 }), "status 403"],
  ["redirects", async () => new Response("", { status: 302, headers: { location: "/" } }), "status 302"],
  ["answers with a page", async () => new Response("<html>Maintenance"), "not JSON"],
];

describe("a client's document host that", () => {
  it.each(outages)("%s signs nobody out: the last good document is used", async (_, outage, reason) => {
    const { host, start, startAnother } = createScene();
    const first = await start();
    const { body } = await signIn(first, { client: ID, asked: { redirect_uri: REDIRECT } });
    host.answer = outage;
    const second = await startAnother(first);
    const refreshed = await refresh(second.origin, body.refresh_token);
    expect(refreshed).toMatchObject({ status: 200, body: { token_type: "Bearer" } });
    const told = second.lines.filter((line) => line.includes('"document_unavailable"'));
    expect(told).toEqual([expect.stringContaining(`"address":"${ID}","reason":"${reason}"`)]);
    expect(told[0]).toContain('"level":"warn"');
    // It is good for as long as the grant lives, and so is a later start.
    const third = await startAnother(second);
    expect((await refresh(third.origin, refreshed.body.refresh_token)).status).toBe(200);
  });

  it.each(outages)(
    "%s is the server's trouble, not the client's: 503 if there is no document",
    async (_, outage) => {
      const { host, start } = createScene();
      host.answer = outage;
      const { publicUrl } = await start();
      for (const path of ["token", "revoke"]) {
        const form = { grant_type: "refresh_token", client_id: ID, refresh_token: "x", token: "x" };
        const { status, headers, body } = await post(`${publicUrl}/${path}`, form);
        expect([path, status, headers.get("retry-after")]).toEqual([path, 503, "30"]);
        expect(body.error).toBe("temporarily_unavailable");
        expect(headers.get("www-authenticate")).toBeNull();
      }
    },
  );

  it.each(outages)(
    "%s fails a sign-in with what to do, and does not blame the application",
    async (_, outage, reason) => {
      const { host, start } = createScene();
      host.answer = outage;
      const connector = await start();
      const { url } = buildRequest(connector, { client_id: ID, redirect_uri: REDIRECT });
      const response = await fetch(url, { redirect: "manual" });
      const page = await response.text();
      expect([response.status, response.headers.get("retry-after")]).toEqual([503, "30"]);
      const isAnswered = outage !== fail;
      expect(page).toContain(
        isAnswered
          ? "client.example answered with something else"
          : "this server could not fetch it. The application sent nothing wrong.",
      );
      expect(page).toContain(
        isAnswered ? "tell the publisher of the application" : "it must reach client.example over HTTPS",
      );
      expect(page).toContain(reason);
      expect(page).not.toContain("sent a request that this server cannot accept");
    },
  );

  it.each([404, 410])("answers %i has withdrawn the application", async (status) => {
    const { host, start, startAnother } = createScene();
    const first = await start();
    const { body } = await signIn(first, { client: ID, asked: { redirect_uri: REDIRECT } });
    host.answer = async () => new Response("", { status });
    const { origin } = await startAnother(first);
    const refused = await refresh(origin, body.refresh_token);
    expect([refused.status, refused.body.error]).toEqual([401, "invalid_client"]);
  });

  it.each<[string, () => Promise<Response>]>([
    ["answers 404", async () => new Response("", { status: 404 })],
    ["publishes another's document", async () => Response.json({ ...DOCUMENT, client_id: `${ID}2` })],
    [
      "publishes a forbidden redirect",
      async () => Response.json({ ...DOCUMENT, redirect_uris: ["ssh://x"] }),
    ],
  ])("%s is answered like a registration that is gone (RFC 6749, 5.2)", async (_, answer) => {
    const { host, start } = createScene();
    host.answer = answer;
    const { publicUrl } = await start();
    for (const path of ["token", "revoke"]) {
      const asked = async (client: string) => {
        const form = { grant_type: "refresh_token", refresh_token: "x", token: "x" };
        const basic = `Basic ${btoa(`${encodeURIComponent(client)}:secret`)}`;
        const answers = [
          await post(`${publicUrl}/${path}`, { ...form, client_id: client }),
          await post(`${publicUrl}/${path}`, form, { authorization: basic }),
        ];
        return answers.map(({ status, headers, body }) => {
          const [scheme] = headers.get("www-authenticate")?.split(" ") ?? [];
          return [status, body.error, scheme];
        });
      };
      const gone = [
        [401, "invalid_client", undefined],
        [401, "invalid_client", "Basic"],
      ];
      expect([path, await asked(ID)]).toEqual([path, gone]);
      expect([path, await asked("pruned")]).toEqual([path, gone]);
    }
  });

  it("publishes another document is believed, even if the old one was better", async () => {
    const { host, start, startAnother } = createScene();
    const first = await start();
    const { body } = await signIn(first, { client: ID, asked: { redirect_uri: REDIRECT } });
    host.answer = async () => Response.json({ ...DOCUMENT, client_id: "https://client.example/other" });
    const { origin } = await startAnother(first);
    expect((await refresh(origin, body.refresh_token)).status).toBe(401);
  });

  it("fails between consent and exchange does not lose the code", async () => {
    const { host, start, startAnother } = createScene();
    const first = await start();
    const { url, verifier } = buildRequest(first, { client_id: ID, redirect_uri: REDIRECT });
    const code = (await consent(first.publicUrl, url)).searchParams.get("code") ?? "";
    host.answer = fail;
    const { origin } = await startAnother(first);
    const form = { grant_type: "authorization_code", client_id: ID, redirect_uri: REDIRECT };
    expect((await post(`${origin}/token`, { ...form, code, code_verifier: verifier })).status).toBe(200);
  });

  it("is asked with a name and an address, since many hosts refuse requests without", async () => {
    const { host, start } = createScene();
    const connector = await start();
    await signIn(connector, { client: ID, asked: { redirect_uri: REDIRECT } });
    expect([...host.agents]).toEqual([`analytics-mcp/1.2.3 (+${connector.publicUrl})`]);
  });
});

it("strangers who name documents store none of them", async () => {
  const { start } = createScene();
  const connector = await start();
  const puts: string[] = [];
  const { put } = connector.store;
  connector.store.put = (record) => {
    puts.push(record.kind);
    return put(record);
  };
  expect((await open(connector, { client_id: ID, redirect_uri: REDIRECT })).status).toBe(200);
  expect(puts).not.toContain("Document");
});
