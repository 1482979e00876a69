import { describe, expect, it } from "vitest";
import { listen } from "../../src/api/listen.ts";
import { createNetworkSend } from "../../src/client/network.ts";
import { checkConformance } from "../../src/conform/conformance.ts";
import { DEMO_KEY, GLOBEX_KEY, NOW } from "../support/api.ts";
import { createReferenceApi } from "../support/reference-api.ts";
import { type Body, type Breach, edit, field, fields, forget, rewrite } from "./breach.ts";
import { check, createService } from "./service.ts";

describe("the reference server", () => {
  it("keeps every rule over real HTTP, including a quota of 120 requests per minute", async () => {
    const time = { now: NOW };
    const server = await listen(createReferenceApi({ clock: () => time.now }), "127.0.0.1", 0);
    const notes: string[] = [];
    try {
      const report = await checkConformance(
        {
          baseUrl: `${server.origin}/api/v1`,
          ...{ apiKey: DEMO_KEY, otherKey: GLOBEX_KEY },
          send: createNetworkSend(),
        },
        {
          clock: () => time.now,
          sleep: async (milliseconds) => {
            time.now += milliseconds;
          },
          note: (text) => notes.push(text),
        },
      );
      expect(report.rules.filter(({ verdict }) => verdict !== "pass")).toEqual([]);
      expect(report.summary.requests).toBeLessThan(400);
      expect(notes.filter((note) => note.startsWith("The quota is used up")).length).toBeGreaterThan(0);
    } finally {
      await server.close();
    }
  });
});

