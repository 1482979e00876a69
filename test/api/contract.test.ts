import { beforeAll, describe, expect, it } from "vitest";
import { dimensions } from "../../src/operations/dimensions.ts";
import { readFixtures } from "../../src/sources/demo/fixtures.ts";
import { createTestApi, DEMO_KEY, GLOBEX_KEY, NOW, SECOND_KEY } from "../support/api.ts";
import { createOpenApiValidator } from "../support/openapi-validator.ts";

const { ask } = createTestApi();
let validator: ReturnType<typeof createOpenApiValidator>;

beforeAll(async () => {
  validator = createOpenApiValidator((await ask("/api/v1/openapi.json")).body);
});

const long = "x".repeat(254);
const daysBounds = { parameter: "days", minimum: 1, maximum: 365 };
const siteBounds = { parameter: "site", minimum: 1, maximum: 253 };
const limitBounds = { parameter: "limit", minimum: 1, maximum: 1000 };
const dimensionBounds = { parameter: "dimension", allowed: [...dimensions] };

/** The rules of `site`, `days` and the other parameters are the same in every operation. */
const siteAndDays = (path: string, rest = "") =>
  [
    [`${path}?${rest}`, "missing_parameter", siteBounds],
    [`${path}?site=${rest}`, "invalid_parameter", siteBounds],
    [`${path}?site=example.com&site=docs.example.com${rest}`, "invalid_parameter", siteBounds],
    [`${path}?site=${long}${rest}`, "invalid_parameter", siteBounds],
    ...[
      "",
      "0",
      "-1",
      "+7",
      "366",
      "99999999999999999999",
      "1.5",
      "1e1",
      "7d",
      "07",
      "%207",
      "NaN",
      "seven",
    ].map((days) => [`${path}?site=example.com&days=${days}${rest}`, "invalid_parameter", daysBounds]),
    [`${path}?site=example.com&days=7&days=7${rest}`, "invalid_parameter", daysBounds],
    [`${path}?site=example.com&period=7d${rest}`, "unknown_parameter", { parameter: "period" }],
    [`${path}?site=example.com&__proto__=x${rest}`, "unknown_parameter", { parameter: "__proto__" }],
    [`${path}?site=example.com&Days=7${rest}`, "unknown_parameter", { parameter: "Days" }],
  ] as [string, string, Record<string, unknown>][];

const refused: [string, string, Record<string, unknown>][] = [
  ...siteAndDays("/stats"),
  ...siteAndDays("/timeseries"),
  ...siteAndDays("/breakdown", "&dimension=pages"),
  ...siteAndDays("/crawlers"),
  ...siteAndDays("/not-found"),
  [`/stats?site=https://www.${"x".repeat(242)}`, "invalid_parameter", siteBounds],
  ["/breakdown?site=example.com", "missing_parameter", dimensionBounds],
  ["/breakdown?site=example.com&dimension=", "invalid_parameter", dimensionBounds],
  ["/breakdown?site=example.com&dimension=page", "invalid_parameter", dimensionBounds],
  ["/breakdown?site=example.com&dimension=Pages", "invalid_parameter", dimensionBounds],
  ["/breakdown?site=example.com&dimension=pages&dimension=pages", "invalid_parameter", dimensionBounds],
  ...["", "0", "1001", "-5", "ten", "1.0"].map(
    (limit) =>
      [`/breakdown?site=example.com&dimension=pages&limit=${limit}`, "invalid_parameter", limitBounds] as [
        string,
        string,
        Record<string, unknown>,
      ],
  ),
  ["/crawlers?site=example.com&limit=1001", "invalid_parameter", limitBounds],
  ["/not-found?site=example.com&limit=1001", "invalid_parameter", limitBounds],
  ["/crawlers?site=example.com&dimension=pages", "unknown_parameter", { parameter: "dimension" }],
  ["/realtime", "missing_parameter", siteBounds],
  ["/realtime?site=", "invalid_parameter", siteBounds],
  [
    "/realtime?site=example.com&days=7",
    "unknown_parameter",
    { parameter: "days", allowed: ["site", "filter"] },
  ],
  ["/sites?page=2", "unknown_parameter", { parameter: "page", allowed: [] }],
  ["/openapi.json?format=yaml", "unknown_parameter", { parameter: "format", allowed: [] }],
];

