import type { IncomingMessage, ServerResponse } from "node:http";
import { afterEach, describe, expect, it } from "vitest";
import { createHttpClient } from "../../src/client/http-client.ts";
import { createNetworkFetch } from "../../src/client/network.ts";
import { createResponseCache } from "../../src/client/response-cache.ts";
import type { Call } from "../../src/operations/call.ts";
import { breakdown, realtime, sites, stats } from "../../src/operations/index.ts";
import { parseParams } from "../../src/operations/parameters.ts";
import { compare } from "../../src/reports/compare.ts";
import { overview } from "../../src/reports/overview.ts";
import { NOW } from "../support/api.ts";
import { answerRightly, type FaultyServer, send, startServer } from "../support/faulty-server.ts";

const open: FaultyServer[] = [];
afterEach(() => {
  for (const server of open.splice(0)) server.close();
});

type Answer = (request: IncomingMessage, response: ServerResponse) => void;
type Limits = Parameters<typeof createHttpClient>[0]["limits"];

/** A real server that says how long its answers may be cached, and HTTP clients with a clock that the test moves. */
async function start(options: { caching?: Record<string, string>; answer?: Answer } = {}) {
  const server = await startServer(async (request, response) => {
    if (options.answer) return options.answer(request, response);
    const { status, headers, body } = await answerRightly(request);
    const { "cache-control": said, ...rest } = headers;
    send(response, status, { ...rest, ...(options.caching ?? { "cache-control": said ?? "" }) }, body);
  });
  open.push(server);
  const time = { now: NOW };
  const connect = (apiKey = "demo-key-of-acme", limits: Limits = {}): Call =>
    createHttpClient({
      readTarget: () => ({ baseUrl: `${server.origin}/api/v1`, apiKey, fetch: createNetworkFetch() }),
      clock: () => time.now,
      limits: { firstBackoff: 1, maxBackoff: 2, ...limits },
    }).call;
  return { connect, time, requests: server.requests };
}

const week = { site: "example.com", days: 7 } as const;
const maxAge = (seconds: number) => ({ "cache-control": `private, max-age=${seconds}` });

describe("what is cached", () => {
  it.each([
    ["for no time", 10, 0, false],
    ["for less", 10, -1, false],
    ["as large as may be", 100, 1, true],
    ["larger", 101, 1, false],
  ])("%s", (_, size, seconds, isKept) => {
    const cache = createResponseCache({ entries: 2, size: 100 }, () => NOW);
    cache.set("other", "first", 0, 1);
    cache.set("key", "earlier", 1, 1);
    cache.set("key", "value", size, seconds);
    expect([cache.get("key"), cache.get("other")]).toEqual([isKept ? "value" : undefined, "first"]);
  });
});

