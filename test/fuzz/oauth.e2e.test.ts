import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createMemoryStore } from "../../src/oauth/store/memory-store.ts";
import type { Store, StoreOptions } from "../../src/oauth/store/store.ts";
import { DEMO_KEY } from "../support/api.ts";
import { openConsent, prepare, register, signIn } from "../support/attacker.ts";
import { startTestConnector } from "../support/connector.ts";
import { REDIRECT } from "../support/oauth-client.ts";
import { fuzz, sample, TIMEOUT_MS } from "./fuzz.ts";
import { createSender, headerValue, type Received, type Sent, toBytes } from "./http.ts";
import { mutateText, mutateValue, oddText, printJson, writeOut } from "./mutations.ts";

const HOUR_MS = 3_600_000;
/** What one address may start in an hour: registrations, and sign-ins with a consent to be given. */
const MOST = { Client: 60, Interaction: 300 };

let connector: Awaited<ReturnType<typeof startTestConnector>>;
let sender: ReturnType<typeof createSender>;
/** Kinds of the records that were put since it was looked at. */
const written: string[] = [];
const secrets = new Set<string>([DEMO_KEY]);
/** What a client has that did all of it right, for what is mostly right. */
const known: Record<string, string> = {};

function openWatchedStore(options: StoreOptions): Store {
  const store = createMemoryStore(options);
  return {
    ...store,
    put: (record) => {
      written.push(record.kind);
      return store.put(record);
    },
  };
}

beforeAll(async () => {
  connector = await startTestConnector({
    openStore: openWatchedStore,
    fetchDocument: async () => new Response("{}", { status: 404 }),
  });
  const { publicUrl } = connector;
  const { clientId, access, refresh, code, verifier } = await signIn(publicUrl);
  const asking = await prepare(publicUrl, { client_id: clientId });
  const { form, browser } = await openConsent(publicUrl, asking.url);
  const cookie = browser.formatCookies();
  Object.assign(known, {
    clientId,
    access,
    refresh,
    code,
    verifier,
    cookie,
    csrf: form.csrf,
    consent: form.action,
    authorization: asking.url.search.slice(1),
  });
  for (const each of [access, refresh]) secrets.add(each);
  sender = createSender(publicUrl, 30_000);
});
afterAll(async () => {
  sender.close();
  await connector.close();
});

/** Stands for what the connector gave: known when it is sent, so that what fails can be tried again. */
const blank = (name: string) => `{${name}}`;
const fillIn = (text: string) =>
  Object.entries(known).reduce((rest, [name, value]) => rest.replaceAll(blank(name), value), text);

const word = fc.oneof(
  { weight: 2, arbitrary: oddText },
  {
    weight: 1,
    arbitrary: fc.constantFrom("none", "code", "S256", "plain", "query", "form_post", "login", "0"),
  },
);

type Parameters = [string, string][];
const form = (parameters: Parameters) => new URLSearchParams(parameters).toString();

/** Parameters with some changed, dropped, repeated and added. */
function mutateForm(parameters: Record<string, string>, added: string[]): fc.Arbitrary<string> {
  const names = [...Object.keys(parameters), ...added, "__proto__", "scope", "request", "claims"];
  const change = fc.tuple(fc.constantFrom(...names), fc.constantFrom("set", "drop", "add"), word);
  const changed = fc.array(change, { maxLength: 3 }).map((changes) =>
    changes.reduce<Parameters>((list, [name, how, value]) => {
      const kept = how === "add" ? list : list.filter(([each]) => each !== name);
      return how === "drop" ? kept : [...kept, [name, value]];
    }, Object.entries(parameters)),
  );
  return fc.oneof(
    { weight: 4, arbitrary: changed.map(form) },
    { weight: 1, arbitrary: mutateText(changed.map(form)) },
  );
}

