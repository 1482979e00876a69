import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import {
  type Asking,
  ask,
  callMcp,
  errorBodies,
  exchange,
  hide,
  openConsent,
  post,
  prepare,
  refresh,
  register,
  secrets,
} from "../support/attacker.ts";
import { answerRightly, send, startServer } from "../support/faulty-server.ts";
import { installed } from "../support/installed-package.ts";
import { findPort, startProgram } from "../support/processes.ts";
import { askRaw } from "../support/raw.ts";
import { REDIS_SERVER, startRedis } from "../support/redis.ts";
import { readFolder, searchFor } from "../support/search.ts";
import { pick } from "../support/seed.ts";

const KEY = "canary-key-3f9c1d-of-a-person";
const WRONG_KEY = "canary-key-77ab02-that-is-none";

let folder: string;
const open: (() => unknown)[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "canary-"));
});
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
  rmSync(folder, { recursive: true, force: true });
});

/** An analytics service that takes one key, and is in what state the test says. */
async function startService() {
  const state = { status: 200 };
  const service = await startServer(async (request, response) => {
    if (state.status !== 200) return send(response, state.status, {}, "");
    if (request.headers.authorization !== `Bearer ${KEY}`) return send(response, 401, {}, "");
    const { status, headers, body } = await answerRightly(request);
    send(response, status, headers, body);
  });
  open.push(service.close);
  return { origin: service.origin, state };
}

/** The packed program, telling all it can; it has libsql beside it, for Node before 22.13. */
async function serve(service: string, store: string[]) {
  const modules = join(folder, "program", "node_modules");
  mkdirSync(modules, { recursive: true });
  const [from, to] = [
    join(installed.folder, "node_modules", "analytics-mcp"),
    join(modules, "analytics-mcp"),
  ];
  cpSync(from, to, { recursive: true });
  symlinkSync(resolve("node_modules/libsql"), join(modules, "libsql"));
  const admin = `127.0.0.1:${await findPort()}`;
  const state = join(folder, "state");
  const running = await startProgram(
    join(to, "bin", "analytics-mcp.js"),
    [
      "serve",
      "--port",
      "0",
      "--base-url",
      service,
      "--admin-listen",
      admin,
      "--log-level",
      "debug",
      ...store,
    ],
    { XDG_STATE_HOME: state },
    "The connector is at",
  );
  open.push(() => running.child.exitCode ?? running.stop("SIGKILL"));
  const [, publicUrl = ""] = /The connector is at (\S+):/.exec(running.output.stderr) ?? [];
  return { ...running, publicUrl, mcp: `${publicUrl}/mcp`, admin: `http://${admin}`, state };
}

interface Tokens {
  access: string;
  refresh: string;
}

/** A person's sign-in by way of a wrong key; every secret of it is noted. */
async function signInWithMistake(origin: string, asking: Asking) {
  const { submit, browser, form } = await openConsent(origin, asking.url);
  await submit({ api_key: WRONG_KEY });
  for (const value of browser.cookies.values()) hide(value);
  const { code } = await submit({ api_key: KEY });
  for (const value of browser.cookies.values()) hide(value);
  const { status, body } = await exchange(origin, { ...asking, code: code ?? "" });
  expect(status).toBe(200);
  const tokens: Tokens = { access: String(body.access_token), refresh: String(body.refresh_token) };
  return { ...asking, ...tokens, code: code ?? "", csrf: form.csrf };
}

