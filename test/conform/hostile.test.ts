import { afterEach, describe, expect, it } from "vitest";
import { createNetworkSend } from "../../src/client/network.ts";
import { formatReport } from "../../src/conform/conform-report.ts";
import { checkConformance } from "../../src/conform/conformance.ts";
import { DEMO_KEY, GLOBEX_KEY, NOW } from "../support/api.ts";
import { type FaultyServer, send, startServer } from "../support/faulty-server.ts";
import { check, createService, type Service } from "./service.ts";

let server: FaultyServer | undefined;
afterEach(() => server?.close());

async function checkServer(listener: Parameters<typeof startServer>[0], only?: string[]) {
  server = await startServer(listener);
  return checkConformance(
    {
      baseUrl: `${server.origin}/api/v1`,
      ...{ apiKey: DEMO_KEY, otherKey: GLOBEX_KEY },
      send: createNetworkSend(),
    },
    {
      clock: () => NOW,
      sleep: async () => {},
      limits: { deadline: 300, maxBytes: 100_000 },
      ...(only && { only }),
    },
  );
}

const json = { "content-type": "application/json" };

describe("any answer of a service becomes a verdict", () => {
  it.each<[string, Parameters<typeof startServer>[0]]>([
    ["HTML", (_, response) => send(response, 200, { "content-type": "text/html" }, "<h1>Hello</h1>")],
    ["garbage", (_, response) => send(response, 200, json, "\u0000{[")],
    ["no UTF-8", (_, response) => response.writeHead(200, json).end(Buffer.from([0xff, 0xfe, 0x7b]))],
    ["an array", (_, response) => send(response, 200, json, "[]")],
    ["a number", (_, response) => send(response, 200, json, "7")],
    ["null", (_, response) => send(response, 200, json, "null")],
    ["depths", (_, response) => send(response, 200, json, "[".repeat(50_000))],
    ["huge bodies", (_, response) => send(response, 200, json, `{"a":"${"x".repeat(200_000)}"}`)],
    ["errors of a gateway", (_, response) => send(response, 502, { "content-type": "text/html" }, "Bad")],
    ["nothing at all", (_, response) => send(response, 204, {}, "")],
    [
      "wrong types",
      (_, response) => send(response, 200, json, '{"sites":{"length":3},"as_of":7,"errors":"x"}'),
    ],
    [
      "strange sites",
      (_, response) => send(response, 200, json, '{"as_of":"x","sites":[null,7,{"id":[]},{}]}'),
    ],
    ["a status of its own", (_, response) => send(response, 299, json, "{}")],
    [
      "another protocol's errors",
      (_, response) => send(response, 418, json, '{"errors":[null,{"parameter":{}}]}'),
    ],
  ])("%s", async (_, listener) => {
    const { rules, summary } = await checkServer(listener);
    expect(summary.must_failed).toBeGreaterThan(8);
    expect(summary.kept + summary.failed + summary.skipped).toBe(rules.length);
    expect(rules.find(({ id }) => id === "sites.answer")?.verdict).toBe("fail");
    expect(summary.requests).toBeLessThanOrEqual(600);
  });

  it("bodies that never end, after a first answer: it stops asking", async () => {
    const { rules, summary } = await checkServer((request, response, count) => {
      if (count === 1) return send(response, 200, json, '{"as_of":"2026-11-21T04:05:10Z","sites":[]}');
      response.writeHead(200, json).write("{");
      void request;
    });
    expect(summary.requests).toBeLessThan(20);
    expect(rules.some(({ detail }) => detail === "the service stopped answering")).toBe(true);
  });

  it("connections that are cut in the middle", async () => {
    const { summary } = await checkServer((_, response, count) => {
      if (count === 1) return send(response, 200, json, '{"as_of":"2026-11-21T04:05:10Z","sites":[]}');
      response.writeHead(200, { "content-length": "100" }).write("{");
      response.destroy();
    });
    expect(summary.must_failed).toBeGreaterThan(0);
    expect(summary.requests).toBeLessThan(20);
  });
});

describe("says why if nothing can be checked", () => {
  it.each<[string, Parameters<typeof startServer>[0], string]>([
    ["no answer", () => {}, "timeout"],
    ["a cut connection", (_, response) => response.destroy(), "unreachable"],
    ["a key that is refused", (_, response) => send(response, 401, json, "{}"), "invalid_api_key"],
    ["a redirect", (_, response) => send(response, 301, { location: "https://x.test/" }, ""), "redirected"],
    ["another address", (_, response) => send(response, 404, {}, "nothing"), "not_found"],
  ])("%s", async (_, listener, code) => {
    await expect(checkServer(listener)).rejects.toMatchObject({ code });
  });

  it("a quota that is used up for a day ends the run with a report so far", async () => {
    let count = 0;
    const inner = createService();
    const service: Service = async (request, sent) =>
      ++count > 100
        ? new Response("{}", { status: 429, headers: { "retry-after": "86400" } })
        : inner(request, sent);
    const { report, skipped } = await check(service);
    expect(report.rules.find(({ id }) => id === "auth.missing-key")?.verdict).toBe("pass");
    expect(skipped.length).toBeGreaterThan(50);
    expect(report.rules.find(({ id }) => id === skipped[0])?.detail).toContain("86400 seconds");
  });

  it("no service can make it wait forever", async () => {
    const inner = createService();
    let count = 0;
    const service: Service = async (request, sent) =>
      ++count % 2 === 0
        ? new Response("{}", { status: 429, headers: { "retry-after": "100" } })
        : inner(request, sent);
    const { waits } = await check(service);
    expect(waits.reduce((sum, wait) => sum + wait, 0)).toBeLessThan(1_300_000);
  });
});

describe("a report is safe to show", () => {
  it("without keys and without control characters", async () => {
    const { report } = await check(
      async (request) => {
        const echo = `${request.headers.get("authorization")} \u001b[2J\u202e\nforged ✓ line`;
        const body = JSON.stringify({ detail: echo, code: echo, sites: [{ id: echo }], period: echo });
        return new Response(body, {
          status: request.url.includes("sites") ? 200 : 404,
          headers: { "content-type": "text/x" },
        });
      },
      { site: undefined },
    );
    const text = formatReport(report, new Map(), {
      ...{ width: 100, height: 40, color: false, pictures: true, locale: "en-US" },
    });
    for (const key of [DEMO_KEY, GLOBEX_KEY]) {
      expect(text).not.toContain(key);
      expect(JSON.stringify(report)).not.toContain(key);
    }
    expect(text).not.toMatch(/[^\P{Cc}\n]|\p{Cf}/u);
    expect(text).not.toMatch(/^forged/m);
  });
});
