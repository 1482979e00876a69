import { afterEach, describe, expect, it } from "vitest";
import { createNetworkSend } from "../../src/client/network.ts";
import { formatReport } from "../../src/conform/conform-report.ts";
import { checkConformance } from "../../src/conform/conformance.ts";
import { DEMO_KEY, GLOBEX_KEY, NOW } from "../support/api.ts";
import { type FaultyServer, send, startServer } from "../support/faulty-server.ts";
import {
  check,
  createService as createFullService,
  limitVisitors,
  type RunOptions,
  type Service,
} from "./service.ts";

/** Enough, since nothing here looks at the numbers. */
const fixtures = limitVisitors(40, 20);
const createService = () => createFullService(undefined, fixtures);

let server: FaultyServer | undefined;
afterEach(() => server?.close());

/** Milliseconds, for what never ends. On a busy machine any answer may be late. */
const IMPATIENT = 500;

async function checkServer(listener: Parameters<typeof startServer>[0], deadline = 60_000) {
  server = await startServer(listener);
  return checkConformance(
    {
      baseUrl: `${server.origin}/api/v1`,
      apiKey: DEMO_KEY,
      otherKey: GLOBEX_KEY,
      send: createNetworkSend(),
    },
    {
      clock: () => NOW,
      sleep: async () => {},
      limits: { deadline, maxBytes: 100_000 },
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
    expect(summary.requests).toBeLessThanOrEqual(880);
  });

  it("bodies that never end, after a first answer: it stops asking", async () => {
    const { rules, summary } = await checkServer((request, response, count) => {
      if (count === 1) return send(response, 200, json, '{"as_of":"2026-11-21T04:05:10Z","sites":[]}');
      response.writeHead(200, json).write("{");
      void request;
    }, IMPATIENT);
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
  it.each<[string, Parameters<typeof startServer>[0], string, number?]>([
    ["no answer", () => {}, "timeout", IMPATIENT],
    ["a cut connection", (_, response) => response.destroy(), "unreachable"],
    ["a key that is refused", (_, response) => send(response, 401, json, "{}"), "invalid_api_key"],
    ["a redirect", (_, response) => send(response, 301, { location: "https://x.test/" }, ""), "redirected"],
    ["another address", (_, response) => send(response, 404, {}, "nothing"), "not_found"],
  ])("%s", async (_, listener, code, deadline) => {
    await expect(checkServer(listener, deadline)).rejects.toMatchObject({ code });
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

  it("a first answer of 429 with a long wait is a report, too, and no more is asked", async () => {
    const problem = {
      type: "about:blank",
      title: "Too many",
      status: 429,
      detail: "Later.",
      request_id: "7",
    };
    const { report, failed, skipped } = await check(async () =>
      Response.json(
        { ...problem, code: "rate_limited" },
        { status: 429, headers: { "retry-after": "3600" } },
      ),
    );
    expect(failed).toEqual([]);
    expect(report.rules.find(({ id }) => id === "rate-limit.refusal")?.verdict).toBe("pass");
    expect(report.rules.find(({ id }) => id === "stats.answer")?.detail).toContain("another 3600 seconds");
    expect(skipped.length).toBeGreaterThan(100);
    expect(report.summary.incomplete).toMatch(
      /^Only \d+ of \d+ rules could be checked: the quota is used up/,
    );
    // One with the key, one with each of the other keys, and one without.
    expect(report.summary.requests).toBeLessThan(10);
  });

  it.each([
    ["/v1/stats", 1],
    ["/v1/sites", 2],
  ])("a quota that ends at %s during the survey does not throw", async (path, nth) => {
    const inner = createService();
    let count = 0;
    const { report } = await check(async (request, sent) => {
      if (!request.url.includes(path) || ++count < nth) return inner(request, sent);
      return new Response("{}", { status: 429, headers: { "retry-after": "3600" } });
    });
    expect(report.summary.incomplete).toContain("another 3600 seconds");
  });

  it.each<[string, () => Response]>([
    ["429", () => new Response("{}", { status: 429, headers: { "retry-after": "3600" } })],
    ["nothing", () => Response.error()],
  ])("a list that is not found, and %s instead of the document", async (_, answer) => {
    const { report } = await check(async (request) => {
      if (request.url.endsWith("/sites")) return new Response("{}", { status: 404 });
      const response = answer();
      if (response.type === "error") throw new TypeError("fetch failed");
      return response;
    });
    expect(report.summary.incomplete).not.toBeNull();
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

describe("says in one sentence that little was checked", () => {
  const sitesOf = (answer: (sites: unknown[]) => unknown): Service => {
    const inner = createService();
    return async (request, sent) => {
      const response = await inner(request, sent);
      const isList = new URL(request.url).pathname.endsWith("/sites") && request.method === "GET";
      if (!isList || response.status !== 200) return response;
      const body = (await response.json()) as { sites: unknown[] };
      return new Response(JSON.stringify({ ...body, sites: answer(body.sites) }), response);
    };
  };
  const wordsOf = async (service: Service, options: RunOptions) => {
    const { report, failed } = await check(service, options);
    return { failed, incomplete: report.summary.incomplete, rules: report.rules };
  };

  it("a key without sites", async () => {
    const { failed, incomplete } = await wordsOf(
      sitesOf(() => []),
      { site: undefined },
    );
    expect(failed).toEqual([]);
    expect(incomplete).toMatch(/^Only \d\d of \d{3} rules could be checked: the key lists no sites\.$/);
  });

  it("an hourly quota", async () => {
    const inner = createService();
    let count = 0;
    const { failed, incomplete } = await wordsOf(async (request, sent) => {
      const isCounted = request.headers.get("authorization") === `Bearer ${DEMO_KEY}`;
      if (!isCounted || ++count <= 80) return inner(request, sent);
      const problem = { type: "about:blank", title: "Quota", status: 429, detail: "Later.", request_id: "7" };
      return Response.json(
        { ...problem, code: "rate_limited" },
        { status: 429, headers: { "retry-after": "1800" } },
      );
    }, {});
    expect(failed).toEqual([]);
    expect(incomplete).toMatch(/could be checked: the quota is used up.* another 1800 seconds\.$/);
  });

  it("not if only a second key, visits or dates are missing", async () => {
    const { incomplete } = await wordsOf(createService(), { otherKey: undefined, site: "parked.example" });
    expect(incomplete).toBeNull();
  });

  it("only rules that need a second key, without one", async () => {
    const { incomplete } = await wordsOf(createService(), { otherKey: undefined, only: ["isolation"] });
    expect(incomplete).toBe(
      "Only 0 of 11 rules could be checked: a second key is needed: set ANALYTICS_OTHER_API_KEY.",
    );
  });

  it("a second key that is refused or has no sites", async () => {
    const refused = await wordsOf(createService(), { otherKey: "no-such-key", only: ["isolation"] });
    expect(refused.incomplete).toMatch(/the key in ANALYTICS_OTHER_API_KEY gets status 401/);
  });

  it("a broken list is named, not the site that was asked for", async () => {
    const broken = await wordsOf(
      sitesOf(() => "none"),
      { site: "example.com" },
    );
    expect(broken.failed).toContain("sites.answer");
    expect(broken.rules.find(({ id }) => id === "stats.answer")?.detail).toBe(
      "/sites returns no valid list: see sites.answer",
    );
    const damaged = await wordsOf(
      sitesOf((sites) => sites.map((site) => ({ ...(site as object), timezone: null })).slice(0, 1)),
      { site: "example.com" },
    );
    expect(damaged.failed).toContain("sites.answer");
    expect(damaged.rules.find(({ id }) => id === "stats.answer")?.detail).toMatch(/see sites\.answer$/);
  });

  it("a broken summary is named, not missing visits", async () => {
    const inner = createService();
    const { rules } = await wordsOf(
      (request, sent) =>
        request.url.includes("/v1/stats") ? new Response("{}", { status: 500 }) : inner(request, sent),
      {},
    );
    expect(rules.find(({ id }) => id === "breakdown.pages-add-up")?.detail).toBe(
      "/stats returns no usable answer: see stats.answer",
    );
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
      width: 100,
      height: 40,
      color: false,
      pictures: true,
      locale: "en-US",
    });
    for (const key of [DEMO_KEY, GLOBEX_KEY]) {
      expect(text).not.toContain(key);
      expect(JSON.stringify(report)).not.toContain(key);
    }
    expect(text).not.toMatch(/[^\P{Cc}\n]|\p{Cf}/u);
    expect(text).not.toMatch(/^forged/m);
    // Those that were skipped for one reason are together.
    const reasons = [...text.matchAll(/^ {2}– .*\n(?: {4,5}\S.*\n)* {6}skipped (.*\n(?: {16}.*\n)*)/gm)];
    const skipped = report.rules.filter(({ verdict }) => verdict === "skip");
    const different = new Set(skipped.map(({ section, detail }) => `${section} ${detail}`));
    expect([reasons.length, skipped.every(({ id }) => text.includes(id))]).toEqual([different.size, true]);
    expect(different.size).toBeLessThan(skipped.length);
  });

  it("whole, although a key is as short as a syllable", async () => {
    const { report } = await check(async () => Response.json({ sites: [] }), {
      apiKey: "zk",
      site: undefined,
    });
    expect(JSON.stringify(report.rules)).not.toMatch(/\w\[key\]\w/);
  });

  it("without a key that it sent in a query, percent-encoded", async () => {
    const apiKey = "q7/Zk+4w==";
    const answer = { as_of: "2026-11-21T04:05:10Z", sites: [] };
    const { report } = await check(async () => Response.json(answer), {
      apiKey,
      site: undefined,
      only: ["auth.key-in-query"],
    });
    expect(report.rules[0]?.request).toMatch(/\/sites\?access_token=\[key\]'$/);
    const text = JSON.stringify(report);
    for (const form of [apiKey, encodeURIComponent(apiKey)]) expect(text).not.toContain(form);
  });
});
