import { describe, expect, it } from "vitest";
import { createLog, type Facts } from "../../src/serve/connector-log.ts";
import { maskPath } from "../../src/serve/request-context.ts";
import { start } from "../oauth/connector-fixture.ts";
import { DEMO_KEY } from "../support/api.ts";
import {
  callMcp,
  exchange,
  openConsent,
  post,
  prepare,
  refresh,
  register,
  signIn,
} from "../support/attacker.ts";
import type { TestConnectorOptions } from "../support/connector.ts";

async function startLogging(options: TestConnectorOptions = {}) {
  const connector = await start(options);
  /** The lines so far, or those of one event, without the time. */
  const told = (event?: string) =>
    connector.lines
      .map((line) => line.replace(/"time":"[^"]+Z",/, ""))
      .filter((line) => event === undefined || line.includes(`"event":"${event}"`));
  return { ...connector, told };
}

/** Replaces the random id of each request. */
const plain = (lines: string[]) =>
  lines.map((line) => line.replace(/"request":"[0-9a-f-]{36}"/, '"request":"…"'));

describe("the audit lines", () => {
  it("of a sign-in, its refresh and its end by the client: fields, order, and no others", async () => {
    const { publicUrl, told } = await startLogging();
    const asking = await prepare(publicUrl, {}, { client_name: "Example Client" });
    const { submit } = await openConsent(publicUrl, asking.url);
    await submit({ api_key: "no-key-of-anyone" });
    const { code } = await submit();
    const { body } = await exchange(publicUrl, { ...asking, code: code ?? "" });
    const next = await refresh(publicUrl, { ...asking, refresh: String(body.refresh_token) });
    const { clientId } = asking;
    await post(`${publicUrl}/revoke`, { client_id: clientId, token: String(next.body.access_token) });
    const audit = plain(told()).filter((line) => !line.includes('"level":"debug"'));
    const grant = /"grant":"([\da-f-]{36})"/.exec(audit.join())?.[1];
    const who = `"grant":"${grant}","client":"${clientId}"`;
    expect(audit).toEqual([
      `{"level":"info","event":"client_registered","request":"…","client":"${clientId}","name":"Example Client"}`,
      `{"level":"warn","event":"key_refused","request":"…","client":"${clientId}","reason":"wrong_key"}`,
      `{"level":"info","event":"grant_made","request":"…",${who},"name":"Example Client"}`,
      `{"level":"info","event":"tokens_issued","request":"…",${who}}`,
      `{"level":"info","event":"tokens_refreshed","request":"…",${who}}`,
      `{"level":"info","event":"grant_ended","request":"…",${who},"reason":"revoked_by_client"}`,
    ]);
  });

  it("of a person who refuses", async () => {
    const { publicUrl, told } = await startLogging();
    const { url, clientId } = await prepare(publicUrl);
    await (await openConsent(publicUrl, url)).submit({ decision: "cancel" });
    expect(plain(told("consent_refused"))).toEqual([
      `{"level":"info","event":"consent_refused","request":"…","client":"${clientId}"}`,
    ]);
  });

  it("of a document that could not be fetched: its address, without what else strangers write there", async () => {
    const { publicUrl, told } = await startLogging({
      fetchDocument: () => Promise.reject(new TypeError("at 10.1.2.3")),
    });
    const { url } = await prepare(publicUrl, { client_id: "https://client.example/id.json?x=canary" });
    await openConsent(publicUrl, url);
    expect(plain(told("document_unavailable"))).toEqual([
      `{"level":"warn","event":"document_unavailable","request":"…","address":"https://client.example/id.json","reason":"TypeError"}`,
    ]);
  });

  it.each(["refresh_token_reused", "code_reused"])("of a grant that ends by %s, once", async (reason) => {
    const { publicUrl, told, time } = await startLogging();
    const tokens = await signIn(publicUrl);
    if (reason === "code_reused") await exchange(publicUrl, tokens);
    else {
      await refresh(publicUrl, tokens);
      time.now += 61_000;
      for (let index = 0; index < 2; index++) expect((await refresh(publicUrl, tokens)).status).toBe(400);
    }
    const [made = ""] = told("grant_made");
    const grant = /"grant":"([\da-f-]{36})"/.exec(made)?.[1];
    expect(plain(told("grant_ended"))).toEqual([
      `{"level":"info","event":"grant_ended","request":"…","grant":"${grant}","client":"${tokens.clientId}","reason":"${reason}"}`,
    ]);
  });

  it("of a grant whose key the service no longer accepts, once", async () => {
    const { publicUrl, mcp, told, revoked } = await startLogging();
    const { access, clientId } = await signIn(publicUrl);
    revoked.add(DEMO_KEY);
    await Promise.all([1, 2, 3].map((id) => callMcp(mcp, access, { id })));
    const [line = "", ...more] = plain(told("grant_ended"));
    expect(line).toContain(`"client":"${clientId}","reason":"key_no_longer_valid"}`);
    expect(more).toEqual([]);
  });

  it("have the application's name, cleaned and cut", async () => {
    const { publicUrl, told, lines } = await startLogging();
    const forged = `\n{"level":"info","event":"grant_ended","grant":"x"}\r\u2028\u0000\u001b[31m\u202e`;
    await register(publicUrl, { client_name: forged + "x".repeat(200) });
    const [line = "", ...more] = told("client_registered");
    expect(more).toEqual([]);
    expect(lines.join("\n").split("\n")).toHaveLength(lines.length);
    const { name, event } = JSON.parse(line);
    expect(event).toBe("client_registered");
    expect([...name]).toHaveLength(60);
    expect(name).toMatch(/^\{"level":"info"[ -~]*…$/);
    expect(told("grant_ended")).toEqual([]);
  });
});

describe("the level", () => {
  it("debug has a line for each request and each call to the service, linked by the request's id", async () => {
    const { publicUrl, mcp, told } = await startLogging();
    const { access } = await signIn(publicUrl);
    const before = told().length;
    await callMcp(mcp, access, { name: "get_stats", args: { site: "example.com", days: 7 } });
    await expect.poll(() => told().length).toBe(before + 2);
    const [upstream = "", request = ""] = told().slice(before);
    const { grant } = JSON.parse(told("grant_made")[0] ?? "{}");
    const { request: id } = JSON.parse(request);
    expect(upstream.replace(/"ms":\d+/, '"ms":0')).toBe(
      `{"level":"debug","event":"upstream","request":"${id}","grant":"${grant}","path":"/api/v1/stats","status":200,"ms":0}`,
    );
    expect(request.replace(/"ms":\d+/, '"ms":0')).toBe(
      `{"level":"debug","event":"request","request":"${id}","grant":"${grant}","method":"POST","path":"/mcp","status":200,"ms":0}`,
    );
  });

  it("debug shows why the service was not reached, but not its address", async () => {
    const { publicUrl, told } = await startLogging({
      reach: (apiKey) => ({
        baseUrl: "http://127.0.0.1:1/api/v1",
        apiKey,
        fetch: () =>
          Promise.reject(
            new TypeError("to 10.1.2.3", { cause: Object.assign(new Error(), { code: "ECONNREFUSED" }) }),
          ),
      }),
    });
    await (await openConsent(publicUrl, (await prepare(publicUrl)).url)).submit();
    expect(told("upstream")[0]).toMatch(/"path":"\/api\/v1\/sites","error":"ECONNREFUSED","ms":\d+\}$/);
    expect(told().join()).not.toContain("10.1.2.3");
  });

  it("info has none of these, warn has refusals and faults, error only faults", async () => {
    const heard = async (logLevel: "info" | "warn" | "error") => {
      const { publicUrl, told, store } = await startLogging({ logLevel });
      const { submit } = await openConsent(publicUrl, (await prepare(publicUrl)).url);
      await submit({ api_key: "no-key-of-anyone" });
      store.check = () => Promise.reject(new Error("out of order: 10.1.2.3"));
      expect((await fetch(`${publicUrl}/readyz`)).status).toBe(500);
      return told().map((line) => JSON.parse(line).event);
    };
    expect(await heard("info")).toEqual(["client_registered", "key_refused", "fault"]);
    expect(await heard("warn")).toEqual(["key_refused", "fault"]);
    expect(await heard("error")).toEqual(["fault"]);
  });
});

describe("a path in the log", () => {
  it.each([
    ["/mcp?access_token=x#y", "/mcp"],
    ["/consent/JNWCBsZLlCyyCkvL3wN2N", "/consent/*"],
    ["/authorize/JNWCBsZLlCyyCkvL3wN2N?x", "/authorize/*"],
    ["/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-protected-resource/mcp"],
    ["/mcp/demo-key-of-acme/token", "/mcp/*/token"],
    [`/${"x/".repeat(1000)}`, "/*/*/*/*/*/*"],
    ["http://user:password@host/mcp", "//*/mcp"],
    ["*", "/"],
    ["", "/"],
  ])("%j is logged as %s", (url, path) => {
    expect(maskPath(url)).toBe(path);
  });
});

it("a person at a terminal reads words", () => {
  const lines: string[] = [];
  const clock = () => Date.parse("2026-11-21T12:00:00Z");
  const log = createLog({ level: "info", clock, isRead: true, write: (line) => lines.push(line) });
  log("grant_made", { request: "r", grant: "g1", client: "c1", name: "Example Client", reason: undefined });
  log("host_refused", { host: "a.example", message: "Not b.example; key=canary" });
  log("source", { message: "The keys file is in use\u202e again." });
  log("request", { path: "/" });
  const time = new Date(clock()).toTimeString().slice(0, 8);
  expect(lines).toEqual([
    `${time} grant made (grant g1, client c1, name "Example Client")`,
    `${time} host refused (host a.example): Not b.example; key=[hidden]`,
    `${time} warning: source: The keys file is in use again.`,
  ]);
});

describe("the redaction of secrets", () => {
  const write = (facts: Facts) => {
    const lines: string[] = [];
    const log = createLog({ level: "debug", clock: () => 0, write: (line) => lines.push(line) });
    log("fault", facts);
    return JSON.parse(lines[0] ?? "");
  };

  it.each([
    ["sent Authorization: Bearer canary", "Authorization: Bearer [hidden]"],
    ["sent Basic Y2FuYXJ5", "Basic [hidden]"],
    ["GET https://stats.example.test/x?site=canary failed", "https://stats.example.test/x?[hidden] failed"],
    ["code=canary&state=1", "code=[hidden]&state=1"],
    ['{"refresh_token": "canary", "x": 1}', '{"refresh_token": "[hidden]", "x": 1}'],
    ["client_secret:canary", "client_secret:[hidden]"],
    [`sent amcp_${"A1_-".repeat(10)}abc as it is`, "sent [hidden] as it is"],
  ])("hides the secret in %j", (message, expected) => {
    const told = write({ message }).message;
    expect(told).toContain(expected);
    expect(told).not.toMatch(/canary|Y2FuYXJ5/);
  });

  it.each(["apiKey", "access_token", "code", "code_verifier", "client_secret", "password", "cookie", "csrf"])(
    "hides a fact named %s",
    (name) => {
      expect(write({ [name]: "canary", count: 1 })).toMatchObject({ [name]: "[hidden]", count: 1 });
    },
  );

  it("leaves ids, reasons and paths as they are", () => {
    const facts = {
      grant: "c67851ac-a348-40c6-a44d-508771a8c0b1",
      client: "client-1",
      reason: "wrong_key",
      path: "/token",
      status: 400,
    };
    expect(write(facts)).toEqual({
      time: "1970-01-01T00:00:00.000Z",
      level: "error",
      event: "fault",
      ...facts,
    });
  });
});