describe("a parameter is refused, never ignored and never clamped", () => {
  it.each(refused)("GET %s is %s", async (path, code, error) => {
    const answer = await ask(`/api/v1${path}`);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ status: 400, code, title: "Bad Request", type: "about:blank" });
    expect(answer.body.errors).toContainEqual(expect.objectContaining(error));
    expect(answer.headers.get("cache-control")).toBe("no-store");
    validator.expectDescribed(path, answer);
  });

  it("lists every refused parameter at once", async () => {
    const { body } = await ask("/api/v1/breakdown?days=0&limit=0&extra=1");
    expect(body.code).toBe("unknown_parameter");
    expect((body.errors as { parameter: string }[]).map(({ parameter }) => parameter).sort()).toEqual([
      "days",
      "dimension",
      "extra",
      "limit",
      "site",
    ]);
  });
});

describe("bounds are inclusive and defaults are the contract's", () => {
  it.each([
    ["/stats?site=example.com&days=1", 1],
    ["/stats?site=example.com&days=365", 365],
    ["/stats?site=example.com", 30],
    ["/timeseries?site=example.com", 30],
    ["/breakdown?site=example.com&dimension=pages", 30],
    ["/crawlers?site=example.com", 30],
    ["/not-found?site=example.com", 30],
  ])("GET %s covers %d days", async (path, days) => {
    const answer = await ask(`/api/v1${path}`);
    expect(answer.status).toBe(200);
    expect(answer.body.period).toMatchObject({ days });
    validator.expectDescribed(path, answer);
  });

  it.each([
    ["", 10],
    ["&limit=1", 1],
    ["&limit=1000", 1000],
  ])("a breakdown with %j has the limit %d", async (query, limit) => {
    const path = `/breakdown?site=example.com&dimension=pages${query}`;
    const answer = await ask(`/api/v1${path}`);
    expect(answer.body).toMatchObject({ limit, truncated: limit < 20 });
    validator.expectDescribed(path, answer);
  });

  it.each(dimensions)("ranks %s", async (dimension) => {
    const path = `/breakdown?site=example.com&dimension=${dimension}&days=60&limit=1000`;
    const answer = await ask(`/api/v1${path}`);
    expect(answer.body).toMatchObject({ dimension, truncated: false });
    const rows = answer.body.rows as Record<string, unknown>[];
    expect(rows.length).toBeGreaterThan(dimension === "events" ? 2 : 0);
    for (const row of rows) {
      expect("events" in row).toBe(dimension === "events");
      expect("pageviews" in row).toBe(dimension !== "events");
    }
    expect("events" in (answer.body.totals as object)).toBe(dimension === "events");
    validator.expectDescribed(path, answer);
  });
});

describe("a site is named by id or domain", () => {
  it.each([
    "site_7f3k",
    "example.com",
    "EXAMPLE.com",
    "www.example.com",
    "https://example.com",
    "https://www.example.com/pricing?x=1#y",
    "example.com/",
    "example.com:443",
    "%20example.com%20",
    "example.com.",
  ])("%s is example.com", async (site) => {
    const answer = await ask(`/api/v1/realtime?site=${site.includes("#") ? encodeURIComponent(site) : site}`);
    expect(answer.body.site).toEqual({ id: "site_7f3k", domain: "example.com" });
  });

  it.each([
    "example.org",
    "com",
    "site_7F3K",
    "notexample.com",
    "example.com.evil.example",
    "https://",
    "%00",
  ])("%s is not a site of Acme", async (site) => {
    const answer = await ask(`/api/v1/realtime?site=${site}`);
    expect([answer.status, answer.body.code]).toEqual([404, "site_not_found"]);
    validator.expectDescribed("/realtime", answer);
  });
});

describe("a key only gives access to its own organization", () => {
  const paths = [
    "/stats?site=",
    "/timeseries?site=",
    "/breakdown?dimension=pages&site=",
    "/crawlers?site=",
    "/not-found?site=",
    "/realtime?site=",
  ];

  it.each(paths)("another organization's site answers %s like a site that does not exist", async (path) => {
    const look = async (site: string) => {
      const { ask } = createTestApi({ createRequestId: () => "same", quota: { limit: 5, window: 60 } });
      const { status, headers, text } = await ask(`/api/v1${path}${site}`);
      return { status, headers: [...headers], text };
    };
    const missing = await look("nowhere.example");
    expect(missing.status).toBe(404);
    expect(await look("globex.example")).toEqual(missing);
    expect(await look("site_glbx")).toEqual(missing);
  });

  it("finds each organization's own site, if two have the same domain", async () => {
    const fixtures = readFixtures();
    const sites = fixtures.sites.map((site) =>
      site.id === "site_glbx" ? { ...site, domain: "example.com" } : site,
    );
    const { ask } = createTestApi({ fixtures: { ...fixtures, sites } });
    const read = async (key: string) =>
      (await ask("/api/v1/stats?site=example.com", { key })).body.site as { id: string };
    const [ours, theirs] = [await read(DEMO_KEY), await read(GLOBEX_KEY)];
    expect(theirs.id).toBe("site_glbx");
    expect(ours.id).not.toBe(theirs.id);
  });

  it("lists each organization its own sites", async () => {
    const domains = async (key: string) =>
      ((await ask("/api/v1/sites", { key })).body.sites as { domain: string }[]).map((site) => site.domain);
    expect(await domains(GLOBEX_KEY)).toEqual(["globex.example"]);
    expect(await domains(DEMO_KEY)).toEqual([
      "docs.example.com",
      "example.com",
      "news.example.org",
      "parked.example",
      "shop.example.net",
    ]);
    expect(await domains(SECOND_KEY)).toEqual(await domains(DEMO_KEY));
  });
});

