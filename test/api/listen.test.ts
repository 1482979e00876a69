import { request } from "node:http";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Listening, listen } from "../../src/api/listen.ts";
import { createTestApi, DEMO_KEY } from "../support/api.ts";

let server: Listening;
const { api, reference } = createTestApi();

beforeAll(async () => {
  server = await listen(reference, "127.0.0.1", 0);
});
afterAll(() => server.close());

/** One raw request: fetch would normalize it. */
const send = (raw: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(server.origin).port), "127.0.0.1", () => socket.write(raw));
    let text = "";
    socket.on("data", (chunk) => {
      text += chunk.toString();
    });
    socket.on("error", reject).on("close", () => resolve(text));
  });

const head = `Host: x\r\nAuthorization: Bearer ${DEMO_KEY}\r\nConnection: close\r\n`;

describe("the reference API over real HTTP", () => {
  it("answers as the function does", async () => {
    const headers = { Authorization: `Bearer ${DEMO_KEY}` };
    const response = await fetch(`${server.origin}/api/v1/stats?site=example.com&days=7`, { headers });
    const direct = await api(new Request("http://x/api/v1/stats?site=example.com&days=7", { headers }));
    expect([response.status, await response.text()]).toEqual([200, await direct.text()]);
    expect(response.headers.get("etag")).toBe(direct.headers.get("etag"));
    expect(Number(response.headers.get("content-length"))).toBeGreaterThan(100);
  });

  it("HEAD and 304 have no body", async () => {
    expect(await send(`HEAD /api/v1/sites HTTP/1.1\r\n${head}\r\n`)).toMatch(
      /^HTTP\/1\.1 200 OK\r\n[\s\S]*\r\n\r\n$/,
    );
    expect(await send(`GET /api/v1/sites HTTP/1.1\r\n${head}If-None-Match: *\r\n\r\n`)).toMatch(
      /^HTTP\/1\.1 304 [\s\S]*\r\n\r\n$/,
    );
  });

  it.each(["POST", "TRACE", "OPTIONS", "PROPFIND"])("%s is 405", async (method) => {
    expect(await send(`${method} /api/v1/sites HTTP/1.1\r\n${head}\r\n`)).toMatch(
      /^HTTP\/1\.1 405 [\s\S]*allow: GET, HEAD/i,
    );
  });

  it("ignores a request body", async () => {
    const answer = await send(
      `GET /api/v1/sites HTTP/1.1\r\n${head}Content-Length: 9\r\n\r\n{"days":7}`.slice(0, -1),
    );
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK/);
  });

  it("ignores Host, the origin of an absolute target and a doubled slash", async () => {
    expect(await send(`GET http://evil.example/api/v1/sites HTTP/1.1\r\n${head}\r\n`)).toMatch(
      /^HTTP\/1\.1 200 OK/,
    );
    expect(await send(`GET //evil.example/api/v1/sites HTTP/1.1\r\n${head}\r\n`)).toMatch(/^HTTP\/1\.1 404 /);
    expect(await send(`GET /api/v1/sites HTTP/1.1\r\n${head.replace("Host: x", "Host: a b<>")}\r\n`)).toMatch(
      /^HTTP\/1\.1 200 OK/,
    );
  });

  it("survives absurd targets and headers", async () => {
    for (const target of [
      "*",
      "/%",
      "/%ff%fe?%=%&&&==",
      "/api/v1/stats?site=%E0%A4%A",
      `/${"a".repeat(8_000)}`,
    ]) {
      const answer = await send(`GET ${target} HTTP/1.1\r\n${head}\r\n`);
      expect(answer).toMatch(/^HTTP\/1\.1 40[04] /);
    }
    expect((await fetch(`${server.origin}/llms.txt`)).status).toBe(200);
  });

  it("keeps a connection for the next request", async () => {
    const answer = await send(
      `POST /api/v1/sites HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabcGET /llms.txt HTTP/1.1\r\n${head}\r\n`,
    );
    expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 405", "HTTP/1.1 200"]);
  });

  it("rejects with Node's error if the port is taken", async () => {
    const port = Number(new URL(server.origin).port);
    await expect(listen(reference, "127.0.0.1", port)).rejects.toMatchObject({ code: "EADDRINUSE" });
  });

  it("finishes requests in progress when it closes", async () => {
    const other = await listen(reference, "127.0.0.1", 0);
    const answer = new Promise((resolve) => {
      request(`${other.origin}/llms.txt`, (response) => resolve(response.resume().statusCode)).end();
    });
    expect(await answer).toBe(200);
    await other.close();
    await expect(fetch(`${other.origin}/llms.txt`)).rejects.toThrow();
  });
});
