import { escapeValue } from "../../src/operations/filter.ts";
import { type Body, type Breach, edit, field, fields, forget, on, read, rewrite } from "./breach.ts";
import { rename, spellPage } from "./breaches/filters.ts";

/** What a service may do without breaking a rule. */
export const differences: Record<string, Breach> = {
  "members, rows and warnings of its own": edit(
    ({ path }) => path !== "/openapi.json",
    (body) => {
      for (const part of [body, body.period, body.totals, ...(body.rows ?? []), ...(body.points ?? [])]) {
        if (part !== undefined) part.bounce_rate = 0.4;
      }
      for (const site of body.sites ?? []) site.plan = { name: "pro", seats: [1, 2] };
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
  "exclusive bounds in the OpenAPI document": edit(
    ({ path }) => path === "/openapi.json",
    ({ paths }) => {
      for (const { schema } of paths["/breakdown"].get.parameters as Body[]) {
        if (schema.minimum !== undefined) schema.exclusiveMinimum = schema.minimum - 1;
        if (schema.maximum !== undefined) schema.exclusiveMaximum = schema.maximum + 1;
        delete schema.minimum;
        delete schema.maximum;
      }
    },
  ),
  "a path with every character that a condition escapes": spellPage(escapeValue),
  "a filter of the OpenAPI document's own style": edit(
    ({ path }) => path === "/openapi.json",
    ({ paths }) => {
      for (const { get } of Object.values<Body>(paths)) {
        const filter = get.parameters.find(({ name }: Body) => name === "filter");
        // Both are OpenAPI's defaults.
        delete filter?.style;
        delete filter?.explode;
      }
    },
  ),
  "finished days reused for half an hour": field(
    "cache-control",
    "private, max-age=1800",
    ({ path, query }) => path === "/stats" && query.has("from"),
    200,
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
  "Kosovo, scripts and three-letter languages": rename({
    DE: "XK",
    "DE-BE": "AZ-1",
    "DE-BY": "SI-001",
    "de-DE": "zh-Hant-TW",
    "en-US": "es-419",
    "en-GB": "haw",
    "fr-FR": "de-CH-1996",
  }),
  "active visitors counted every ten seconds": edit(
    ({ path }) => path === "/realtime",
    (body) => {
      body.as_of = body.as_of.replace(/\d(?=[+-]\d\d:)/, "0");
    },
  ),
  "weeks, which the OpenAPI document lists": (service) =>
    edit(
      ({ path }) => path === "/openapi.json",
      ({ paths }) => {
        const { parameters } = paths["/timeseries"].get;
        parameters.find(({ name }: Body) => name === "interval").schema.enum.push("week");
      },
    )(read("interval", "day", on("/timeseries", { interval: "week" }))(service)),
  "a dead link that is folded, but not in the last week": edit(
    ({ path, query }) => path === "/not-found" && query.get("days") !== "7",
    ({ rows }) => {
      const row = rows.find(({ value }: Body) => value === "/pricing");
      if (row !== undefined) Object.assign(row, { value: null, other: true });
    },
  ),
  "no-store for realtime": field("cache-control", "no-store", ({ path }) => path === "/realtime", 200),
};