describe("a request without a valid key is refused", () => {
  it.each([
    "/sites",
    "/stats?site=example.com",
    "/timeseries",
    "/breakdown",
    "/crawlers",
    "/not-found",
    "/realtime",
    "/openapi.json",
  ])("GET %s", async (path) => {
    const missing = await ask(`/api/v1${path}`, { key: null });
    expect([missing.status, missing.body.code]).toEqual([401, "missing_api_key"]);
    expect(missing.headers.get("www-authenticate")).toBe("Bearer");
    validator.expectDescribed(path, missing);
    const wrong = await ask(`/api/v1${path}`, { key: "wrong" });
    expect([wrong.status, wrong.body.code]).toEqual([401, "invalid_api_key"]);
    expect(wrong.headers.get("www-authenticate")).toContain("Bearer");
    expect(wrong.text).not.toContain('wrong"');
    validator.expectDescribed(path, wrong);
  });

  it.each([
    ["Basic ZGVtbw==", "missing_api_key"],
    ["Bearer", "missing_api_key"],
    [DEMO_KEY, "missing_api_key"],
    [`Bearer ${DEMO_KEY}x`, "invalid_api_key"],
    [`Bearer ${DEMO_KEY} x`, "missing_api_key"],
  ])("Authorization: %s is %s", async (authorization, code) => {
    const answer = await ask("/api/v1/sites", { key: null, headers: { authorization } });
    expect(answer.body.code).toBe(code);
  });

  it("takes the scheme in any case", async () => {
    const answer = await ask("/api/v1/sites", {
      key: null,
      headers: { authorization: `bearer ${DEMO_KEY}` },
    });
    expect(answer.status).toBe(200);
  });
});

describe("methods and paths", () => {
  it.each(["POST", "PUT", "PATCH", "DELETE", "OPTIONS"])("%s is 405 with Allow", async (method) => {
    const answer = await ask("/api/v1/stats?site=example.com", { method });
    expect([answer.status, answer.body.code]).toEqual([405, "method_not_allowed"]);
    expect(answer.headers.get("allow")).toBe("GET, HEAD");
    validator.expectDescribed("/stats", answer);
  });

  it.each([
    "/",
    "/api/v1",
    "/api/v1/",
    "/api/v1/stats/",
    "/api/v2/sites",
    "/api/v1/Sites",
    "/api/v1/toString",
  ])("%s is 404 not_found", async (path) => {
    const answer = await ask(path);
    expect([answer.status, answer.body.code]).toEqual([404, "not_found"]);
  });

  it.each(["/sites", "/stats?site=example.com", "/realtime?site=example.com", "/stats?site=nope.example"])(
    "HEAD %s has the headers of GET and no body",
    async (path) => {
      const get = await ask(`/api/v1${path}`);
      const head = await ask(`/api/v1${path}`, { method: "HEAD" });
      const compare = ({ status, headers }: typeof get) => [
        status,
        ...[...headers].filter(([name]) => name !== "x-request-id" && name !== "ratelimit"),
      ];
      expect(compare(head)).toEqual(compare(get));
      expect(head.text).toBe("");
    },
  );
});