describe("an answer is reused while its service allows it", () => {
  it("up to max-age, and not a moment longer", async () => {
    const { connect, time, requests } = await start({ caching: maxAge(60) });
    const call = connect();
    const first = await call(stats, week);
    time.now += 59_999;
    expect(await call(stats, week)).toEqual(first);
    expect(requests).toHaveLength(1);
    time.now += 1;
    await call(stats, week);
    expect(requests).toHaveLength(2);
  });

  it("for the same call with its defaults spelled out, but not for another one", async () => {
    const { connect, requests } = await start({ caching: maxAge(60) });
    const call = connect();
    await call(stats, parseParams(stats.params, { site: "example.com" }));
    await call(stats, { site: "example.com", days: 30 });
    expect(requests).toHaveLength(1);
    await call(stats, { site: "example.com", days: 29 });
    await call(breakdown, { site: "example.com", dimension: "pages", limit: 10, days: 30 });
    expect(requests).toHaveLength(3);
  });

  it.each(["no-store", "no-cache", "max-age=0", ""])("not at all with Cache-Control %o", async (said) => {
    const { connect, requests } = await start({ caching: { "cache-control": said } });
    const call = connect();
    await call(stats, week);
    await call(stats, week);
    expect(requests).toHaveLength(2);
  });

  it("never for another key", async () => {
    const { connect, requests } = await start({ caching: maxAge(60) });
    for (const key of ["key-one", "key-two"]) await connect(key)(stats, week);
    expect(requests.map((request) => request.headers.authorization)).toEqual([
      "Bearer key-one",
      "Bearer key-two",
    ]);
  });

  it("never for realtime, whatever the service says", async () => {
    const { connect, requests } = await start({ caching: maxAge(60) });
    const call = connect();
    await call(realtime, { site: "example.com" });
    await call(realtime, { site: "example.com" });
    expect(requests).toHaveLength(2);
  });

  it("never in an overview or a comparison", async () => {
    const { connect, requests } = await start({ caching: maxAge(60) });
    const call = connect();
    for (const { compute } of [compare, overview]) {
      const params = { site: "example.com", days: 2, dimension: "channels" as const };
      await compute(call, params, {});
      // The service's description says what it can; it has no numbers.
      const numbers = () => requests.filter(({ url }) => !url?.endsWith("/openapi.json"));
      const once = numbers().length;
      await compute(call, params, {});
      expect(numbers()).toHaveLength(2 * once);
      requests.length = 0;
    }
  });

  it("not after midnight at the site, when its today has become yesterday", async () => {
    const late = (body: string) => body.replace("T05:05:10+01:00", "T23:59:50+01:00");
    const { connect, time, requests } = await start({
      answer: async (request, response) => {
        const { body } = await answerRightly(request, late);
        send(response, 200, { "content-type": "application/json", ...maxAge(60) }, body);
      },
    });
    const call = connect();
    await call(stats, week);
    time.now += 9_999;
    await call(stats, week);
    expect(requests).toHaveLength(1);
    time.now += 1;
    await call(stats, week);
    expect(requests).toHaveLength(2);
  });

  it("not if the clock says that it comes from the future", async () => {
    const { connect, time, requests } = await start({ caching: maxAge(60) });
    const call = connect();
    await call(stats, week);
    time.now -= 3_600_000;
    await call(stats, week);
    expect(requests).toHaveLength(2);
  });

  it("never a failure", async () => {
    const { connect, requests } = await start({
      answer: (_, response) =>
        send(response, 404, { "content-type": "application/problem+json", ...maxAge(60) }, "{}"),
    });
    const call = connect();
    for (const _ of [1, 2]) await expect(call(stats, week)).rejects.toMatchObject({ code: "not_found" });
    expect(requests).toHaveLength(2);
  });

  it("until it is the least recently used one and there is no more room", async () => {
    const { connect, requests } = await start({ caching: maxAge(60) });
    const ask = async (call: Call, days: number) => {
      const before = requests.length;
      await call(stats, { site: "example.com", days });
      return requests.length > before ? "asked" : "known";
    };
    const one = (await answerRightly({ url: "/api/v1/stats?site=example.com&days=1", headers: {} })).body
      .length;
    for (const cache of [
      { entries: 2, size: 1e6 },
      { entries: 100, size: 2 * one + 20 },
    ]) {
      const call = connect(undefined, { cache });
      const seen: string[] = [];
      for (const days of [1, 2, 1, 3, 1, 2]) seen.push(await ask(call, days));
      expect(seen).toEqual(["asked", "asked", "known", "asked", "known", "asked"]);
    }
    const small = connect(undefined, { cache: { entries: 100, size: 10 } });
    expect([await ask(small, 1), await ask(small, 1)]).toEqual(["asked", "asked"]);
  });

  it("and no caller can change it for the others", async () => {
    const { connect } = await start({ caching: maxAge(60) });
    const call = connect();
    const { rows } = await call(breakdown, { site: "example.com", dimension: "pages", limit: 10, days: 30 });
    expect(() => rows.reverse()).toThrow(TypeError);
    expect(() => Object.assign(rows[0] ?? {}, { visitors: 0 })).toThrow(TypeError);
  });
});