const authorization = {
  client_id: blank("clientId"),
  redirect_uri: REDIRECT,
  response_type: "code",
  state: "x",
  code_challenge: "x".repeat(43),
  code_challenge_method: "S256",
};
const exchange = {
  grant_type: "authorization_code",
  client_id: blank("clientId"),
  redirect_uri: REDIRECT,
  code: blank("code"),
  code_verifier: blank("verifier"),
};
const refresh = { grant_type: "refresh_token", client_id: blank("clientId"), refresh_token: "none" };
const revocation = { client_id: blank("clientId"), token: "none", token_type_hint: "access_token" };
const decision = { csrf: blank("csrf"), decision: "allow", api_key: "wrong" };
const metadata = {
  redirect_uris: [REDIRECT, "https://app.example/cb"],
  client_name: "Fuzz",
  client_uri: "https://app.example",
  token_endpoint_auth_method: "none",
  jwks: { keys: [{ kty: "EC", crv: "P-256", x: "x", y: "y" }] },
  jwks_uri: "https://app.example/jwks",
  grant_types: ["authorization_code"],
  scope: "analytics:read",
};

const FORM = { "content-type": "application/x-www-form-urlencoded" };
const ADDED = [
  "resource",
  "response_mode",
  "prompt",
  "nonce",
  "client_secret",
  "client_assertion",
  "max_age",
];

const bodies: [fc.Arbitrary<Sent>, number][] = [
  [
    fc
      .oneof(
        mutateValue(fc.constant(metadata), 4).map(printJson),
        mutateText(fc.constant(printJson(metadata))),
      )
      .map((body) => ({
        method: "POST",
        path: "/register",
        headers: { "content-type": "application/json" },
        body,
      })),
    4,
  ],
  [
    mutateForm(authorization, ADDED).map((query) => ({
      method: "GET",
      path: `/authorize?${query}`,
      headers: { accept: "text/html" },
      body: "",
    })),
    4,
  ],
  ...(
    [
      ["/token", exchange, 3],
      ["/token", refresh, 2],
      ["/revoke", revocation, 2],
      [blank("consent"), decision, 2],
    ] as const
  ).map(([path, fields, weight]): [fc.Arbitrary<Sent>, number] => [
    mutateForm(fields, ["client_secret", "client_assertion_type", "client_assertion", "audience"]).map(
      (body) => ({
        method: "POST",
        path,
        body,
        headers: { ...FORM, ...(path === blank("consent") && { cookie: blank("cookie") }) },
      }),
    ),
    weight,
  ]),
  [
    fc
      .tuple(
        fc.constantFrom("GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"),
        fc.oneof(
          fc.constantFrom(
            ...["oauth-authorization-server", "oauth-protected-resource", "openid-configuration"].flatMap(
              (name) => [`/.well-known/${name}`, `/.well-known/${name}/mcp`, `/mcp/.well-known/${name}`],
            ),
            "/",
            "/jwks",
            "/llms.txt",
            "/healthz",
            "/readyz",
            "/authorize/x",
            "/consent/x",
            "/consent/",
            "/mcp",
            "/token",
            "/register",
            "/revoke",
            "/authorize/",
            "//token",
            "/%2e%2e/token",
            "/\\token",
            "*",
            "http://[",
            "http://a:99999/authorize",
            "http://a:99999/token",
            "x:/authorize",
            "/authorize/%",
          ),
          fc.string({ maxLength: 12 }).map((text) => `/authorize/${encodeURIComponent(text)}`),
        ),
      )
      .map(([method, path]) => ({ method, path, headers: {}, body: "" })),
    3,
  ],
];

const oddHeaders = fc.dictionary(
  fc.constantFrom(
    "content-type",
    "accept",
    "authorization",
    "cookie",
    "origin",
    "host",
    "x-forwarded-for",
    "dpop",
    "x-forwarded-proto",
    "forwarded",
    "content-encoding",
    "accept-language",
    "referer",
    "user-agent",
  ),
  fc.oneof(
    headerValue,
    fc.constantFrom("Basic Og==", "Basic %%%", "Basic eDp5", "_interaction=x", "=", "evil.example"),
  ),
  { maxKeys: 2 },
);