describe("headers", () => {
  it("gives every answer a unique id, repeated in a problem", async () => {
    const answers = await Promise.all(
      ["/api/v1/sites", "/api/v1/nope", "/api/v1/stats"].map((path) => ask(path)),
    );
    const ids = answers.map((answer) => answer.headers.get("x-request-id"));
    expect(new Set(ids).size).toBe(3);
    expect(answers[1]?.body.request_id).toBe(ids[1]);
    expect(answers[2]?.body.request_id).toBe(ids[2]);
  });

  it.each([
    ["/sites", "private, max-age=60"],
    ["/stats?site=example.com", "private, max-age=60"],
    ["/timeseries?site=example.com", "private, max-age=60"],
    ["/breakdown?site=example.com&dimension=pages", "private, max-age=60"],
    ["/crawlers?site=example.com", "private, max-age=60"],
    ["/not-found?site=example.com", "private, max-age=60"],
    ["/realtime?site=example.com", "no-cache"],
    ["/openapi.json", "private, max-age=3600"],
  ])("%s is cached as %s, for its key alone", async (path, cacheControl) => {
    const { headers } = await ask(`/api/v1${path}`);
    expect(headers.get("cache-control")).toBe(cacheControl);
    expect(headers.get("vary")).toBe("Authorization");
  });

  it.each([
    ["/stats?site=example.com&days=0", {}, 400],
    ["/sites", { key: "wrong" }, 401],
    ["/sites/", {}, 404],
    ["/stats?site=unknown.example", {}, 404],
    ["/sites", { method: "POST" }, 405],
  ])("an error of %s (%j) belongs to its key too", async (path, init, status) => {
    const answer = await ask(`/api/v1${path}`, init);
    expect(answer.status).toBe(status);
    expect(answer.headers.get("vary")).toBe("Authorization");
  });

  it("answers 304 to its own ETag, which does not depend on as_of", async () => {
    const { ask, time } = createTestApi();
    const path = "/api/v1/stats?site=parked.example&days=7";
    const first = await ask(path);
    const etag = first.headers.get("etag") ?? "";
    expect(etag).toMatch(/^W\/"[\w-]{22}"$/);
    time.now += 90_000;
    expect((await ask(path)).text).not.toBe(first.text);
    for (const header of [etag, etag.slice(2), `"other", ${etag}`, "*"]) {
      const again = await ask(path, { headers: { "If-None-Match": header } });
      expect([again.status, again.text]).toEqual([304, ""]);
      validator.expectDescribed("/stats", again);
    }
    expect((await ask(path, { headers: { "If-None-Match": '"other"' } })).status).toBe(200);
  });

  it("changes the ETag when the numbers change", async () => {
    const { ask, time } = createTestApi();
    const before = await ask("/api/v1/stats?site=example.com");
    time.now += 3_600_000;
    const after = await ask("/api/v1/stats?site=example.com");
    expect(after.headers.get("etag")).not.toBe(before.headers.get("etag"));
  });

  it("counts requests per key and refuses those above the quota until the window ends", async () => {
    const { ask, time } = createTestApi({ quota: { limit: 3, window: 60 } });
    const path = "/api/v1/realtime?site=parked.example";
    for (const left of [2, 1, 0]) {
      const { status, headers } = await ask(path);
      expect([status, headers.get("ratelimit"), headers.get("ratelimit-policy")]).toEqual([
        200,
        `"default";r=${left};t=60`,
        '"default";q=3;w=60',
      ]);
    }
    time.now += 18_000;
    const refused = await ask(path);
    expect([refused.status, refused.body.code, refused.headers.get("retry-after")]).toEqual([
      429,
      "rate_limited",
      "42",
    ]);
    validator.expectDescribed("/realtime", refused);
    expect((await ask(path, { key: GLOBEX_KEY })).status).toBe(404);
    time.now += 42_000;
    expect((await ask(path)).status).toBe(200);
  });

  it("has a default quota of 120 requests a minute", async () => {
    const { ask } = createTestApi({ quota: undefined as never });
    expect((await ask("/api/v1/sites")).headers.get("ratelimit-policy")).toBe('"default";q=120;w=60');
  });
});

describe("the service's own failures", () => {
  it("is 503 with Retry-After while it shuts down", async () => {
    const { ask } = createTestApi({ isAvailable: () => false });
    const answer = await ask("/api/v1/sites");
    expect([answer.status, answer.body.code]).toEqual([503, "unavailable"]);
    expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
    validator.expectDescribed("/sites", answer);
  });

  it("is 500 with an id and no details of the fault when something breaks", async () => {
    const faults: unknown[] = [];
    let broken = false;
    const { ask } = createTestApi({
      clock: () => {
        if (broken) throw new Error("a secret of the inside");
        return NOW;
      },
      onFault: (fault, id) => faults.push([String(fault), id]),
    });
    broken = true;
    const answer = await ask("/api/v1/sites");
    expect([answer.status, answer.body.code]).toEqual([500, "internal_error"]);
    expect(answer.text).not.toContain("secret");
    expect(faults).toEqual([["Error: a secret of the inside", answer.body.request_id]]);
    validator.expectDescribed("/sites", answer);
  });
});

describe("the documents", () => {
  it("serves /llms.txt to everybody", async () => {
    const answer = await ask("/llms.txt", { key: null });
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/plain; charset=utf-8"]);
    expect(answer.text).toMatch(/^# analytics-mcp\n\n> /);
  });

  it("describes itself in OpenAPI 3.1, to key holders", async () => {
    const answer = await ask("/api/v1/openapi.json");
    expect(answer.body.openapi).toBe("3.1.1");
    validator.expectDescribed("/openapi.json", answer);
  });
});