/** Sends a secret everywhere where it does not belong. */
async function misplace(origin: string, access: string, clientId: string, secret: string): Promise<void> {
  const escaped = encodeURIComponent(secret);
  const places = [
    "",
    "mcp/",
    "consent/",
    "authorize/",
    "token/",
    ".well-known/",
    ".well-known/oauth-protected-resource/",
  ];
  for (const place of places) await ask(`${origin}/${place}${escaped}`);
  for (const path of ["/", "/mcp", "/healthz", "/token", "/nothing"])
    await ask(`${origin}${path}?access_token=${escaped}`);
  const fragment = `${origin}/authorize?response_type=code&client_id=`;
  await ask(`${fragment}${escaped}`);
  for (const name of ["redirect_uri", "state", "scope", "code_challenge", "resource", "request", "prompt"]) {
    await ask(`${fragment}${clientId}&${name}=${escaped}`);
  }
  const basic = `Basic ${Buffer.from(`${secret}:${secret}`).toString("base64")}`;
  const headers: Record<string, string>[] = [
    { authorization: basic },
    { authorization: secret },
    { authorization: `Bearer  ${secret}` },
    { "x-api-key": secret },
    { cookie: `_interaction=${secret}; _interaction.sig=${secret}` },
    { "x-forwarded-for": secret },
    { "user-agent": secret },
    { referer: `${origin}/?${escaped}` },
    { origin: `https://${escaped}.example` },
    { host: `${escaped}.example` },
    { accept: secret },
  ];
  for (const each of headers) {
    for (const path of ["/mcp", "/token", "/consent/x"])
      await askRaw(origin, { method: "POST", path, headers: each });
  }
  const types = ["application/json", "text/plain", "multipart/form-data; boundary=x", secret];
  const bodies = [
    secret,
    `{"${secret}":`,
    JSON.stringify({ code: secret }),
    `grant_type=${escaped}&client_id=${escaped}`,
  ];
  for (const type of types) {
    for (const body of bodies) {
      for (const path of ["/token", "/register", "/revoke", "/mcp"]) {
        const authorization =
          path === "/mcp"
            ? { authorization: `Bearer ${access}`, accept: "application/json, text/event-stream" }
            : {};
        await ask(origin + path, {
          method: "POST",
          headers: { "content-type": type, ...authorization },
          body,
        });
      }
    }
  }
  for (const name of ["mcp-protocol-version", "mcp-session-id", "mcp-method", "mcp-name", "last-event-id"]) {
    await callMcp(`${origin}/mcp`, access, { headers: { [name]: secret } });
  }
  await callMcp(`${origin}/mcp`, access, { name: secret, id: secret, args: { [secret]: secret } });
  await callMcp(`${origin}/mcp`, access, { name: "get_stats", args: { site: secret } });
  await post(`${origin}/revoke`, { client_id: clientId, token: "x", token_type_hint: secret });
  await post(`${origin}/token`, {
    grant_type: "refresh_token",
    client_id: clientId,
    refresh_token: `${secret}x`,
  });
}

const media: [
  string,
  boolean,
  () => Promise<{ args: string[]; dump: () => { name: string; bytes: Buffer }[] }>,
][] = [
  ["a SQLite file", false, async () => ({ args: [], dump: () => [] })],
  [
    "Redis (redis-server)",
    REDIS_SERVER === undefined,
    async () => {
      const redis = await startRedis("--rdbcompression", "no", "--aof-use-rdb-preamble", "no");
      open.push(redis.stop);
      const dump = () => {
        redis.cli("save");
        return readFolder(redis.folder);
      };
      return { args: ["--store", redis.url], dump };
    },
  ],
];

