import { createServer } from "node:http";
import { connect } from "node:net";
import { afterEach, expect, it } from "vitest";
import { createNetworkFetch } from "../../src/client/network.ts";
import { ask, callMcp, openConsent, prepare, register, signIn } from "../support/attacker.ts";
import { startTestConnector } from "../support/connector.ts";
import { findPort } from "../support/processes.ts";
import { underAttack } from "../support/under-attack.ts";

const LARGE = 1_500_000;

const open: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});

/** Sends a request's parts with a pause before each, and waits until the connection ends. */
async function sendSlowly(origin: string, parts: Iterable<string>, pause: number) {
  const { hostname, port } = new URL(origin);
  const socket = connect(Number(port), hostname);
  const chunks: Buffer[] = [];
  let ended = false;
  socket.on("data", (chunk) => chunks.push(chunk)).on("error", () => {});
  // Not `once` of node:events, which rejects on "error": a server that closes with bytes unread resets the connection.
  const closed = new Promise<void>((resolve) => {
    socket.once("close", () => {
      ended = true;
      resolve();
    });
  });
  const started = performance.now();
  let sent = 0;
  for (const part of parts) {
    if (ended) break;
    sent += 1;
    if (socket.writable) socket.write(part);
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
  await closed;
  return { text: Buffer.concat(chunks).toString("latin1"), sent, took: performance.now() - started };
}

const DRIPS = 400;
function* drip(start: string) {
  yield start;
  for (let index = 0; index < DRIPS; index++) yield "x";
}

/** A client that never ends its request, at the default time limits. */
async function requestSlowly() {
  const connector = await startTestConnector();
  const seen = await sendSlowly(connector.publicUrl, ["GET / HTTP/1.1\r\nHost: localhost\r\n"], 0);
  await connector.close();
  return seen;
}

/** A person who consents while the analytics service trickles its answer. */
async function consentWithSlowService() {
  const service = createServer((_, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    const timer = setInterval(() => response.write(" "), 200);
    response.once("close", () => clearInterval(timer));
  });
  const port = await findPort();
  service.listen(port, "127.0.0.1");
  const baseUrl = `http://127.0.0.1:${port}/api/v1`;
  const fetch = createNetworkFetch({});
  const connector = await startTestConnector({ reach: (apiKey) => ({ baseUrl, apiKey, fetch }) });
  const { submit } = await openConsent(connector.publicUrl, (await prepare(connector.publicUrl)).url);
  const started = performance.now();
  const { answer } = await submit({ api_key: "some-key" });
  const took = performance.now() - started;
  await connector.close();
  service.closeAllConnections();
  service.close();
  return { answer, took };
}

/** Both take ten seconds, during which the other tests run. */
const [slowRequest, slowService] = [requestSlowly(), consentWithSlowService()];
slowRequest.catch(() => {});
slowService.catch(() => {});

underAttack((scene) => {
  it("registration floods: the 61st in an hour from one address gets 429 on both replicas", async () => {
    const { publicUrl, address, medium } = scene();
    for (let index = 0; index < 60; index++) {
      // Entries that the client adds before the proxy's are ignored.
      expect((await register(publicUrl, {}, { "x-forwarded-for": `203.0.113.${index}` })).status).toBe(201);
    }
    const before = medium.readVersion();
    for (let index = 0; index < 4; index++) {
      const refused = await register(publicUrl);
      expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "3600"]);
    }
    expect(medium.readVersion()).toBe(before);
    address.last += 1;
    expect((await register(publicUrl)).status).toBe(201);
  });

  it("sign-in floods: the 301st in an hour from one address gets 429 on both replicas, and stores nothing", async () => {
    const { publicUrl, address, medium } = scene();
    const { url } = await prepare(publicUrl);
    for (let round = 0; round < 30; round++) {
      const started = await Promise.all(Array.from({ length: 10 }, () => ask(url.href)));
      expect(new Set(started.map(({ status }) => status))).toEqual(new Set([303]));
    }
    const before = medium.readVersion();
    const refused = await ask(url.href);
    const again = await ask(url.href);
    for (const { status, headers, text } of [refused, again]) {
      expect([status, headers.get("retry-after")]).toEqual([429, "3600"]);
      expect(headers.get("content-type")).toContain("text/html");
      expect(text).toContain("Too many sign-ins");
    }
    expect(medium.readVersion()).toBe(before);
    address.last += 1;
    expect((await ask(url.href)).status).toBe(303);
  });

  it("readiness floods: what anyone may ask writes nothing", async () => {
    const { publicUrl, medium, time } = scene();
    const before = medium.readVersion();
    for (let index = 0; index < 6; index++) {
      time.now += 1_000;
      expect((await ask(`${publicUrl}/readyz`)).status).toBe(200);
    }
    expect(medium.readVersion()).toBe(before);
    // The version does change with what is written.
    await register(publicUrl);
    expect(medium.readVersion()).not.toBe(before);
  });

  it.each(["announced", "in chunks"])(
    "large bodies: every route refuses one %s with 413, and goes on",
    async (how) => {
      const { publicUrl, both, mcp } = scene();
      const { access } = await signIn(publicUrl);
      const { form, browser } = await openConsent(publicUrl, (await prepare(publicUrl)).url);
      const { origin } = both[0];
      const cookie = browser.formatCookies();
      for (const path of ["/token", "/register", "/revoke", form.action, "/mcp"]) {
        const isJson = path === "/register" || path === "/mcp";
        const body = Buffer.alloc(LARGE, "a");
        const stream = new Blob([body]).stream();
        const answer = await ask(origin + path, {
          method: "POST",
          headers: {
            authorization: `Bearer ${access}`,
            cookie,
            origin,
            accept: "application/json, text/event-stream",
            "content-type": isJson ? "application/json" : "application/x-www-form-urlencoded",
          },
          ...(how === "announced" ? { body } : { body: stream, duplex: "half" }),
        } as RequestInit);
        expect([path, answer.status]).toEqual([path, 413]);
      }
      expect((await callMcp(mcp, access)).status).toBe(200);
    },
  );
});

