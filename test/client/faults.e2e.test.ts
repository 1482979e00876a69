import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from "node:net";
import { inspect } from "node:util";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { afterAll, describe, expect, it } from "vitest";
import { createHttpClient } from "../../src/client/http-client.ts";
import { createNetworkFetch, type NetworkOptions } from "../../src/client/network.ts";
import { AnalyticsError } from "../../src/errors.ts";
import { breakdown, openapi, sites, stats, timeseries } from "../../src/operations/index.ts";
import { createCertificate } from "../support/certificate.ts";
import { answerRightly, type FaultyServer, send, startServer } from "../support/faulty-server.ts";

const KEY = "canary-4f1c9a2e77d04b6f";
const JSON_TYPE = { "content-type": "application/json" };
const open: { close(): unknown }[] = [];
afterAll(() => {
  for (const server of open) server.close();
});

type Listener = (request: IncomingMessage, response: ServerResponse, count: number) => void;

async function start(listener: Listener, tls?: { key: string; cert: string }): Promise<FaultyServer> {
  const server = await startServer(listener, tls);
  open.push(server);
  return server;
}

const passOn = async (request: IncomingMessage, response: ServerResponse) => {
  const { status, headers, body } = await answerRightly(request);
  send(response, status, headers, body);
};

/** For what must run into a time limit. On a busy machine any answer may be late. */
const IMPATIENT = { headersTimeout: 300, bodyTimeout: 300 };

function createCall(
  origin: string,
  network: NetworkOptions = {},
  limits: Parameters<typeof createHttpClient>[0]["limits"] = {},
) {
  const fetch = createNetworkFetch({
    connectTimeout: 20_000,
    headersTimeout: 20_000,
    bodyTimeout: 20_000,
    ...network,
  });
  return createHttpClient({
    readTarget: () => ({ baseUrl: `${origin}/api/v1`, apiKey: KEY, fetch }),
    clock: Date.now,
    limits: { firstBackoff: 5, maxBackoff: 20, deadline: 20_000, ...limits },
  }).call;
}