describe("the same call made several times at once is one request", () => {
  /** A server that holds every answer until the test releases it. */
  async function startHeld() {
    let release: () => void = () => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    let aborted = 0;
    let running = 0;
    let most = 0;
    const server = await start({
      answer: async (request, response) => {
        most = Math.max(most, ++running);
        response.on("close", () => {
          running--;
          if (!response.writableFinished) aborted++;
        });
        await gate;
        const { status, headers, body } = await answerRightly(request);
        send(response, status, { ...headers, "cache-control": "no-store" }, body);
      },
    });
    const until = async (test: () => boolean) => {
      while (!test()) await new Promise((resolve) => setTimeout(resolve, 2));
    };
    return { ...server, release, until, aborted: () => aborted, most: () => most };
  }

  it("within one key, and never across two", async () => {
    const { connect, requests, release, until } = await startHeld();
    const [one, other] = [connect(), connect("another-key")];
    const answers = [one, one, one, other].map((call) => call(stats, week));
    await until(() => requests.length === 2);
    release();
    const [first, ...rest] = await Promise.all(answers);
    for (const answer of rest) expect(answer).toEqual(first);
    expect(requests).toHaveLength(2);
  });

  it("an aborted caller takes nothing from the others", async () => {
    const { connect, requests, release, until, aborted } = await startHeld();
    const call = connect();
    const controller = new AbortController();
    const leaving = call(stats, week, { signal: controller.signal });
    const staying = call(stats, week, { signal: new AbortController().signal });
    await until(() => requests.length === 1);
    controller.abort();
    await expect(leaving).rejects.toMatchObject({ code: "cancelled" });
    release();
    expect((await staying).period.days).toBe(7);
    expect([requests.length, aborted()]).toEqual([1, 0]);
  });

  it("when the last caller is aborted, so is the request, and the next caller sends a new one", async () => {
    const { connect, requests, release, until, aborted } = await startHeld();
    const call = connect();
    const controllers = [new AbortController(), new AbortController()];
    const leaving = controllers.map(({ signal }) =>
      call(stats, week, { signal }).catch((error) => error.code),
    );
    await until(() => requests.length === 1);
    for (const controller of controllers) controller.abort();
    const next = call(stats, week);
    expect(await Promise.all(leaving)).toEqual(["cancelled", "cancelled"]);
    await until(() => aborted() === 1);
    release();
    expect((await next).period.days).toBe(7);
    expect(requests).toHaveLength(2);
  });

  it("many calls with one signal cause no warning of Node's", async () => {
    const { connect } = await start();
    const warnings: Error[] = [];
    const listen = (warning: Error) => void warnings.push(warning);
    process.on("warning", listen);
    const [call, { signal }] = [connect(), new AbortController()];
    await Promise.all(
      Array.from({ length: 20 }, (_, days) => call(stats, { ...week, days: days + 1 }, { signal })),
    );
    await new Promise((resolve) => setImmediate(resolve));
    process.off("warning", listen);
    expect(warnings).toEqual([]);
  });

  it("all callers get the same failure, once", async () => {
    const { connect, requests } = await start({
      answer: (_, response) => send(response, 401, { "content-type": "application/problem+json" }, "{}"),
    });
    const call = connect();
    const codes = await Promise.all([1, 2, 3].map(() => call(sites, {}).catch((error) => error.code)));
    expect(codes).toEqual(["invalid_api_key", "invalid_api_key", "invalid_api_key"]);
    expect(requests).toHaveLength(1);
  });

  it("different calls run up to the limit at once; an aborted one in the queue is never sent", async () => {
    const { connect, requests, release, until, most } = await startHeld();
    const call = connect(undefined, { concurrency: 3 });
    const controller = new AbortController();
    const ask = (days: number, signal?: AbortSignal) =>
      call(stats, { site: "example.com", days }, { signal });
    const running = [1, 2, 3].map((days) => ask(days));
    await until(() => requests.length === 3);
    const leaving = ask(99, controller.signal);
    const waiting = [4, 5, 6, 7].map((days) => ask(days));
    await new Promise((resolve) => setTimeout(resolve, 20));
    controller.abort();
    await expect(leaving).rejects.toMatchObject({ code: "cancelled" });
    release();
    await Promise.all([...running, ...waiting]);
    const sent = requests.map(({ url }) => new URL(`http://x${url}`).searchParams.get("days"));
    expect(sent.sort()).toEqual(["1", "2", "3", "4", "5", "6", "7"]);
    expect(most()).toBe(3);
  });

  it("a wait before the next attempt takes no place in the limit", async () => {
    let refused = 0;
    const { connect, requests } = await start({
      answer: async (request, response) => {
        if (request.url?.includes("days=1") && refused++ < 1) {
          return send(response, 503, { "retry-after": "1" }, "");
        }
        const { status, headers, body } = await answerRightly(request);
        send(response, status, headers, body);
      },
    });
    const call = connect(undefined, { concurrency: 1 });
    const order: number[] = [];
    await Promise.all(
      [1, 2].map((days) => call(stats, { site: "example.com", days }).then(() => order.push(days))),
    );
    expect(order).toEqual([2, 1]);
    expect(requests).toHaveLength(3);
  });
});
