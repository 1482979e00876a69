import { beforeAll, describe, expect, it } from "vitest";
import { createApi } from "../../src/api/api.ts";
import { dimensions } from "../../src/operations/dimensions.ts";
import { openDemoSource } from "../../src/sources/demo/organizations.ts";
import { createTestApi, NOW } from "../support/api.ts";
import { createListSource } from "../support/list-source.ts";
import { createOpenApiValidator } from "../support/openapi-validator.ts";

const { ask, time } = createTestApi();
let validator: ReturnType<typeof createOpenApiValidator>;

beforeAll(async () => {
  validator = createOpenApiValidator((await ask("/api/v1/openapi.json")).body);
});

/** Asks for a path with conditions, each of them a parameter. */
const askFor = async (path: string, ...filter: string[]) => {
  const conditions = filter.map((each): [string, string] => ["filter", each]);
  const query = new URLSearchParams([["site", "example.com"], ...conditions]);
  const [name, rest] = path.split("?");
  const full = `${name}?${query}${rest === undefined ? "" : `&${rest}`}`;
  const answer = await ask(`/api/v1${full}`);
  validator.expectDescribed(full, answer);
  return answer;
};

const PATHS = ["/stats?days=7", "/timeseries?days=7", "/breakdown?dimension=pages&days=7", "/realtime"];

describe("a repeated filter", () => {
  it.each(PATHS)("of %s has conditions that all hold, and the answer names them", async (path) => {
    const { status, body } = await askFor(path, "pages=/pricing|/", "countries=DE", "countries=DE");
    expect(status).toBe(200);
    expect(body.filter).toEqual(["countries=DE", "pages=/|/pricing"]);
    expect((await askFor(path)).body).not.toHaveProperty("filter");
  });

  it("counts less with each condition", async () => {
    const counts = [[], ["countries=DE"], ["countries=DE", "pages=/"]].map(
      async (filter) => (await askFor("/stats?days=7", ...filter)).body.pageviews as number,
    );
    const [all = 0, some = 0, few = 0] = await Promise.all(counts);
    expect([all > some, some > few, few > 0]).toEqual([true, true, true]);
  });

  it("of ten conditions is taken, of eleven refused", async () => {
    const some = (count: number) => Array.from({ length: count }, (_, index) => `pages!=/${index}`);
    expect((await askFor("/stats", ...some(10))).status).toBe(200);
    const { status, body } = await askFor("/stats", ...some(11));
    expect([status, body.code]).toEqual([400, "invalid_parameter"]);
    expect(body.errors).toMatchObject([{ parameter: "filter" }]);
  });
});

describe("a filter is refused, never ignored", () => {
  it.each([
    ["that is empty", [""], "must not be empty"],
    ["of which one is empty", ["countries=DE", ""], "must not be empty"],
    [
      "that is no condition",
      ["DE"],
      'must be a dimension, = or !=, and a value, such as countries=DE: not "DE"',
    ],
    ["of more than 8,000 bytes", [`pages=${"x".repeat(7_993)}`], /^must have at most 8000 bytes/],
    ["with a value that no row can have", ["countries=Germany"], /: the nearest is DE \(Germany\)$/],
  ])("%s", async (_, filter, detail) => {
    for (const path of PATHS) {
      const { status, body, headers } = await askFor(path, ...filter);
      expect([status, body.code]).toEqual([400, "invalid_parameter"]);
      const expected = typeof detail === "string" ? detail : expect.stringMatching(detail);
      expect(body.errors).toMatchObject([{ parameter: "filter", detail: expected }]);
      expect(headers.get("cache-control")).toBe("no-store");
    }
  });

  it("with the dimensions that there are", async () => {
    const { body } = await askFor("/stats", "country=DE");
    expect(body.errors).toMatchObject([{ parameter: "filter", allowed: [...dimensions] }]);
  });

  it("before the site is looked for", async () => {
    const { body } = await ask("/api/v1/stats?site=unknown.example&filter=DE");
    expect(body).toMatchObject({ status: 400, code: "invalid_parameter" });
  });

  it.each(["/sites?", "/crawlers?site=example.com&", "/openapi.json?"])(
    "by %s, which has none",
    async (path) => {
      const { body } = await ask(`/api/v1${path}filter=countries%3DDE`);
      expect(body).toMatchObject({ status: 400, code: "unknown_parameter" });
      expect(body.errors).toMatchObject([{ parameter: "filter" }]);
    },
  );

  it("by a source without filters, whose document does not describe it", async () => {
    const source = createListSource(await (await openDemoSource({ clock: () => NOW })).sites(), []);
    const api = createApi({ keyring: () => ({ keyId: "any", source }), clock: () => NOW });
    const get = async (path: string) => {
      const headers = new Headers({ Authorization: "Bearer any" });
      const { status, body } = await api({ method: "GET", url: `http://localhost/api/v1${path}`, headers });
      return { status, body: body ?? "" };
    };
    const refused = await get("/stats?site=example.com&filter=countries%3DDE");
    expect([refused.status, JSON.parse(refused.body).code]).toEqual([400, "unknown_parameter"]);
    expect((await get("/stats?site=example.com")).status).toBe(200);
    const isDescribed = (document: string) => document.includes('"name":"filter"');
    expect(isDescribed((await get("/openapi.json")).body)).toBe(false);
    expect(isDescribed((await ask("/api/v1/openapi.json")).text)).toBe(true);
  });
});

describe("an ETag", () => {
  const etagOf = async (...filter: string[]) =>
    (await askFor("/stats?days=7", ...filter)).headers.get("etag");

  it("is one for the same conditions, in whatever order and form, and another for others", async () => {
    const etag = await etagOf("countries=AT|DE", "pages!=/");
    expect(etag).toMatch(/^W\/"/);
    expect(await etagOf("pages!=/", "countries=DE|AT|DE")).toBe(etag);
    const others = [
      await etagOf(),
      await etagOf("countries=AT|DE"),
      await etagOf("pages!=/"),
      // The same numbers, as nobody has a value: but of other hits.
      await etagOf("cities=nowhere"),
      await etagOf("cities=nobody"),
    ];
    expect(new Set([etag, ...others]).size).toBe(6);
  });

  it("gives 304 for its own conditions alone", async () => {
    const path = "/api/v1/stats?site=example.com&days=7&filter=countries%3DDE";
    const etag = (await ask(path)).headers.get("etag") ?? "";
    const headers = { "If-None-Match": etag };
    time.now += 30_000;
    expect((await ask(path, { headers })).status).toBe(304);
    expect((await ask(`${path}&filter=pages%3D/`, { headers })).status).toBe(200);
    expect((await ask("/api/v1/stats?site=example.com&days=7", { headers })).status).toBe(200);
    time.now -= 30_000;
  });

  it("belongs to an answer that is cached as long as without a filter", async () => {
    const cacheOf = async (path: string, ...filter: string[]) =>
      (await askFor(path, ...filter)).headers.get("cache-control");
    for (const path of [...PATHS, "/stats?from=2026-11-01&to=2026-11-07"]) {
      expect(await cacheOf(path, "countries=DE")).toBe(await cacheOf(path));
    }
  });
});