for (const [index, [name, absent, start]] of media.entries()) {
  const isFirst = index === 0;
  it.skipIf(absent)(
    `serve with ${name} shows no secret anywhere, however much it logs`,
    async () => {
      secrets.clear();
      errorBodies.length = 0;
      for (const key of [KEY, WRONG_KEY]) hide(key);
      const { origin: service, state } = await startService();
      const { args, dump } = await start();
      const server = await serve(service, args);
      const { publicUrl, mcp } = server;

      // Registered before all that is registered by mistake below.
      const askings = [await prepare(publicUrl), await prepare(publicUrl), await prepare(publicUrl)] as const;
      const person = await signInWithMistake(publicUrl, askings[0]);
      const { body } = await register(publicUrl, { token_endpoint_auth_method: "client_secret_basic" });
      const clientSecret = hide(String(body.client_secret));
      expect((await callMcp(mcp, person.access)).status).toBe(200);
      expect((await callMcp(mcp, person.access, { name: "no_such_tool" })).status).toBe(200);
      const { body: next } = await refresh(publicUrl, person);
      state.status = 503;
      expect(
        (await callMcp(mcp, person.access, { name: "get_stats", args: { site: "example.com" } })).text,
      ).toContain("503");
      const { submit } = await openConsent(publicUrl, (await prepare(publicUrl)).url);
      expect((await submit({ api_key: KEY })).answer.status).toBe(503);
      state.status = 200;
      // What becomes of a secret in the wrong place does not depend on the store: the second tries fewer.
      const misplaced = pick(
        [KEY, person.access, person.refresh, person.code, person.verifier, person.csrf, clientSecret],
        isFirst ? 7 : 2,
      );
      for (const each of misplaced) await misplace(publicUrl, person.access, person.clientId, each);
      // What has ended by now ended by none of that.
      expect((await callMcp(mcp, String(next.access_token))).status).toBe(200);

      // Here the files have most in them: nothing has been revoked.
      const files = () => [...readFolder(server.state), ...dump()];
      const before = files();
      await exchange(publicUrl, person);
      expect((await callMcp(mcp, person.access)).status).toBe(401);
      const second = await signInWithMistake(publicUrl, askings[1]);
      await post(`${publicUrl}/revoke`, { client_id: second.clientId, token: second.refresh });
      const third = await signInWithMistake(publicUrl, askings[2]);
      state.status = 401;
      await callMcp(mcp, third.access, { name: "get_stats", args: { site: "example.com", days: 3 } });
      expect((await callMcp(mcp, third.access)).status).toBe(401);

      const told = await Promise.all(
        [
          `${server.admin}/metrics`,
          `${server.admin}/healthz`,
          `${server.admin}/readyz`,
          publicUrl,
          `${publicUrl}/readyz`,
        ].map(async (url) => (await fetch(url)).text()),
      );
      const after = files();
      expect(await server.stop()).toBe(0);
      const { stdout, stderr } = server.output;
      const places = [...before, ...after, ...files()].map((each) => each.bytes);

      expect(searchFor(secrets, [stderr])).toEqual([]);
      expect(searchFor(secrets, [stdout, ...told])).toEqual([]);
      expect(searchFor(secrets, places)).toEqual([]);
      // The SDK quotes an unknown protocol version back to the client that sent it.
      const quoting = /names protocol revision|Unsupported protocol version/;
      const bodies = errorBodies.filter((each) => !quoting.test(each));
      expect(bodies.filter((each) => searchFor(secrets, [each]).length > 0)).toEqual([]);

      // All that was looked at was there, and told of what happened; and the search finds what is in it.
      expect(secrets.size).toBeGreaterThan(25);
      expect(errorBodies.length).toBeGreaterThan(70 * misplaced.length);
      expect(searchFor([person.clientId], [stderr])).toHaveLength(1);
      expect(searchFor([person.clientId], places)).toHaveLength(1);
      const events = stderr.split("\n").flatMap((line) => (line.startsWith("{") ? [JSON.parse(line)] : []));
      for (const event of [
        "request",
        "upstream",
        "client_registered",
        "key_refused",
        "grant_made",
        "tokens_issued",
      ]) {
        expect(events).toContainEqual(expect.objectContaining({ event }));
      }
      for (const reason of ["code_reused", "revoked_by_client", "key_no_longer_valid"]) {
        expect(events).toContainEqual(expect.objectContaining({ event: "grant_ended", reason }));
      }
      const seen = [...before, ...after].map((each) => each.name);
      const expected =
        args.length === 0 ? ["connector.db", "connector.db-wal", "connector.db-shm"] : ["dump.rdb"];
      expect(seen).toEqual(expect.arrayContaining([...expected, "secret"]));
    },
    180_000,
  );
}
