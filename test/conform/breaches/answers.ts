import { DEMO_KEY, GLOBEX_KEY } from "../../support/api.ts";
import {
  always,
  type Body,
  type Breach,
  both,
  edit,
  field,
  fields,
  hasNoKey,
  isHead,
  isStranger,
  letIn,
  on,
  read,
  refuse,
  rewrite,
  tagBy,
  type When,
  without,
} from "../breach.ts";

const editDocument = (change: (document: Body) => void) => edit(on("/openapi.json"), change);
const editMissing = (change: (problem: Body) => void) => edit(on("/conform"), change, 404);
const is =
  (method: string): When =>
  (asked) =>
    asked.method === method;
const hasDates: When = ({ query }) => query.has("from");
const asksAnew: When = ({ ifNoneMatch }) => ifNoneMatch === null;

/** Breaches of everything except the numbers: OpenAPI document, errors, header fields, isolation, quota. */
export const answerBreaches: Record<string, Breach> = {
  "openapi.answer": editDocument((document) => {
    delete document.info;
  }),
  "openapi.version": editDocument((document) => {
    document.openapi = "3.0.3";
  }),
  "openapi.needs-key": letIn(both(on("/openapi.json"), hasNoKey)),
  "openapi.paths": editDocument((document) => {
    delete document.paths["/realtime"];
  }),
  "openapi.read-only": editDocument((document) => {
    document.paths["/stats"].post = {};
  }),
  "openapi.parameters": editDocument((document) => {
    document.paths["/stats"].get.parameters[1].name = "period";
  }),
  "openapi.bounds": editDocument((document) => {
    document.paths["/stats"].get.parameters[1].schema.maximum = 90;
  }),
  "openapi.dates": editDocument((document) => {
    const { parameters } = document.paths["/stats"].get;
    parameters.find(({ name }: Body) => name === "from").required = true;
  }),
  "openapi.security": editDocument((document) => {
    document.components.securitySchemes.apiKey = { type: "apiKey", in: "query", name: "key" };
  }),
  "openapi.errors": editDocument((document) => {
    delete document.paths["/stats"].get.responses["401"];
  }),

  "errors.problem-json": field("content-type", "application/json", on("/conform")),
  "errors.members": editMissing((problem) => {
    delete problem.title;
  }),
  "errors.status-repeated": editMissing((problem) => {
    problem.status = 400;
  }),
  "errors.request-id-repeated": editMissing((problem) => {
    problem.request_id = "another";
  }),
  "errors.says-what": editMissing((problem) => {
    problem.detail = "";
  }),
  "errors.type": editMissing((problem) => {
    problem.type = "not a reference";
  }),
  "errors.no-key": edit(
    ({ authorization }) => authorization?.endsWith("conform-no-such-key") ?? false,
    (problem) => {
      problem.detail = "There is no key conform-no-such-key.";
    },
    401,
  ),
  "errors.no-store": without("cache-control", on("/conform")),
  "errors.vary": without("vary", on("/conform")),
  "errors.no-such-path": rewrite(on("/stats/"), (url) => {
    url.pathname = "/api/v1/stats";
  }),
  "errors.path-first": refuse(both(on("/conform"), hasNoKey), 401, "missing_api_key"),
  "errors.method": refuse(is("PUT"), 404, "site_not_found"),
  "errors.allow": field("allow", "GET, POST", is("POST")),
  "errors.method-first": refuse(both(is("POST"), hasNoKey), 401, "missing_api_key"),

  "headers.json": field("content-type", "text/json", on("/sites"), 200),
  "headers.snake-case": edit(on("/stats"), (body) => {
    body.bounceRate = 0.4;
  }),
  "headers.request-id": without("x-request-id", on("/conform")),
  "headers.request-id-unique": field("x-request-id", "always-the-same", always, 200),
  "headers.vary": without("vary", on("/stats"), 200),
  "headers.cache-private": field("cache-control", "public, max-age=60", on("/stats", { from: null }), 200),
  "headers.cache-partial": field("cache-control", "private, max-age=3600", on("/stats"), 200),
  "headers.cache-lists": field("cache-control", "private, max-age=60", on("/openapi.json"), 200),
  "headers.cache-realtime": field("cache-control", "private, max-age=60", on("/realtime"), 200),
  "headers.etag": without("etag", on("/realtime")),
  "headers.etag-weak": fields(on("/realtime"), (headers) => {
    headers.set("etag", (headers.get("etag") ?? "").replace("W/", ""));
  }),
  "headers.etag-304": rewrite(on("/openapi.json"), (_, headers) => headers.delete("if-none-match")),
  "headers.etag-list": rewrite(
    ({ ifNoneMatch }) => ifNoneMatch?.includes(",") ?? false,
    (_, headers) => headers.delete("if-none-match"),
  ),
  "headers.etag-other": refuse(
    ({ path, ifNoneMatch }) => path === "/stats" && ifNoneMatch === 'W/"conform"',
    304,
    "",
    200,
  ),
  "headers.etag-304-fields": without("etag", always, 304),
  "headers.etag-without-as-of": (service) => {
    let count = 0;
    const forward = rewrite(on("/sites"), (_, headers) => {
      const tag = headers.get("if-none-match");
      if (tag !== null) headers.set("if-none-match", tag.replace(/-\d+"/, '"'));
    })(service);
    return fields(on("/sites"), (headers) => {
      const tag = headers.get("etag");
      if (tag !== null) headers.set("etag", tag.replace(/"$/, `-${count++}"`));
    })(forward);
  },
  "headers.etag-changes": tagBy(on("/stats", { filter: null }), () => 'W/"stats"'),
  "headers.etag-of-content": tagBy(always, ({ path, query }) => `W/"${path}?${query}"`),
  "headers.head": without("content-type", both(on("/realtime"), isHead)),
  "headers.head-errors": refuse(both(on("/stats"), isHead), 400, "", 404),

  "isolation.lists-apart": (service) => async (request, sent) => {
    const isGlobex = request.headers.get("authorization") === `Bearer ${GLOBEX_KEY}`;
    if (!isGlobex || !request.url.endsWith("/sites") || request.method !== "GET") {
      return service(request, sent);
    }
    const body: Body = await (await service(request, sent)).json();
    const acme: Body = await (
      await service(new Request(request, { headers: { authorization: `Bearer ${DEMO_KEY}` } }))
    ).json();
    body.sites.push(...acme.sites.filter((site: Body) => site.domain === "example.com"));
    return Response.json(body, { headers: { vary: "Authorization" } });
  },
  "isolation.other-organization": edit(
    both(
      isStranger,
      asksAnew,
      ({ path, query }) =>
        path !== "/crawlers" &&
        path !== "/not-found" &&
        !["from", "filter", "interval"].some((name) => query.has(name)),
    ),
    (problem) => {
      problem.detail = "This site belongs to another organization.";
    },
    404,
  ),
  "isolation.dates": read("site", "example.com", both(isStranger, hasDates)),
  "isolation.fields": field("x-shard", "7", both(isStranger, is("GET"), asksAnew), 404),
  "isolation.head": refuse(both(isStranger, isHead), 403, "", 404),
  "isolation.conditional": refuse(
    ({ ifNoneMatch, ...asked }) => ifNoneMatch !== null && isStranger({ ifNoneMatch, ...asked }),
    304,
    "",
    404,
  ),
  "isolation.parameters": refuse(
    (asked) => isStranger(asked) && asked.query.get("days") === "0",
    404,
    "site_not_found",
  ),

  "rate-limit.told": fields(always, (headers) => {
    headers.delete("ratelimit");
    headers.delete("ratelimit-policy");
  }),
  "rate-limit.form": field("ratelimit", "119/120"),
  "rate-limit.within-quota": field("ratelimit", '"default";r=2000000;t=42'),
  "rate-limit.refusal": without("retry-after", always, 429),
};
