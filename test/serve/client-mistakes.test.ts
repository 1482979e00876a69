import { once } from "node:events";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startTestConnector } from "../support/connector.ts";
import { register, signIn } from "../support/oauth-client.ts";

let connector: Awaited<ReturnType<typeof startTestConnector>>;
let token: string;
beforeAll(async () => {
  connector = await startTestConnector();
  const client = (await register(connector)).body.client_id;
  token = String((await signIn(connector, { client })).body.access_token);
});
afterAll(() => connector.close());

const faults = () => connector.lines.filter((line) => line.includes('"event":"fault"'));
const json = { "content-type": "application/json", accept: "application/json, text/event-stream" };
const initialize = { jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: "2025-11-25" } };
const current = { ...json, "mcp-protocol-version": "2026-07-28" };

const bodies = [
  "null",
  "[]",
  "1",
  '"x"',
  "true",
  "{}",
  "[null]",
  "[[]]",
  "[1,2]",
  '{"jsonrpc":"1.0"}',
  "{",
  "",
  "\ufeff{}",
];
const ping = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });

it.each<[string, Record<string, string>, string, number[]]>([
  ...bodies.map((body): [string, Record<string, string>, string, number[]] => [
    `the body ${body}`,
    json,
    body,
    [400],
  ]),
  ["null, by the latest protocol", current, "null", [400]],
  ["a batch, by the latest protocol", current, "[]", [400]],
  ["an unknown protocol", { ...json, "mcp-protocol-version": "1999-01-01" }, ping, [400]],
  ["a header unlike the body", { ...current, "mcp-method": "ping" }, JSON.stringify(initialize), [400]],
  ["text", { ...json, "content-type": "text/plain" }, "{}", [415]],
  ["no type", { accept: json.accept }, "{}", [415]],
  ["no acceptable type", { ...json, accept: "text/html" }, JSON.stringify(initialize), [200, 406]],
  ["an unknown method", json, ping.replace("ping", "x/y"), [200, 404]],
  ["wrong parameters", json, '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":7}', [200, 400]],
  ["an unfinished initialize", json, JSON.stringify(initialize), [200, 400]],
])("/mcp: %s is refused, and is no fault of the server", async (_, headers, body, statuses) => {
  const before = faults().length;
  const response = await fetch(connector.mcp, {
    method: "POST",
    headers: { ...headers, authorization: `Bearer ${token}` },
    body: Buffer.from(body),
  });
  await response.text();
  expect(statuses).toContain(response.status);
  expect(faults().slice(before)).toEqual([]);
});

it.each([
  ["/token", "application/json", "null"],
  ["/token", "application/x-www-form-urlencoded", "%"],
  ["/token", "application/x-www-form-urlencoded", "grant_type=refresh_token&client_id=%00&refresh_token=%ff"],
  ["/revoke", "application/x-www-form-urlencoded", "token=x&token=y"],
  ["/register", "application/json", "null"],
  ["/register", "application/json", "[]"],
  ["/register", "application/json", "{"],
  ["/register", "application/json", '{"redirect_uris":[{}],"client_name":[]}'],
  ["/register", "text/plain", "x"],
  ["/authorize", "application/x-www-form-urlencoded", "client_id=%00"],
  ["/consent/none", "application/x-www-form-urlencoded", "decision=allow"],
])("%s: a wrong body (%s: %s) is no fault of the server", async (path, type, body) => {
  const before = faults().length;
  const headers = { "content-type": type };
  const { status } = await fetch(connector.publicUrl + path, {
    method: "POST",
    headers,
    body,
    redirect: "manual",
  });
  expect([path, Math.floor(status / 100)]).toEqual([path, 4]);
  expect(faults().slice(before)).toEqual([]);
});

it.each(["/mcp", "/token", "/revoke", "/register", "/authorize", "/consent/none"])(
  "%s: a client that hangs up in the middle of its body is no fault of the server",
  async (path) => {
    const before = faults().length;
    const { hostname, port } = new URL(connector.publicUrl);
    for (const kind of ["Content-Length: 100\r\n\r\n{", 'Transfer-Encoding: chunked\r\n\r\n5\r\n{"a":\r\n']) {
      const asked = () => connector.lines.filter((line) => line.includes('"event":"request"')).length;
      const answered = asked();
      const socket = connect(Number(port), hostname);
      const head = [`POST ${path} HTTP/1.1`, `Host: ${hostname}`, `Authorization: Bearer ${token}`];
      head.push(
        "Accept: application/json, text/event-stream",
        `Content-Type: ${path === "/mcp" ? "application/json" : "application/x-www-form-urlencoded"}`,
        // The server says so when it has read this head.
        "Expect: 100-continue",
      );
      socket.write(`${head.join("\r\n")}\r\n${kind}`);
      await once(socket, "data");
      socket.resetAndDestroy();
      await expect.poll(() => asked()).toBeGreaterThan(answered);
    }
    expect(faults().slice(before)).toEqual([]);
  },
);

it.each(["/mcp", "/", "/healthz", "/register", "/authorize?client_id=x"])(
  "%s: an empty Host is refused (RFC 9112, section 3.2)",
  async (path) => {
    const { hostname, port } = new URL(connector.publicUrl);
    for (const host of ["Host:", "Host:  "]) {
      const socket = connect(Number(port), hostname);
      socket.end(`GET ${path} HTTP/1.1\r\n${host}\r\nConnection: close\r\n\r\n`);
      expect(await text(socket)).toMatch(/^HTTP\/1\.1 400 .*"error":"invalid_request"/s);
    }
  },
);