it("X-Forwarded-For: without trustProxy, claiming another address gains nothing", async () => {
  const connector = await startTestConnector();
  open.push(connector);
  const flood = async (index: number) =>
    (await register(connector.publicUrl, {}, { "x-forwarded-for": `203.0.113.${index}` })).status;
  for (let index = 0; index < 60; index++) expect(await flood(index)).toBe(201);
  expect(await flood(61)).toBe(429);
});

it.concurrent.each([
  ["headers", "GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: "],
  ["a body", "POST /token HTTP/1.1\r\nHost: localhost\r\nContent-Length: 60000\r\n\r\n"],
  ["a body to /mcp", "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 60000\r\n\r\n"],
  ["a body that was refused", "POST /token HTTP/1.1\r\nHost: localhost\r\nContent-Length: 90000\r\n\r\n"],
])("slow requests: a client that sends %s byte by byte is cut off", async (_, start) => {
  const connector = await startTestConnector({ timeLimits: { headers: 200, request: 400, interval: 50 } });
  const { sent } = await sendSlowly(connector.publicUrl, drip(start), 20);
  await connector.close();
  expect(sent).toBeLessThan(DRIPS);
});

it("slow requests: the default limits are checked often enough to hold", async () => {
  const { took, text } = await slowRequest;
  expect(text).toContain("408");
  // Node's own interval is thirty seconds.
  expect(took).toBeLessThan(29_000);
});

it("slow services: one that trickles its answer keeps the person waiting ten seconds at most", async () => {
  const { took, answer } = await slowService;
  expect(answer.status).toBe(503);
  expect(answer.text).toContain("is not responding, so the key could not be checked.");
  expect(took).toBeGreaterThan(9_000);
  // Much longer only because the machine is busy: the service would go on forever.
  expect(took).toBeLessThan(60_000);
});