/** What a service may do without breaking a rule. */
const differences: Record<string, Breach> = {
  "members, rows and warnings of its own": edit(
    ({ path }) => path !== "/openapi.json",
    (body) => {
      for (const each of [body, body.period, body.totals, ...(body.rows ?? []), ...(body.points ?? [])]) {
        if (each !== undefined) each.bounce_rate = 0.4;
      }
      for (const each of body.sites ?? []) each.plan = { name: "pro", seats: [1, 2] };
      if (body.period) body.warnings = [...(body.warnings ?? []), { code: "sampled", detail: "A tenth." }];
    },
  ),
  "another form of ids": (service) => async (request, sent) => {
    const response = await service(request, sent);
    const id = response.headers.get("x-request-id") ?? "";
    const text = (await response.text()).replaceAll(`"${id}"`, `"01J${id}/eu-1"`);
    const other = new Response(text === "" ? null : text, response);
    other.headers.set("x-request-id", `01J${id}/eu-1`);
    return other;
  },
  "X-RateLimit-* in place of the draft's fields": fields(
    () => true,
    (headers) => {
      headers.delete("ratelimit");
      headers.delete("ratelimit-policy");
      headers.set("x-ratelimit-limit", "5000");
      headers.set("x-ratelimit-remaining", "4711");
      headers.set("x-ratelimit-reset", "1795232700");
    },
  ),
  "a quota of several policies": fields(
    () => true,
    (headers) => {
      headers.set(
        "ratelimit-policy",
        '"burst";q=100;w=1;qu="requests", "daily";q=10000;w=86400;pk=:YWNtZQ==:',
      );
      headers.set("ratelimit", '"burst";r=99;t=1, "daily";r=9800;t=80000');
    },
  ),
  "more directives, fields and a charset": fields(
    ({ path }) => path === "/stats",
    (headers) => {
      if (headers.get("content-type") === "application/json") {
        headers.set("content-type", "application/json; charset=utf-8");
        headers.set("cache-control", "max-age=60, must-revalidate, private");
      }
      headers.set("vary", "Accept-Encoding, authorization");
      headers.set("date", new Date().toUTCString());
      headers.set("server-timing", `db;dur=${Math.random()}`);
      headers.set("x-trace", `${Math.random()}`);
    },
  ),
  "an OpenAPI document with references, parts and more dimensions": edit(
    ({ path }) => path === "/openapi.json",
    (document) => {
      const { paths, components } = document;
      const [site, dimension] = paths["/breakdown"].get.parameters as Body[];
      components.parameters = { site };
      dimension.schema = { allOf: [{ ...dimension.schema, enum: [...dimension.schema.enum, "screens"] }] };
      for (const path of ["/stats", "/timeseries", "/breakdown", "/realtime"]) {
        paths[path].parameters = [{ $ref: "#/components/parameters/site" }];
        paths[path].get.parameters.shift();
      }
      document.paths = Object.fromEntries(
        Object.entries(paths).map(([path, item]) => [`/api/v1${path}`, item]),
      );
      document.info.version = "2026.11";
    },
  ),
  "more allowed dimensions": edit(
    ({ query }) => query.get("dimension") === "conform",
    (body) => body.errors[0]?.allowed?.push("screens"),
    400,
  ),
  "an address for each kind of problem": edit(
    ({ path }) => path === "/conform",
    (body) => {
      body.type = "/problems/not-found";
      body.docs = "https://stats.example.test/docs";
    },
    404,
  ),
  "one more optional parameter, which accepts certain values": (service) => async (request, sent) => {
    const url = new URL(request.url);
    const period = url.searchParams.get("period");
    url.searchParams.delete("period");
    const response = await service(new Request(url, request), sent);
    if (response.status !== 400 || period === null) return response;
    const problem: Body = await response.json();
    problem.errors.push({
      parameter: "period",
      detail: "must be one of day, month",
      allowed: ["day", "month"],
    });
    return new Response(JSON.stringify(problem), response);
  },
  "parameters of other operations, which the OpenAPI document offers": (service) => {
    const offer = edit(
      ({ path }) => path === "/openapi.json",
      ({ paths }) => {
        const limit = { name: "limit", in: "query", schema: { type: "integer" } };
        for (const path of ["/stats", "/sites"]) paths[path].get.parameters.push(limit);
      },
    );
    return offer(forget("limit", ({ path }) => path === "/stats")(service));
  },
  "a redirect from a slash at the end": (service) => (request, sent) =>
    new URL(request.url).pathname === "/api/v1/stats/"
      ? new Response(null, { status: 308, headers: { location: "/api/v1/stats" } })
      : service(request, sent),
  "paths in any letter case": rewrite(
    () => true,
    (url) => {
      url.pathname = url.pathname.toLowerCase();
    },
  ),
  "errors that repeat the address": (service) => async (request, sent) => {
    const response = await service(request, sent);
    if (response.status !== 404 || request.method === "HEAD") return response;
    const { pathname, search, searchParams } = new URL(request.url);
    const problem: Body = await response.json();
    problem.instance = `${pathname}${search}`;
    if (searchParams.has("site")) problem.detail = `There is no site ${searchParams.get("site")}.`;
    problem.timestamp = Math.random();
    return new Response(JSON.stringify(problem), response);
  },
  "an empty parameter counts as a missing one": edit(
    ({ query }) => [...query.values()].includes(""),
    (problem) => {
      problem.code = "missing_parameter";
    },
    400,
  ),
  "Kosovo, scripts and three-letter languages": edit(
    ({ query }) => query.has("dimension"),
    ({ dimension, rows }) => {
      const values: Record<string, string[]> = {
        countries: ["XK", "GB", "BQ"],
        regions: ["GB-ENG", "AZ-1", "SI-001"],
        languages: ["zh-Hant-TW", "es-419", "haw", "de-CH-1996"],
      };
      values[dimension]?.forEach((value, index) => {
        if (rows[index] && !rows.some((row: Body) => row.value === value)) rows[index].value = value;
      });
    },
  ),
  "no-store for realtime": field("cache-control", "no-store", ({ path }) => path === "/realtime", 200),
};

/** The first key lists only one site. */
const onlySharedSite: Breach = edit(
  ({ path }) => path === "/sites",
  (body) => {
    body.sites = body.sites.filter(({ id }: Body) => id === "site_7f3k" || id === "site_glbx");
  },
);

/** Both organizations have a site of this domain, with the ids that `name` gives. */
function shareDomain(name: (id: string) => string): Breach {
  return (service) => async (request, sent) => {
    const url = new URL(request.url);
    const isGlobex = request.headers.get("authorization")?.includes("globex") ?? false;
    const [own, domain] = isGlobex ? ["site_glbx", "globex.example"] : ["site_7f3k", "example.com"];
    const asked = url.searchParams.get("site") ?? "";
    const hidden = ["globex.example", "site_glbx", "site_7f3k"].includes(asked);
    if (asked === name(own) && url.searchParams.getAll("site").length === 1)
      url.searchParams.set("site", own);
    else if (hidden) url.searchParams.set("site", "conform.invalid");
    else if (isGlobex && asked === "example.com") url.searchParams.set("site", domain);
    const response = await service(new Request(url, request), sent);
    if (response.body === null) return response;
    const text = (await response.text())
      .replaceAll(`"${domain}"`, '"example.com"')
      .replaceAll(`"id":"${own}"`, `"id":"${name(own)}"`);
    return new Response(text, response);
  };
}

