import { mkdtempSync, rmSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { afterAll, describe, expect, it } from "vitest";
import { createNetworkFetch } from "../../../../src/client/network.ts";
import { AnalyticsError } from "../../../../src/errors.ts";
import { findQuery } from "../../../../src/reports/queries.ts";
import type { DataSource, Span } from "../../../../src/sources/data-source.ts";
import type { GatewayContext } from "../../../../src/sources/gateways/gateway.ts";
import { signIn } from "../../../../src/sources/gateways/umami/api.ts";
import { openUmami } from "../../../../src/sources/gateways/umami/umami-source.ts";
import { createLocalCall } from "../../../../src/sources/local-call.ts";
import { send } from "../../../support/faulty-server.ts";
import { LOG_NOW } from "../../../support/logs.ts";
import {
  createUmamiContext,
  nameEmpty,
  RECORDED,
  readRecordings,
  startReplay,
} from "../../../support/umami-replay.ts";

const recordings = readRecordings();
const HTML = { "content-type": "text/html" };
const JSON_TYPE = { "content-type": "application/json" };
const cache = mkdtempSync(join(tmpdir(), "umami-cache-"));
const open: { close(): unknown }[] = [];
afterAll(() => {
  for (const server of open) server.close();
  rmSync(cache, { recursive: true, force: true });
});

type Spoil = (response: ServerResponse, name: string, request: IncomingMessage) => boolean;

async function start(spoil?: Spoil, edit: (context: GatewayContext) => GatewayContext = (same) => same) {
  const server = await startReplay(recordings, spoil);
  open.push(server);
  return { ...server, source: openUmami(edit(createUmamiContext(server.url))) };
}

const reply =
  (status: number, headers: Record<string, string>, body: string) => (response: ServerResponse) => {
    send(response, status, headers, body);
    return true;
  };

/** Three days, of which the second has visits. */
async function openSpan(source: DataSource, from = "2026-11-02", to = "2026-11-04"): Promise<Span> {
  const site = await source.site?.("example.com");
  if (site === undefined) throw new Error("There is no example.com.");
  return { site, from, to, now: LOG_NOW };
}

/** The error of an answer, without the key. */
async function fail(answer: Promise<unknown>): Promise<AnalyticsError> {
  const error = await answer.then(
    () => expect.unreachable("it should have failed"),
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(AnalyticsError);
  expect(inspect(error, { depth: 10 })).not.toContain(RECORDED.reader);
  return error as AnalyticsError;
}

const isRows = (name: string) => name.includes("/metrics/expanded");
const isSeries = (name: string) => name.includes("/pageviews");

describe("an Umami that fails", () => {
  it("is not there", async () => {
    const { source, close } = await start();
    close();
    expect((await fail(source.sites())).code).toBe("unreachable");
  });

  it("takes too long", async () => {
    const { source } = await start(
      () => true,
      (context) => ({
        ...context,
        target: { ...context.target, fetch: createNetworkFetch({ headersTimeout: 100 }) },
      }),
    );
    expect((await fail(source.sites())).code).toBe("timeout");
  });

  it.each([
    ["a page in place of data", reply(200, HTML, "<!DOCTYPE html><title>Welcome</title>"), "bad_answer"],
    ["a page behind a sign-in", reply(302, { location: "/login" }, ""), "redirected"],
    ["an error of its own", reply(500, JSON_TYPE, '{"error":{"message":"Server error"}}'), "internal_error"],
    ["a gateway's page", reply(502, HTML, "<h1>Bad gateway</h1>"), "internal_error"],
    ["half an answer", reply(200, JSON_TYPE, '{"data":['), "bad_answer"],
    ["no sites at all", reply(200, JSON_TYPE, '{"data":null,"count":0}'), "bad_answer"],
    ["a refusal", reply(403, JSON_TYPE, '{"error":{"message":"Forbidden"}}'), "invalid_api_key"],
  ] as const)("answers with %s", async (_, spoil, code) => {
    const { source } = await start(spoil);
    expect((await fail(source.sites())).code).toBe(code);
  });

  it.each([
    ["a negative number", '{"pageviews":[],"sessions":[{"x":"2026-11-03 00:00:00","y":-1}]}'],
    ["half a visitor", '{"pageviews":[],"sessions":[{"x":"2026-11-03 00:00:00","y":1.5}]}'],
    ["no number", '{"pageviews":[],"sessions":[{"x":"2026-11-03 00:00:00","y":"many"}]}'],
    ["no day", '{"pageviews":[],"sessions":[{"x":"yesterday","y":1}]}'],
    ["another shape", '[{"x":"2026-11-03 00:00:00","y":1}]'],
  ])("shows nothing for %s", async (_, body) => {
    const { source } = await start(
      (response, name) => isSeries(name) && reply(200, JSON_TYPE, body)(response),
    );
    const error = await fail(source.days(await openSpan(source)));
    expect([error.code, error.message]).toEqual([
      "bad_answer",
      expect.stringMatching(/^Umami's answer to \/websites\/[\w-]+\/pageviews is not as expected: /),
    ]);
  });

  it("refuses days in another order of magnitude than asked for", async () => {
    // By month, as it answers for more than seven months.
    const body = '{"pageviews":[],"sessions":[{"x":"2026-10-01 00:00:00","y":100}]}';
    const { source } = await start(
      (response, name) => isSeries(name) && reply(200, JSON_TYPE, body)(response),
    );
    expect((await fail(source.days(await openSpan(source)))).code).toBe("bad_answer");
  });
});

it("says that version 2 is too old, whose lists are elsewhere", async () => {
  const { source } = await start(
    (response, name) => isRows(name) && reply(404, HTML, "<!DOCTYPE html><title>404</title>")(response),
  );
  const span = await openSpan(source, "2026-11-03", "2026-11-03");
  expect(await source.days(span)).toMatchObject([{ visitors: 16, pageviews: 40 }]);
  const error = await fail(source.breakdown(span, "pages", 10));
  expect([error.code, error.hint]).toEqual(["bad_answer", expect.stringContaining("needs Umami 3")]);
});

describe("a limit in the middle", () => {
  it("is waited for", async () => {
    let refusals = 1;
    const { source } = await start((response, name) => {
      if (!isRows(name) || refusals-- <= 0) return false;
      return reply(
        429,
        { ...JSON_TYPE, "retry-after": "1" },
        '{"error":{"message":"Too many requests"}}',
      )(response);
    });
    const span = await openSpan(source, "2026-11-03", "2026-11-03");
    const before = Date.now();
    expect((await source.breakdown(span, "countries", 1)).rows).toMatchObject([{ value: "DE", visitors: 6 }]);
    expect(Date.now() - before).toBeGreaterThan(900);
  });

  it("that lasts is said, and what was read of days that are over is not asked again", async () => {
    let left = 1;
    const limited: Spoil = (response, name) =>
      isRows(name) && left-- <= 0 && reply(429, { ...JSON_TYPE, "retry-after": "3600" }, "{}")(response);
    const { source, asked } = await start(limited, (context) => ({
      ...context,
      environment: { XDG_CACHE_HOME: cache },
    }));
    const ask = async (from: string) =>
      source.breakdown(await openSpan(source, from, "2026-11-03"), "countries", 1);
    expect((await ask("2026-11-03")).rows).toMatchObject([{ value: "DE" }]);
    expect((await fail(ask("2026-11-02"))).code).toBe("rate_limited");
    asked.length = 0;
    expect((await ask("2026-11-03")).rows).toMatchObject([{ value: "DE", visitors: 6 }]);
    expect(asked.filter(isRows)).toEqual([]);
  });
});

it("remembers days that are over for the next process, and asks again about what is not", async () => {
  const remember = (now: number) => (context: GatewayContext) => ({
    ...context,
    clock: () => now,
    environment: { XDG_CACHE_HOME: join(cache, "remember") },
  });
  const server = await start();
  const ask = async (now: number) => {
    server.asked.length = 0;
    const source = openUmami(remember(now)(createUmamiContext(server.url)));
    const span = { ...(await openSpan(source, "2026-11-03", "2026-11-03")), now };
    const { rows } = await source.breakdown(span, "countries", 1);
    expect(rows).toMatchObject([{ value: "DE", visitors: 6, hits: 18 }]);
    return server.asked.filter(isRows).length;
  };
  // Before midnight in Berlin, shortly after it, and an hour later.
  expect(await ask(Date.parse("2026-11-03T22:00:00Z"))).toBe(1);
  expect(await ask(Date.parse("2026-11-03T23:30:00Z"))).toBe(1);
  expect(await ask(Date.parse("2026-11-04T00:30:00Z"))).toBe(1);
  expect(await ask(Date.parse("2026-11-04T00:40:00Z"))).toBe(0);
});

it("names the websites that share a domain", async () => {
  const { source } = await start((response, name) => {
    const isList = name.startsWith("GET /api/websites?");
    const website = (id: string) => ({
      id: `5f0a3c52-0d4e-4a63-9a4e-1f1c1f2d3e${id}`,
      name: `Shop ${id}`,
      domain: "https://www.shop.example/",
      createdAt: "2026-01-01T00:00:00.000Z",
    });
    const body = { data: [website("11"), website("12")], count: 2 };
    return isList && reply(200, JSON_TYPE, JSON.stringify(body))(response);
  });
  const error = await fail(Promise.resolve(source.site?.("shop.example")));
  expect([error.code, error.message, error.hint]).toEqual([
    "invalid_parameter",
    "site is the domain of 2 websites in Umami: name one by its id.",
    expect.stringContaining('5f0a3c52-0d4e-4a63-9a4e-1f1c1f2d3e12 ("Shop 12")'),
  ]);
});

it.each(["constructor", "__proto__", "toString"])(
  "a website with the domain %s is one whose timezone nobody named",
  async (domain) => {
    const id = "5f0a3c52-0d4e-4a63-9a4e-1f1c1f2d3e11";
    const website = { id, name: "Odd", domain, createdAt: "2026-01-01T00:00:00.000Z" };
    const { source } = await start(
      (response, name) =>
        name.startsWith("GET /api/websites?") &&
        reply(200, JSON_TYPE, JSON.stringify({ data: [website], count: 1 }))(response),
    );
    const wanted = { code: "usage", message: expect.stringContaining(domain.toLowerCase()) };
    expect(await source.unlisted?.()).toMatchObject([{ domain: domain.toLowerCase(), reason: wanted }]);
    expect(await fail(Promise.resolve(source.site?.(domain)))).toMatchObject(wanted);
  },
);

it("follows the pages of a list to its end", async () => {
  const total = 230;
  const { source, asked } = await start(
    (response, name) => {
      if (!name.startsWith("GET /api/websites?") && !name.includes("/daterange")) return false;
      if (name.includes("/daterange"))
        return reply(200, JSON_TYPE, '{"startDate":null,"endDate":null}')(response);
      const page = Number(new URLSearchParams(name.split("?")[1]).get("page"));
      const data = Array.from({ length: Math.min(100, total - 100 * (page - 1)) }, (_, index) => ({
        id: `5f0a3c52-0d4e-4a63-9a4e-${String(100 * page + index).padStart(12, "0")}`,
        name: "Example",
        domain: `site-${100 * (page - 1) + index}.example`,
        createdAt: "2026-01-01T00:00:00.000Z",
      }));
      return reply(200, JSON_TYPE, JSON.stringify({ data, count: total }))(response);
    },
    (context) => ({ ...context, siteTimezones: { "*": "UTC" } }),
  );
  const sites = await source.sites(undefined, true);
  expect(sites.filter(({ domain }) => domain.startsWith("site-"))).toHaveLength(total);
  expect(sites[0]).toMatchObject({ dataSince: undefined });
  expect(asked.filter((name) => name.startsWith("GET /api/websites?"))).toHaveLength(3);
  // Their first days would be 230 requests.
  expect(asked.filter((name) => name.includes("/daterange"))).toEqual([]);
  expect(await source.site?.("site-7.example")).toMatchObject({ dataSince: null });
});

it("asks for the first days of websites where somebody reads them", async () => {
  const { source, asked } = await start((response, name) => {
    const body = name.includes("/daterange") ? undefined : nameEmpty(name);
    return body !== undefined && reply(200, JSON_TYPE, JSON.stringify(body))(response);
  });
  const call = createLocalCall(
    async () => source,
    () => LOG_NOW,
  );
  const dates = () => asked.filter((name) => name.includes("/daterange")).length;
  await findQuery("compare").ask(call, findQuery("compare").params.parse({ site: "example.com" }), {});
  expect(dates()).toBe(1);
  const { result } = await findQuery("sites").ask(call, findQuery("sites").params.parse({}), {});
  expect(result).toMatchObject({ sites: [{ data_since: "2026-11-01" }, { data_since: "2026-03-29" }] });
  expect(dates()).toBe(2);
});

describe("the turn of a month, at which Umami's ids change", () => {
  const warn = async (timezone: string, from: string, to: string) => {
    const { source } = await start(undefined, (context) => ({
      ...context,
      siteTimezones: { "*": timezone },
    }));
    const warnings = (await source.warnings?.(await openSpan(source, from, to))) ?? [];
    return warnings.map(({ code, detail, values }) => [code, /\((.*)\)/.exec(detail)?.[1], values?.from]);
  };

  it("is named where it is within a day", async () => {
    expect(await warn("Europe/Berlin", "2026-10-20", "2026-11-04")).toEqual([
      ["near", "2026-11-01 at 01:00", "2026-11-01"],
    ]);
    expect(await warn("America/New_York", "2026-10-31", "2026-10-31")).toEqual([
      ["near", "2026-10-31 at 20:00", "2026-10-31"],
    ]);
    expect(await warn("Europe/Berlin", "2026-09-20", "2026-11-04")).toEqual([
      ["near", "2 times here, the last time 2026-11-01 at 01:00", "2026-10-01"],
    ]);
  });

  it("is not where it is a day's midnight, or outside", async () => {
    expect(await warn("UTC", "2026-10-20", "2026-11-04")).toEqual([]);
    expect(await warn("Europe/Berlin", "2026-11-02", "2026-11-20")).toEqual([]);
    expect(await warn("America/New_York", "2026-11-01", "2026-11-20")).toEqual([]);
  });
});

describe("Umami Cloud", () => {
  /** Its requests arrive here, whatever their address. */
  async function startCloud() {
    const headers: unknown[] = [];
    const paths: string[] = [];
    const cloud = await startReplay(recordings, (response, name, request) => {
      headers.push([request.headers["x-umami-api-key"], request.headers.authorization]);
      paths.push(name);
      const known = name.includes("/metrics/expanded") ? "[]" : name.includes("/series") ? "[]" : undefined;
      const website = {
        id: "5f0a3c52-0d4e-4a63-9a4e-1f1c1f2d3e01",
        name: "Example",
        domain: "example.com",
        createdAt: "2026-01-01T00:00:00.000Z",
      };
      const body =
        known ??
        (name.includes("/pageviews")
          ? '{"pageviews":[],"sessions":[]}'
          : name.includes("/daterange")
            ? '{"startDate":"2025-01-01T00:00:00.000Z"}'
            : JSON.stringify(
                name.includes("/teams") ? { data: [], count: 0 } : { data: [website], count: 1 },
              ));
      return reply(200, JSON_TYPE, body)(response);
    });
    open.push(cloud);
    const context = createUmamiContext("https://api.umami.is/v1", { apiKey: "cloud-key" });
    const { fetch } = context.target;
    const target = {
      ...context.target,
      fetch: ((url, init) => fetch(url.replace("https://api.umami.is", cloud.url), init)) as typeof fetch,
    };
    return { context: { ...context, target }, headers, paths };
  }

  it("is not a server of one's own, whose keys are in the usual header", async () => {
    const headers: unknown[] = [];
    const { source } = await start(
      (_, __, { headers: sent }) => {
        headers.push([sent["x-umami-api-key"], sent.authorization]);
        return false;
      },
      (context) => ({ ...context, target: { ...context.target, apiKey: "umami_0123456789abcdef" } }),
    );
    await fail(source.sites());
    expect(headers[0]).toEqual([undefined, "Bearer umami_0123456789abcdef"]);
  });

  it("gets its own header, at its own paths", async () => {
    const { context, headers, paths } = await startCloud();
    const [site] = await openUmami(context).sites();
    expect(site?.domain).toBe("example.com");
    expect(new Set(paths.map((path) => path.slice(0, "GET /v1/".length)))).toEqual(new Set(["GET /v1/"]));
    for (const each of headers) expect(each).toEqual(["cloud-key", undefined]);
  });

  it("is not asked more than it allows in a time that somebody would wait", async () => {
    const { context, paths } = await startCloud();
    const source = openUmami(context);
    const span = await openSpan(source, "2026-01-01", "2026-11-01");
    paths.length = 0;
    const error = await fail(source.breakdown(span, "pages", 10));
    expect([error.code, error.message, error.hint]).toEqual([
      "rate_limited",
      "This question takes 305 requests to Umami Cloud, which allows 50 in 15 seconds.",
      "Ask for at most 150 days at once: past days are remembered.",
    ]);
    expect(paths.filter(isRows)).toEqual([]);
  });

  it("may show old days as zero, which it does not say", async () => {
    const source = openUmami((await startCloud()).context);
    const warn = async (from: string) =>
      (await source.warnings?.(await openSpan(source, from, "2026-11-01")))?.filter(
        ({ code }) => code !== "near",
      );
    expect(await warn("2026-05-01")).toEqual([]);
    expect(await warn("2026-04-30")).toMatchObject([
      { code: "may_be_missing", values: { since: "2026-05-01" } },
    ]);
    const { source: own } = await start();
    expect(await own.warnings?.(await openSpan(own, "2020-01-02", "2020-01-31"))).toEqual([]);
  });

  it("has no sign-in for programs", async () => {
    const { context, paths } = await startCloud();
    expect((await fail(signIn(context, "somebody", "password"))).hint).toContain("API key");
    expect(paths).toEqual([]);
  });
});

describe("a sign-in", () => {
  const PASSWORD = "my-pässword";
  const failSignIn = async (status: number, headers: Record<string, string>, body: string) => {
    const { url } = await start(
      (response, name) => name.includes("/login") && reply(status, headers, body)(response),
    );
    const error = await fail(signIn(createUmamiContext(url), "somebody", PASSWORD));
    expect(inspect(error, { depth: 10 })).not.toContain(PASSWORD);
    return error;
  };

  it("says that user or password are wrong, and shows neither", async () => {
    const body = '{"error":{"code":"incorrect-username-password"}}';
    expect(await failSignIn(401, JSON_TYPE, body)).toMatchObject({
      code: "invalid_api_key",
      message: "Umami does not accept this user name and password.",
    });
  });

  it("leaves the password out of what the service says", async () => {
    const body = JSON.stringify({ detail: `The password ${PASSWORD} is too old.` });
    expect((await failSignIn(500, JSON_TYPE, body)).message).toBe(
      'The service answered /auth/login with status 500: "The password [key] is too old."',
    );
  });

  it.each([JSON.stringify("line\nend"), '"\\u0000"', '"tökén"', '""'])(
    "gets no key that cannot be sent: %s",
    async (token) => {
      expect((await failSignIn(200, JSON_TYPE, `{"token":${token}}`)).message).toBe(
        'Umami\'s answer to /auth/login is not as expected: "token" is a string, which cannot be a key.',
      );
    },
  );

  it("says where the service redirects", async () => {
    const { message } = await failSignIn(302, { location: "https://umami.example.com/login" }, "");
    expect(message).toContain("redirects to https://umami.example.com (status 302)");
  });
});
