import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Listening, listen } from "../../src/api/listen.ts";
import { problem, problemCodes } from "../../src/operations/problem.ts";
import { DEMO_KEY, NOW } from "../support/api.ts";
import { createReferenceApi } from "../support/reference-api.ts";
import { fuzz, TIMEOUT_MS } from "./fuzz.ts";
import { createSender, headerValue, type Sent } from "./http.ts";
import { mutateText } from "./mutations.ts";

const faults: unknown[] = [];
let server: Listening;
let sender: ReturnType<typeof createSender>;
beforeAll(async () => {
  const api = createReferenceApi({
    clock: () => NOW,
    quota: { limit: 1_000_000_000, window: 60 },
    onFault: (fault) => faults.push(fault),
  });
  server = await listen(api, "127.0.0.1", 0);
  sender = createSender(server.origin, 30_000);
});
afterAll(async () => {
  sender.close();
  await server.close();
});

const site = fc.constantFrom(
  "example.com",
  "site_7f3k",
  "www.EXAMPLE.com",
  "globex.example",
  "https://example.com/x",
  "",
  "%00",
  "a".repeat(300),
  "%C3%28",
  "example.com%20",
  "[::1]",
  "xn--",
  "%F0%9F%9A%80.example",
  "..",
  "//",
);
const number = fc.oneof(
  fc.integer({ min: 1, max: 40 }).map(String),
  fc.constantFrom("0", "366", "-1", "1e3", "0x10", "7d", "٣", "1.0", "+7", " 7", "9".repeat(400), "NaN"),
);
const dimension = fc.constantFrom("pages", "events", "countries", "page", "__proto__", "pages,events", "");
const parameters = fc.array(
  fc.oneof(
    fc.tuple(fc.constant("site"), site),
    fc.tuple(fc.constantFrom("days", "limit"), number),
    fc.tuple(fc.constant("dimension"), dimension),
    fc.tuple(fc.constantFrom("__proto__", "", "site[]", "toString", "Site", "%73ite"), site),
  ),
  { maxLength: 4 },
);
const place = fc.constantFrom(
  "sites",
  "stats",
  "timeseries",
  "breakdown",
  "realtime",
  "openapi.json",
  "toString",
  "%73ites",
  "",
  "stats/",
  "../v1/sites",
  "stats;x=1",
  "stats//",
);

/** As addresses go: mostly of the API, sometimes with characters changed, sometimes no path at all. */
const path = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(place, parameters).map(buildPath) },
  { weight: 3, arbitrary: mutateText(fc.tuple(place, parameters).map(buildPath), 2).map(toTarget) },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom(
        "*",
        "/",
        "//",
        "/\\",
        "http://[",
        "http://a:99999/",
        "http://x.example/api/v1/sites",
        "?",
        "a b",
        "//[",
        "/%",
        "/%zz?site=%",
        "https://user:word@x/",
        "x:y",
        "/?__proto__[x]=1",
        "/llms.txt",
        "about:blank",
      )
      .map(toTarget),
  },
);

function buildPath([name, given]: [string, [string, string][]]): string {
  return toTarget(`/api/v1/${name}?${given.map(([key, value]) => `${key}=${value}`).join("&")}`);
}

/** What Node's client agrees to send: no spaces, no control characters, nothing beyond Latin-1. */
function toTarget(text: string): string {
  return text.replace(/[^\x21-\xff]|[\x7f-\x9f]/g, "") || "/";
}

const headers = fc.dictionary(
  fc.constantFrom(
    "if-none-match",
    "accept",
    "authorization",
    "accept-encoding",
    "range",
    "x-request-id",
    "cookie",
    "if-modified-since",
    "expect",
    "content-type",
    "x-http-method-override",
    "origin",
    "via",
    "__proto__",
  ),
  fc.oneof(
    headerValue,
    fc.constantFrom('W/"', '"', '*, "x"', "W/*", `${",".repeat(2_000)}"`, "100-continue"),
  ),
  { maxKeys: 3 },
);

const requests: fc.Arbitrary<Sent> = fc.record({
  method: fc.oneof(
    { weight: 6, arbitrary: fc.constant("GET") },
    { weight: 2, arbitrary: fc.constant("HEAD") },
    {
      weight: 1,
      arbitrary: fc.constantFrom("POST", "PUT", "OPTIONS", "TRACE", "PROPFIND", "QUERY", "DELETE"),
    },
  ),
  path,
  headers: fc.oneof({ weight: 2, arbitrary: fc.constant({}) }, headers),
  body: fc.constantFrom("", "", "", "{}", "x".repeat(100_000)),
});

const statuses = Object.keys(problemCodes).map(Number);

it(
  "answers any request with a status of the contract, and a problem where it refuses",
  {
    timeout: TIMEOUT_MS,
  },
  () =>
    fuzz("reference", requests, async (request) => {
      const authorization = `Bearer ${DEMO_KEY}`;
      const body = ["GET", "HEAD"].includes(request.method) ? "" : request.body;
      const {
        status,
        headers: given,
        text,
      } = await sender.send({
        ...request,
        body,
        headers: { authorization, ...request.headers },
      });
      expect(faults).toEqual([]);
      expect(text).not.toContain(DEMO_KEY);
      // What is no request of HTTP, and an expectation that it does not know, Node refuses by itself.
      // An address of HTTP is ASCII (RFC 9112, section 3.2); Node's client sends Latin-1 all the same.
      const isOfHttp = /^\/[\x21-\x7e]*$/.test(request.path) && request.headers.expect === undefined;
      const isRefusedByNode = [400, 417].includes(status) && given["x-request-id"] === undefined;
      expect(isRefusedByNode && isOfHttp).toBe(false);
      if (isRefusedByNode) return;
      expect([200, 304, ...statuses.filter((each) => each < 500)]).toContain(status);
      if (status < 400) return;
      expect(given["content-type"]).toBe("application/problem+json");
      if (request.method === "HEAD") return;
      const told = problem().parse(JSON.parse(text));
      expect([told.status, told.request_id]).toEqual([status, given["x-request-id"]]);
    }),
);