const requests: fc.Arbitrary<Sent> = fc
  .tuple(
    fc.oneof(...bodies.map(([arbitrary, weight]) => ({ arbitrary, weight }))),
    fc.oneof({ weight: 3, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: oddHeaders }),
  )
  .map(([request, odd]) => ({
    ...request,
    path: request.path.replace(/[^\x21-\xff]|[\x7f-\x9f]/g, "") || "/",
    headers: { ...request.headers, ...odd },
  }));

const send = ({ method, path, headers, body }: Sent) =>
  sender.send({
    method,
    path: fillIn(path),
    body: toBytes(writeOut(fillIn(body))),
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, fillIn(value)])),
  });

/** What every answer must be, for any request. */
function expectDocumented({ path }: Sent, { status, headers, text, ended }: Received): void {
  expect([ended, status < 500]).toEqual([true, true]);
  const type = String(headers["content-type"] ?? "");
  if (/^\/(token|register|revoke|mcp)(\?|$)/.test(path) && status >= 400 && text !== "") {
    expect(type).toMatch(/^application\/json/);
    const { error } = JSON.parse(text);
    // A foreign web page gets an error of JSON-RPC.
    if (path.startsWith("/mcp") && status === 403) expect(error).toMatchObject({ code: -32_000 });
    else expect(error).toMatch(/^[a-z_]+$/);
  }
  if (type.startsWith("text/html")) {
    expect(headers["content-security-policy"]).toContain("default-src 'none'");
    expect(text).not.toMatch(/<script/i);
  }
  const location = String(headers.location ?? "/");
  const { publicUrl } = connector;
  const isOwn = location.startsWith("/") || location.startsWith(`${publicUrl}/`);
  expect([
    location,
    isOwn || location.startsWith(`${REDIRECT}?`) || location.startsWith(`${REDIRECT}#`),
  ]).toEqual([location, true]);
}

it(
  "answers any request with a documented status and error, and keeps nothing of what it refuses",
  {
    timeout: TIMEOUT_MS,
  },
  () =>
    fuzz("oauth", requests, async (request) => {
      written.length = 0;
      connector.lines.length = 0;
      const answer = await send(request);
      // So many requests exceed the limits, so the clock advances.
      connector.time.now += 1_000;
      if (answer.status === 429) connector.time.now += HOUR_MS;
      expectDocumented(request, answer);
      for (const secret of secrets) {
        expect(answer.text + JSON.stringify(answer.headers)).not.toContain(secret);
      }
      if (answer.status >= 400) expect(written).toEqual([]);
      expect(written.length).toBeLessThanOrEqual(2);
      const { lines } = connector;
      expect(lines.filter((line) => line.includes('"event":"fault"'))).toEqual([]);
      for (const secret of secrets) expect(lines.join("\n")).not.toContain(secret);
    }),
);

it("keeps no more than one address may start in an hour, whatever it sends", {
  timeout: TIMEOUT_MS,
}, async () => {
  connector.time.now += 2 * HOUR_MS;
  written.length = 0;
  const began = connector.time.now;
  for (const [round, request] of sample(requests, MOST.Interaction).entries()) {
    if (round % 3 === 0) await send(request);
    if (round % 4 === 0) await register(connector.publicUrl);
    await send({ method: "GET", path: `/authorize?${known.authorization}`, headers: {}, body: "" });
  }
  expect(connector.time.now).toBe(began);
  for (const [kind, most] of Object.entries(MOST)) {
    const count = written.filter((each) => each === kind).length;
    expect([kind, count > most / 2, count <= most]).toEqual([kind, true, true]);
  }
  expect((await register(connector.publicUrl)).status).toBe(429);
});