/** The error of a call, which must be an AnalyticsError and must not contain the key anywhere. */
async function fail(answer: Promise<unknown>): Promise<AnalyticsError> {
  const error = await answer.then(
    () => expect.unreachable("the call should have failed"),
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(AnalyticsError);
  expect(inspect(error, { depth: 10, showHidden: true })).not.toContain(KEY);
  return error as AnalyticsError;
}

describe.concurrent("a network failure is explained so that a person can act on it", () => {
  it("nothing is listening", async () => {
    const server = await start(() => {});
    server.close();
    const error = await fail(createCall(server.origin)(sites, {}));
    expect([error.code, error.message]).toEqual([
      "unreachable",
      `${server.origin} cannot be reached: nothing is listening there.`,
    ]);
    expect(error.hint).toContain("base URL");
    const echo = await start((_, response) => send(response, 200, { "content-type": `text/${KEY}` }, ""));
    expect((await fail(createCall(echo.origin)(sites, {}))).message).toContain("is text/[key], not JSON");
  });

  it("no such host", async () => {
    const error = await fail(createCall("http://no-such-host.invalid")(sites, {}));
    expect([error.code, error.message]).toEqual([
      "unreachable",
      expect.stringMatching(/host name does not exist|cannot be resolved/),
    ]);
  });

  it("no such host, with a misleading name", async () => {
    const error = await fail(createCall("http://proxy.invalid")(sites, {}));
    expect(error.code).toBe("unreachable");
  });

  it("the connection is reset before, and in the middle of, an answer", async () => {
    const before = await start((request) => request.socket.resetAndDestroy());
    expect(await fail(createCall(before.origin)(sites, {}))).toMatchObject({ code: "unreachable" });
    expect(before.requests).toHaveLength(4);
    const middle = await start((request, response) => {
      response.writeHead(200, { ...JSON_TYPE, "content-length": "1000" }).write('{"as_of"');
      setTimeout(() => request.socket.resetAndDestroy(), 20);
    });
    const short = await start((request, response) => {
      response.writeHead(200, { ...JSON_TYPE, "content-length": "1000" }).write('{"as_of"');
      setTimeout(() => request.socket.end(), 20);
    });
    for (const { origin } of [middle, short])
      expect(await fail(createCall(origin)(sites, {}))).toMatchObject({
        code: "unreachable",
        message: `The answer of ${origin} was cut off before its end.`,
      });
    expect(short.requests).toHaveLength(4);
  });

  it("the server does not speak HTTP", async () => {
    const { origin } = await listen((socket) => socket.on("error", () => {}).end("220 mail ESMTP\r\n"));
    expect((await fail(createCall(origin)(sites, {}))).message).toBe(
      `${origin} cannot be reached: the server there does not speak HTTP.`,
    );
  });

  it("headers do not come", async () => {
    const server = await start(() => {});
    const error = await fail(createCall(server.origin, IMPATIENT, { attempts: 2 })(sites, {}));
    expect(error.code).toBe("timeout");
    expect(error.message).toContain("did not answer in time");
  });

  it("a body stops half-way", async () => {
    const server = await start((_, response) => void response.writeHead(200, JSON_TYPE).write('{"as_of":'));
    const error = await fail(createCall(server.origin, IMPATIENT, { attempts: 2 })(sites, {}));
    expect(error.code).toBe("timeout");
    expect(error.message).toContain("in the middle of its answer");
  });

  it("a body drips forever: the deadline ends it", async () => {
    const server = await start((_, response) => {
      response.writeHead(200, JSON_TYPE);
      const timer = setInterval(() => response.write(" "), 50);
      response.on("close", () => clearInterval(timer));
    });
    const error = await fail(createCall(server.origin, {}, { deadline: 700 })(sites, {}));
    expect([error.code, error.message]).toEqual([
      "timeout",
      "The service gave no answer within 0.7 seconds.",
    ]);
  });

  it("a web page answers", async () => {
    const server = await start((_, response) =>
      send(response, 200, { "content-type": "text/html" }, "<html>Sign in</html>"),
    );
    const error = await fail(createCall(server.origin)(sites, {}));
    expect([error.code, error.message]).toEqual([
      "bad_answer",
      "The answer to /sites is text/html, not JSON.",
    ]);
    expect(error.hint).toContain("base URL");
  });

  it("incomplete JSON", async () => {
    const server = await start((_, response) => send(response, 200, JSON_TYPE, '{"as_of":"2026-11-21T04'));
    const error = await fail(createCall(server.origin)(sites, {}));
    expect([error.code, error.message]).toEqual([
      "bad_answer",
      "The answer to /sites breaks the contract: it is not complete JSON.",
    ]);
  });

  it("endless nesting", async () => {
    const deep = `{"openapi":"3.1.1","x":${"[".repeat(50_000)}${"]".repeat(50_000)}}`;
    const server = await start((_, response) => send(response, 200, JSON_TYPE, deep));
    const error = await fail(createCall(server.origin)(openapi, {}));
    expect([error.code, error.message]).toEqual([
      "bad_answer",
      expect.stringContaining("nested deeper than 100 levels"),
    ]);
  });

  it("brackets inside a string are not nesting", async () => {
    const name = `${"[{".repeat(200)}\\"${"[".repeat(200)}`;
    const sitesAnswer = { as_of: "2026-11-21T04:05:10Z", sites: [], name };
    const server = await start((_, response) => send(response, 200, JSON_TYPE, JSON.stringify(sitesAnswer)));
    expect((await createCall(server.origin)(sites, {})).sites).toEqual([]);
  });

  it.each([301, 302, 307, 308])(
    "a redirect (%d) is not followed, and the key is not sent there",
    async (status) => {
      const elsewhere = await start((_, response) => send(response, 200, JSON_TYPE, "{}"));
      const server = await start((_, response) =>
        send(response, status, { location: `${elsewhere.origin}/api/v1/sites?secret=1` }, ""),
      );
      const error = await fail(createCall(server.origin)(sites, {}));
      expect([error.code, error.message]).toEqual([
        "redirected",
        `The service redirects to ${elsewhere.origin} (status ${status}); the key was not sent there.`,
      ]);
      expect(elsewhere.requests).toHaveLength(0);
    },
  );

  it("a self-signed certificate", async () => {
    const server = await start((_, response) => response.end("{}"), createCertificate(2));
    const error = await fail(createCall(server.origin)(sites, {}));
    expect(error.code).toBe("tls");
    expect(error.message).toContain("self-signed");
    expect(error.hint).toContain("NODE_EXTRA_CA_CERTS");
    expect(server.requests).toHaveLength(0);
  });

  it("plain http behind an https address", async () => {
    const server = await start((_, response) => response.end("{}"));
    const error = await fail(createCall(server.origin.replace("http:", "https:"))(sites, {}));
    expect([error.code, error.message]).toEqual(["tls", expect.stringContaining("does not speak TLS")]);
  });
});

describe.concurrent("proxies of the environment", () => {
  it("carry the request", async () => {
    const server = await start(passOn);
    const connects: string[] = [];
    const proxy = await startProxy((target) => {
      connects.push(target);
      return server.origin;
    });
    const call = createCall("http://stats.example.test", { httpProxy: proxy.origin });
    expect((await call(sites, {})).sites).toHaveLength(5);
    expect(connects).toEqual(["stats.example.test:80"]);
    const direct = createCall(server.origin, { httpProxy: proxy.origin, noProxy: "127.0.0.1" });
    expect((await direct(sites, {})).sites).toHaveLength(5);
    expect(connects).toHaveLength(1);
  });

  it("that do not answer are named, instead of the service", async () => {
    const proxy = await startProxy(() => undefined);
    proxy.close();
    const fetch = createNetworkFetch({ httpsProxy: proxy.origin });
    const { call } = createHttpClient({
      readTarget: () => ({ baseUrl: "https://x.test/api/v1", apiKey: KEY, fetch, proxies: [proxy.origin] }),
      clock: Date.now,
    });
    expect(await fail(call(sites, {}))).toMatchObject({
      code: "proxy",
      message: `The proxy ${new URL(proxy.origin).host} cannot be reached: nothing is listening there.`,
    });
  });

  it("that refuse are named", async () => {
    const proxy = await startProxy(() => undefined);
    const error = await fail(
      createCall("https://stats.example.test", { httpsProxy: proxy.origin })(sites, {}),
    );
    expect(error.code).toBe("proxy");
    expect(error.hint).toContain("HTTPS_PROXY");
  });
});

describe.concurrent("a connection that is never established", () => {
  /** A server that never answers in HTTP. */
  async function startSilence(meet: (socket: Socket) => void) {
    const sockets = new Set<Socket>();
    const { origin } = await listen((socket) => {
      sockets.add(socket.on("error", () => {}));
      meet(socket);
    });
    const close = () => {
      for (const socket of sockets) socket.destroy();
    };
    open.push({ close });
    return { origin, sockets };
  }
  /** Longer than a test may take. */
  const FOREVER_MS = 600_000;

  it("the deadline ends the wait for a tunnel through a silent proxy", async () => {
    const proxy = await startSilence(() => {});
    const network = { httpsProxy: proxy.origin, headersTimeout: FOREVER_MS };
    const call = createCall("https://stats.example.test", network, { deadline: 500 });
    expect((await fail(call(sites, {}))).code).toBe("timeout");
  });

  it("the time limit for headers applies to a silent proxy", async () => {
    const proxy = await startSilence(() => {});
    const call = createCall("https://stats.example.test", { ...IMPATIENT, httpsProxy: proxy.origin });
    expect((await fail(call(sites, {}))).code).toBe("proxy");
  });

  it("a proxy that closes instead is asked once", async () => {
    const proxy = await startSilence((socket) => socket.once("data", () => socket.end()));
    const call = createCall("https://stats.example.test", { httpsProxy: proxy.origin });
    expect((await fail(call(sites, {}))).code).toBe("proxy");
    expect(proxy.sockets.size).toBe(1);
  });

  it("the deadline ends the wait for a TLS handshake", async () => {
    const service = await startSilence(() => {});
    const network = { connectTimeout: FOREVER_MS };
    const call = createCall(service.origin.replace("http:", "https:"), network, { deadline: 500 });
    expect((await fail(call(sites, {}))).code).toBe("timeout");
  });

  it("aborted calls free their places for others", async ({ expect }) => {
    let isSilent = true;
    const server = await start(passOn);
    const proxy = await startSilence((socket) => {
      if (isSilent) return;
      socket.once("data", () => {
        socket.write("HTTP/1.1 200 OK\r\n\r\n");
        socket.pipe(connect(Number(new URL(server.origin).port), "127.0.0.1")).pipe(socket);
      });
    });
    const network = { httpProxy: proxy.origin };
    const call = createCall("http://stats.example.test", network, { concurrency: 2 });
    const leaving = new AbortController();
    const left = [1, 2].map((days) =>
      fail(call(stats, { site: "example.com", days }, { signal: leaving.signal })),
    );
    await expect.poll(() => proxy.sockets.size).toBeGreaterThan(0);
    isSilent = false;
    leaving.abort();
    for (const outcome of left) expect((await outcome).code).toBe("cancelled");
    for (const socket of proxy.sockets) socket.destroy();
    expect((await call(sites, {})).sites).toHaveLength(5);
  });
});

describe.concurrent("content codings", () => {
  const packed = (coding: string, pack: (body: Buffer) => Buffer) =>
    start(async (request, response) => {
      const { status, headers, body } = await answerRightly(request);
      send(response, status, { ...headers, "content-encoding": coding }, pack(Buffer.from(body)));
    });
  const repeat = (count: number, pack: (body: Buffer) => Buffer) => (body: Buffer) =>
    Array.from({ length: count }).reduce<Buffer>(pack, body);

  it.each<[string, (body: Buffer) => Buffer]>([
    ["gzip", gzipSync],
    ["X-GZIP", gzipSync],
    ["deflate", deflateSync],
    ["br", brotliCompressSync],
    ["gzip, br", (body) => brotliCompressSync(gzipSync(body))],
    ["identity", (body) => body],
  ])("%s is decoded", async (coding, pack) => {
    const server = await packed(coding, pack);
    expect((await createCall(server.origin)(sites, {})).sites).toHaveLength(5);
  });

  it.each(["rot13", "gzip, rot13", "constructor", "__proto__"])("%s is refused", async (coding) => {
    const server = await packed(coding, (body) => body);
    expect(await fail(createCall(server.origin)(sites, {}))).toMatchObject({
      code: "bad_answer",
      message: "The service's answer has a Content-Encoding that was not asked for.",
    });
  });

  it("more than two are refused", async () => {
    const server = await packed(Array.from({ length: 3 }, () => "gzip").join(), repeat(3, gzipSync));
    expect(await fail(createCall(server.origin)(sites, {}))).toMatchObject({
      code: "bad_answer",
      message: "The service compressed its answer 3 times.",
    });
    expect(server.requests).toHaveLength(1);
  });

  it("decompression that takes longer than the deadline is aborted", async () => {
    // Millions of empty members: they decompress to nothing, so no limit on bytes applies.
    const members = gzipSync(Buffer.alloc(100_000_000, gzipSync("")), { level: 1 });
    const server = await packed("gzip, gzip", () => Buffer.concat(Array.from({ length: 40 }, () => members)));
    // All of it would take minutes.
    const call = createCall(server.origin, {}, { deadline: 2_000 });
    expect((await fail(call(sites, {}))).code).toBe("timeout");
  });
});

describe.concurrent("temporary failures are retried", () => {
  const failThenAnswer = (times: number, status: number, headers: Record<string, string> = {}) =>
    start(async (request, response, count) => {
      if (count <= times) return send(response, status, headers, "");
      await passOn(request, response);
    });

  it.each([
    [429, 1],
    [502, 2],
    [503, 2],
    [504, 2],
  ])("%d then 200", async (status, times) => {
    const server = await failThenAnswer(times, status);
    expect((await createCall(server.origin)(sites, {})).sites).toHaveLength(5);
    expect(server.requests).toHaveLength(times + 1);
  });

  it("a second 429 that names no time is final", async () => {
    const server = await failThenAnswer(2, 429);
    expect((await fail(createCall(server.origin)(sites, {}))).code).toBe("rate_limited");
    expect(server.requests).toHaveLength(2);
  });

  it.each([400, 401, 403, 404, 405, 500, 501])("%d is final", async (status) => {
    const server = await failThenAnswer(1, status);
    expect(await fail(createCall(server.origin)(sites, {}))).toMatchObject({ status });
    expect(server.requests).toHaveLength(1);
  });

  it.each([
    ["Retry-After in seconds", () => ({ "retry-after": "1" })],
    ["Retry-After as a date", () => ({ "retry-after": new Date(Date.now() + 2_000).toUTCString() })],
    ["RateLimit", () => ({ ratelimit: '"default";r=0;t=1' })],
    ["X-RateLimit-Reset as seconds to go", () => ({ "x-ratelimit-reset": "1" })],
  ])("%s: the wait is kept in full", async (_, headers) => {
    const started: number[] = [];
    const server = await start(async (request, response, count) => {
      started.push(performance.now());
      if (count === 1) return send(response, 429, headers(), "");
      await passOn(request, response);
    });
    await createCall(server.origin)(sites, {});
    expect((started[1] ?? 0) - (started[0] ?? 0)).toBeGreaterThanOrEqual(950);
  });

  it("a wait past the deadline is not started, and the hint names it", async () => {
    const server = await failThenAnswer(9, 429, { "retry-after": "42" });
    const error = await fail(createCall(server.origin)(sites, {}));
    expect([error.code, error.hint]).toEqual(["rate_limited", "Try again in 42 seconds."]);
    expect(server.requests).toHaveLength(1);
  });

  it("gives up after four attempts", async () => {
    const server = await failThenAnswer(99, 503);
    expect((await fail(createCall(server.origin)(sites, {}))).code).toBe("unavailable");
    expect(server.requests).toHaveLength(4);
  });
});

describe.concurrent("cancelling", () => {
  it("cuts the request at the service and fails with cancelled", async () => {
    let closed: () => void = () => {};
    const cut = new Promise<void>((resolve) => {
      closed = resolve;
    });
    const controller = new AbortController();
    const server = await start((request) => {
      request.socket.on("close", closed);
      controller.abort();
    });
    const error = await fail(createCall(server.origin)(sites, {}, { signal: controller.signal }));
    expect(error.code).toBe("cancelled");
    await cut;
  });

  it("ends a wait between attempts", async () => {
    const controller = new AbortController();
    const server = await start((_, response) => {
      send(response, 429, { "retry-after": "25" }, "");
      setTimeout(() => controller.abort(), 50);
    });
    const call = createCall(server.origin, {}, { deadline: 600_000 });
    expect((await fail(call(sites, {}, { signal: controller.signal }))).code).toBe("cancelled");
    expect(server.requests).toHaveLength(1);
  });
});

describe("an answer that breaks the contract is refused, and the field named", () => {
  const question = { site: "example.com", days: 7 };
  const edited = (edit: (body: Record<string, unknown>) => unknown) =>
    start(async (request, response) => {
      const right = await answerRightly(request, (text) => {
        const body = JSON.parse(text);
        edit(body);
        return JSON.stringify(body);
      });
      send(response, 200, JSON_TYPE, right.body);
    });
  const set = (path: string, value: unknown) => (body: Record<string, unknown>) => {
    const keys = path.split(".");
    const last = keys.pop() ?? "";
    const target = keys.reduce<Record<string, unknown>>(
      (member, key) => member[key] as Record<string, unknown>,
      body,
    );
    if (value === undefined) delete target[last];
    else target[last] = value;
  };

  it.each([
    ["visitors", undefined, 'it lacks "visitors"'],
    ["visitors", "1043", '"visitors" is a string, number expected'],
    ["visitors", null, '"visitors" is null, number expected'],
    ["visitors", 10.5, '"visitors" is the number 10.5'],
    ["visitors", -1, '"visitors" is the number -1'],
    ["visitors", 2 ** 60, '"visitors" is the number'],
    ["site", undefined, 'it lacks "site"'],
    ["site.domain", 7, '"site.domain" is the number 7, string expected'],
    ["period.timezone", undefined, 'it lacks "period.timezone"'],
    ["period.from", "15.11.2026", '"period.from" is a string'],
    ["period.as_of", "2026-11-21 05:05", '"period.as_of" is a string'],
    ["period.partial", "true", '"period.partial" is a string, boolean expected'],
    ["period.days", 30, "it covers 30 days, not 7"],
    ["period.partial", false, "its period is not partial, but complete_through is 2026-11-20"],
    ["period.complete_through", "2026-11-21", "its period is partial, but complete_through is 2026-11-21"],
    ["site", { id: "1", domain: "example.org" }, 'it is about "example.org", not "example.com"'],
    ["period.from", "2026-11-14", "its period from 2026-11-14 to 2026-11-21 is not 7 days long"],
  ])("stats with %s = %j", async (path, value, reason) => {
    const server = await edited(set(path, value));
    const error = await fail(createCall(server.origin)(stats, question));
    expect(error.code).toBe("bad_answer");
    expect(error.message).toContain(`The answer to /stats breaks the contract: ${reason}`);
  });

  it.each([
    ["a point too few", (points: unknown[]) => points.pop(), "it has 6 points for 7 days"],
    [
      "a point twice",
      (points: unknown[]) => points.splice(2, 1, points[1]),
      "its point 2026-11-16 is out of order",
    ],
    ["points backwards", (points: unknown[]) => points.reverse(), "its point 2026-11-21 is out of order"],
  ])("a series with %s", async (_, spoil, reason) => {
    const server = await edited((body) => spoil(body.points as unknown[]));
    const error = await fail(createCall(server.origin)(timeseries, question));
    expect(error.message).toContain(reason);
  });

  interface Ranking {
    rows: Record<string, unknown>[];
    period: object;
  }
  it.each<[string, (body: Ranking) => unknown, string]>([
    ["another dimension", (body) => Object.assign(body, { dimension: "browsers" }), "not countries"],
    ["another limit", (body) => Object.assign(body, { limit: 100 }), "its limit is 100, not 5"],
    ["a row too few", ({ rows }) => rows.shift(), "it has 4 of "],
    ["rows out of order", ({ rows }) => rows.reverse(), '"rows[1]" has more visitors than the row before it'],
    ["a row too many", ({ rows }) => rows.push({ ...rows[0] }), "it has 6 rows, more than the limit of 5"],
    [
      "rows cut off without a word",
      (body) => Object.assign(body, { truncated: false }),
      "truncated: false with 5",
    ],
    ["another period", ({ period }) => Object.assign(period, { days: 30 }), "it covers 30 days, not 7"],
    ["a row without page views", ({ rows }) => delete rows[1]?.pageviews, 'it lacks "rows[1].pageviews"'],
  ])("a breakdown with %s", async (_, spoil, reason) => {
    const server = await edited((body) => spoil(body as unknown as Ranking));
    const asked = { ...question, dimension: "countries", limit: 5 } as const;
    const error = await fail(createCall(server.origin)(breakdown, asked));
    expect([error.code, error.message]).toEqual(["bad_answer", expect.stringContaining(reason)]);
  });

  it("an unknown field is ignored", async () => {
    const server = await edited((body) =>
      Object.assign(body, { bounce_rate: 0.4, site: { ...(body.site as object), tags: [] } }),
    );
    const answer = await createCall(server.origin)(stats, question);
    expect(answer).toHaveProperty("visitors");
    expect(answer).not.toHaveProperty("bounce_rate");
  });
});

describe("a problem document", () => {
  const refuse = (status: number, body: unknown) =>
    start((_, response) =>
      send(response, status, { "content-type": "application/problem+json" }, JSON.stringify(body)),
    );

  it("gives its code, detail and parameters", async () => {
    const errors = [{ parameter: "days", detail: "must be less", minimum: 1, maximum: 30 }];
    const server = await refuse(400, { code: "invalid_parameter", detail: "days must be less.", errors });
    expect(await fail(createCall(server.origin)(sites, {}))).toMatchObject({
      code: "invalid_parameter",
      message: 'The service says: "days must be less."',
      status: 400,
      parameters: errors,
    });
  });

  it("that repeats the key does not get it shown", async () => {
    const server = await refuse(401, { code: "invalid_api_key", detail: `The key ${KEY} is not valid.` });
    expect((await fail(createCall(server.origin)(sites, {}))).message).toBe(
      'The service says: "The key [key] is not valid."',
    );
    const echo = await refuse(500, { detail: "It failed.", request_id: `of-${KEY}` });
    expect((await fail(createCall(echo.origin)(sites, {}))).message).toBe(
      'The service answered /sites with status 500: "It failed." (request of-[key])',
    );
  });

  it("with endless refused parameters is cut to the first ones", async () => {
    const errors = Array.from({ length: 500 }, (_, index) => ({
      parameter: `p${index}`,
      detail: "is wrong",
    }));
    const server = await refuse(400, { code: "unknown_parameter", detail: "No.", errors });
    expect((await fail(createCall(server.origin)(sites, {}))).parameters).toEqual(errors.slice(0, 10));
  });

  it.each([
    // Its code is believed if it fits the status.
    [404, { code: "site_not_found" }, "site_not_found"],
    [422, { code: "invalid_parameter" }, "invalid_parameter"],
    [401, { code: "site_not_found" }, "invalid_api_key"],
    [503, { code: "site_not_found" }, "unavailable"],
    [500, { code: "no_api_key" }, "internal_error"],
    [400, { code: "cancelled" }, "invalid_parameter"],
    [429, { code: "not_of_the_contract" }, "rate_limited"],
    // The document is optional.
    [401, [], "invalid_api_key"],
    [403, [], "invalid_api_key"],
    [404, [], "not_found"],
    [418, [], "bad_answer"],
    [429, [], "rate_limited"],
    [500, [], "internal_error"],
    [503, [], "unavailable"],
  ])("%d with %j is %s", async (status, body, code) => {
    const server = await refuse(status, body);
    expect((await fail(createCall(server.origin, {}, { attempts: 1 })(sites, {}))).code).toBe(code);
  });
});

it("sends the key, the parameters and nothing else", async () => {
  const server = await start(passOn);
  await createCall(server.origin)(stats, { site: "example.com", days: 7 });
  const [request] = server.requests;
  expect(request?.url).toBe("/api/v1/stats?site=example.com&days=7");
  expect(request?.headers.authorization).toBe(`Bearer ${KEY}`);
});

/** A CONNECT proxy on plain TCP that tunnels to the address the test gives, or refuses with 407. */
const startProxy = (route: (target: string) => string | undefined) =>
  listen((client) => {
    client.on("error", () => {});
    client.once("data", (head) => {
      const target = /^CONNECT (\S+)/.exec(head.toString())?.[1] ?? "";
      const origin = route(target);
      if (origin === undefined) return void client.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n");
      const upstream = connect(Number(new URL(origin).port), "127.0.0.1", () => {
        client.write("HTTP/1.1 200 Connection Established\r\n\r\n");
        client.pipe(upstream).pipe(client);
      });
      upstream.on("error", () => client.destroy());
    });
  });

/** A TCP server; the test says what it does with a connection. */
async function listen(meet: (socket: Socket) => void) {
  const server = createTcpServer(meet);
  await once(server.listen(0, "127.0.0.1"), "listening");
  open.push(server);
  const { port } = server.address() as AddressInfo;
  return { origin: `http://127.0.0.1:${port}`, close: () => server.close() };
}
