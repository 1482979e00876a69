import { afterEach, describe, expect, it, vi } from "vitest";
import * as z from "zod";
import { createGatewayClient, type GatewayService } from "../../src/client/gateway-client.ts";
import { createNetworkFetch } from "../../src/client/network.ts";
import { describeProgress, withProgress } from "../../src/client/progress.ts";
import { AnalyticsError } from "../../src/errors.ts";
import { type FaultyServer, send, startServer } from "../support/faulty-server.ts";

const KEY = "key-of-acme-0123456789";
const JSON_TYPE = { "content-type": "application/json" };
const count = { path: "/count", schema: z.object({ visitors: z.number() }) };

describe("the client of a service with an API of its own", () => {
  let server: FaultyServer;
  afterEach(() => server.close());

  async function start(
    listener: Parameters<typeof startServer>[0],
    service: Partial<GatewayService> = {},
    clock = Date.now,
  ) {
    server = await startServer(listener);
    const authorize = (apiKey: string) => ({ Authorization: `Bearer ${apiKey}` });
    return createGatewayClient(
      { title: "Acme Stats", authorize, concurrency: 4, ...service },
      { baseUrl: server.origin, apiKey: KEY, fetch: createNetworkFetch() },
      { clock, limits: { firstBackoff: 1, maxBackoff: 40 } },
    );
  }
  const answer: Parameters<typeof startServer>[0] = (_, response) =>
    send(response, 200, JSON_TYPE, '{"visitors":3}');

  it("sends JSON, forms and queries, with the key in a header alone", async () => {
    const bodies: string[] = [];
    const client = await start(async (request, response) => {
      let text = "";
      for await (const chunk of request) text += chunk;
      bodies.push(`${request.method} ${request.url} ${request.headers["content-type"]} ${text}`);
      send(response, 200, JSON_TYPE, '{"visitors":3}');
    });
    await client.ask({ ...count, json: { site: "a&b" } });
    await client.ask({ ...count, form: { site: "a&b" } });
    await client.ask({ ...count, query: { site: "a&b" } });
    expect(bodies).toEqual([
      'POST /count application/json {"site":"a&b"}',
      "POST /count application/x-www-form-urlencoded site=a%26b",
      "GET /count?site=a%26b undefined ",
    ]);
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual(
      Array(3).fill(`Bearer ${KEY}`),
    );
  });

  it("reuses an answer for as long as its request says, and never one about this moment", async () => {
    let now = 0;
    const client = await start(answer, {}, () => now);
    const kept = { ...count, freshFor: 60 };
    await Promise.all([client.ask(kept), client.ask(kept)]);
    await client.ask(kept);
    expect(server.requests).toHaveLength(1);
    now = 61_000;
    await client.ask(kept);
    expect(server.requests).toHaveLength(2);
    await client.ask(count);
    await client.ask(count);
    expect(server.requests).toHaveLength(4);
  });

  it("waits as long as the service asks", async () => {
    const client = await start((request, response, number) => {
      if (number > 1) return answer(request, response, number);
      send(response, 429, { ...JSON_TYPE, "retry-after": "1" }, "{}");
    });
    const begun = performance.now();
    expect(await client.ask(count)).toEqual({ visitors: 3 });
    expect(performance.now() - begun).toBeGreaterThan(900);
  });

  it("fails at once if that is too long, and names the wait", async () => {
    const client = await start((_, response) =>
      send(response, 429, { ...JSON_TYPE, "retry-after": "90" }, "{}"),
    );
    await expect(client.ask(count)).rejects.toMatchObject({
      code: "rate_limited",
      message: "The service got too many requests and refuses more for now (status 429).",
      hint: "Try again in 90 seconds.",
    });
    expect(server.requests).toHaveLength(1);
  });

  it("tries once more after a refusal that names no time, for all requests together", async () => {
    const ask = (client: Awaited<ReturnType<typeof start>>, paths: number) =>
      Promise.allSettled(
        Array.from({ length: paths }, (_, index) => client.ask({ ...count, path: `/${index}` })),
      );
    const refusing = await start((_, response) => send(response, 429, JSON_TYPE, "{}"));
    const refused = await ask(refusing, 30);
    expect(new Set(refused.map((each) => Reflect.get(each, "reason").code))).toEqual(
      new Set(["rate_limited"]),
    );
    // Four were under way, each of which may have been tried again before the first was refused again. Without the rule there are 60.
    expect(server.requests.length).toBeLessThanOrEqual(8);
    await server.close();
    const busy = await start((request, response, number) =>
      number > 1 ? answer(request, response, number) : send(response, 429, JSON_TYPE, "{}"),
    );
    const answered = await ask(busy, 30);
    expect(answered.every(({ status }) => status === "fulfilled")).toBe(true);
    expect(server.requests).toHaveLength(31);
  });

  it("counts the requests of a question that are sent", async () => {
    const client = await start(answer);
    const told: string[] = [];
    const listen = (done: number, known: number, title: string) =>
      void told.push(describeProgress(done, known, title));
    await withProgress(listen, async () => {
      await Promise.all([client.ask(count), client.ask(count), client.ask({ ...count, path: "/other" })]);
      await client.ask(count);
    });
    expect(server.requests).toHaveLength(3);
    expect(told.at(-1)).toBe("3 of 3 requests to Acme Stats");
  });

  it("keeps the service's quota", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const client = await start(answer, { quota: { requests: 2, seconds: 3600 } });
    await client.ask(count);
    expect(() => client.assertAffordable(1, () => "")).not.toThrow();
    const refused = () => client.assertAffordable(2, (left) => `Ask for ${left} day.`);
    expect(refused).toThrow("takes 2 requests to Acme Stats, which allows 2 requests an hour: 1 are left");
    expect(catchError(refused)).toMatchObject({ code: "rate_limited", hint: "Ask for 1 day." });
    await client.ask({ ...count, path: "/other" });
    await expect(client.ask({ ...count, path: "/third" })).rejects.toMatchObject({
      code: "rate_limited",
      message: "Acme Stats allows 2 requests an hour, and they are used up.",
      hint: "Try again in 60 minutes.",
    });
    vi.setSystemTime(Date.now() + 3_600_001);
    expect(await client.ask({ ...count, path: "/third" })).toEqual({ visitors: 3 });
    vi.useRealTimers();
    expect(server.requests).toHaveLength(3);
  });

  it("waits for a quota of seconds", async () => {
    const client = await start(answer, { quota: { requests: 1, seconds: 1 } });
    const begun = performance.now();
    await client.ask(count);
    await client.ask({ ...count, path: "/other" });
    expect(performance.now() - begun).toBeGreaterThan(800);
  });

  it.each([
    [
      "another shape",
      200,
      JSON_TYPE,
      '{"visitors":"3"}',
      "bad_answer",
      '"visitors" is a string, number expected',
    ],
    ["half a document", 200, JSON_TYPE, '{"visitors":', "bad_answer", "it is not complete JSON"],
    ["a page", 200, { "content-type": "text/html" }, "<p>", "bad_answer", "is text/html, not JSON"],
    ["a refused key", 401, JSON_TYPE, "{}", "invalid_api_key", "does not accept the API key"],
    ["a redirect", 302, { location: "https://evil.example" }, "", "redirected", "the key was not sent there"],
    ["a failure", 500, JSON_TYPE, "{}", "internal_error", "with status 500"],
  ])("fails on %s, without a number", async (_, status, headers, body, code, message) => {
    const client = await start((_, response) => send(response, status, headers, body));
    const error = await client.ask(count).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code, message: expect.stringContaining(message) });
    expect(`${error} ${(error as AnalyticsError).hint}`).not.toContain(KEY);
  });

  it("lets the service say what its errors mean, also with the status 200", async () => {
    const client = await start((_, response) => send(response, 200, JSON_TYPE, '{"result":"error"}'), {
      explain: (status, text) =>
        text.includes("error")
          ? new AnalyticsError("invalid_api_key", `No view access (${status}).`)
          : undefined,
    });
    await expect(client.ask(count)).rejects.toMatchObject({ message: "No view access (200)." });
  });
});

function catchError(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    return error;
  }
}