describe("a service may differ where the contract allows it", () => {
  it.each([
    ["ids that are unique everywhere", (id: string) => `${id}-x`, true],
    // Then every name of a site is a name in the other organization, too.
    ["the same ids", () => "1", false],
    ["domains as ids", () => "example.com", false],
  ])("two organizations with a site of one domain, with %s", async (_, name, isChecked) => {
    const { failed, skipped, report } = await check(shareDomain(name)(onlySharedSite(createService())));
    expect(failed).toEqual([]);
    expect(skipped.includes("isolation.other-organization")).toBe(!isChecked);
    expect(report.rules.find(({ id }) => id === "isolation.lists-apart")?.verdict).toBe("pass");
  });

  it.each(Object.entries(differences))("%s", async (_, differ) => {
    const { failed, skipped } = await check(differ(createService()));
    expect({ failed, skipped }).toEqual({ failed: [], skipped: [] });
  });

  it.each([
    "docs.example.com",
    "shop.example.net",
    "news.example.org",
    "site_7f3k",
    "https://www.example.com/",
  ])("the site %s", async (site) => {
    const { failed } = await check(createService(), { site });
    expect(failed).toEqual([]);
  });

  it("a site without data, in a timezone with a quarter hour: rules that need visits are skipped", async () => {
    const { failed, skipped, report } = await check(createService(), { site: "parked.example" });
    expect(failed).toEqual([]);
    expect(skipped).toContain("breakdown.pages-add-up");
    expect(report.rules.find(({ id }) => id === "breakdown.pages-add-up")?.detail).toMatch(
      /^the site parked\.example has no visits in the last 30 days$/,
    );
  });

  it("a site with dashes and digits in its name", async () => {
    const [ours, theirs] = ["example.com", "my-2nd-shop.xn--bcher-kva.example"];
    const rename: Breach = (service) => async (request, sent) => {
      const url = new URL(request.url);
      const pairs = [...url.searchParams].map(([name, value]) => {
        const spell = (found: string) => (found === theirs ? ours : ours.toUpperCase());
        return [name, value.replace(new RegExp(theirs, "i"), spell)] as [string, string];
      });
      url.search = pairs.length === 0 ? "" : `?${new URLSearchParams(pairs)}`;
      const response = await service(new Request(url, request), sent);
      if (response.body === null) return response;
      const text = (await response.text()).replaceAll(`"domain":"${ours}"`, `"domain":"${theirs}"`);
      return new Response(text, response);
    };
    const { failed } = await check(rename(createService()), { site: theirs });
    expect(failed).toEqual([]);
  });

  it("without a second key, isolation is not checked", async () => {
    const { failed, skipped } = await check(createService(), { otherKey: undefined });
    expect(failed).toEqual([]);
    const rest = skipped.filter((id) => !id.startsWith("isolation."));
    // The clock of this service stands still.
    expect(rest).toEqual(["headers.etag-of-content"]);
    expect(skipped.length).toBeGreaterThan(5);
  });
});

describe("no verdict depends on the moment", () => {
  it.each([
    ["minutes before midnight in Berlin", "2026-11-20T22:59:30Z", "example.com"],
    ["right after midnight in Berlin", "2026-11-20T23:00:00Z", "example.com"],
    ["before the clock is set back", "2026-10-25T00:58:30Z", "example.com"],
    ["at the end of a day of 23 hours", "2026-03-29T21:59:40Z", "example.com"],
    ["before midnight in New York, at the end of a year", "2027-01-01T04:59:20Z", "docs.example.com"],
    ["before midnight in Auckland", "2026-06-10T11:59:10Z", "news.example.org"],
    ["at noon, with many visitors", "2026-11-18T11:00:00Z", "example.com"],
  ])("%s, while time passes", async (_, start, site) => {
    for (const pace of [173, 1_000]) {
      const moment = Date.parse(start);
      const { failed, skipped } = await check(createService(moment), { start: moment, pace, site });
      expect(failed).toEqual([]);
      expect(skipped.length).toBeLessThanOrEqual(pace === 173 ? 2 : 6);
    }
  });
});
