import { describe, expect, it } from "vitest";
import { parseProblem } from "../../src/client/problem-parser.ts";

describe("an error response", () => {
  const at = { path: "/stats", origin: "https://a.test", base: "https://a.test/api/v1", wait: undefined };
  const checkBase =
    "Check the base URL: there is no API at https://a.test/api/v1. A service of your own has /sites, /stats, /timeseries, /breakdown and /realtime there: a mapping is for fields, not for paths.";
  const isBase =
    "Check that https://a.test/api/v1 is the API's base URL. If it is, contact the service's operator.";
  const checkKey = (source: string) => `Check ${source}: https://a.test does not accept the key.`;
  const refused = (source: string) =>
    `Either the key (${source}) lacks permission: check it in the dashboard under API keys. Or something in front of https://a.test, such as a firewall or a sign-in page, blocks this machine.`;
  const theirs = "The problem is on the service's side: try again later, or contact its operator.";
  const answered = (status: number) => `The service answered /stats with status ${status}.`;
  const refusedForNow = "The service got too many requests and refuses more for now (status 429).";
  const sent = ' It was sent in the header "Authorization: Bearer …".';
  const notAccepted = "The service does not accept the API key (status 401).";
  const says = (text: string) => `The service says: "${text}"`;
  const failed = (text: string) => `The service answered /stats with status 500: "${text}"`;
  const x = (length: number) => "x".repeat(length);

  it.each<[number, object, object, string, string, string | undefined]>([
    [400, {}, {}, "invalid_parameter", answered(400), undefined],
    [401, {}, {}, "invalid_api_key", notAccepted, `${checkKey("the API key")}${sent}`],
    [
      401,
      {},
      { keySource: "the key of a profile" },
      "invalid_api_key",
      notAccepted,
      `${checkKey("the key of a profile")}${sent}`,
    ],
    [
      401,
      { code: "missing_api_key" },
      {},
      "missing_api_key",
      notAccepted,
      `${checkKey("the API key")}${sent}`,
    ],
    [
      401,
      {},
      { keySource: "profile acme", login: "analytics-mcp login --profile acme" },
      "invalid_api_key",
      notAccepted,
      `${checkKey("profile acme")}${sent} To log in with another: analytics-mcp login --profile acme`,
    ],
    // Another service has no such dashboard.
    [
      401,
      { code: "invalid_api_key", title: "Unauthorized", status: 401 },
      {},
      "invalid_api_key",
      "Unauthorized",
      `${checkKey("the API key")} Create keys in the dashboard under API keys.`,
    ],
    [
      403,
      {},
      {},
      "invalid_api_key",
      "The service refuses access to /stats (status 403).",
      refused("the API key"),
    ],
    [
      403,
      {},
      { keySource: "--key" },
      "invalid_api_key",
      "The service refuses access to /stats (status 403).",
      refused("--key"),
    ],
    [404, {}, {}, "not_found", answered(404), checkBase],
    [
      404,
      { code: "site_not_found", detail: "None." },
      {},
      "site_not_found",
      says("None."),
      "List the key's sites: analytics-mcp sites (tool list_sites).",
    ],
    [405, {}, {}, "method_not_allowed", answered(405), isBase],
    [418, {}, {}, "bad_answer", answered(418), isBase],
    [422, { code: "missing_parameter" }, {}, "missing_parameter", answered(422), undefined],
    [429, {}, {}, "rate_limited", refusedForNow, "Try again later."],
    [429, {}, { wait: 1_001 }, "rate_limited", refusedForNow, "Try again in 2 seconds."],
    [429, {}, { wait: 86_400_000 }, "rate_limited", refusedForNow, "Try again in 24 hours."],
    [429, {}, { wait: 86_400_001 }, "rate_limited", refusedForNow, "Try again later."],
    [499, {}, {}, "bad_answer", answered(499), isBase],
    [500, { detail: "No.", request_id: "r1" }, {}, "internal_error", `${failed("No.")} (request r1)`, theirs],
    [400, { detail: "No.", request_id: "r1" }, {}, "invalid_parameter", says("No."), undefined],
    [
      500,
      { detail: x(501), request_id: x(65) },
      {},
      "internal_error",
      `${failed(x(500))}. (request ${x(64)})`,
      theirs,
    ],
    [
      500,
      { detail: 7, request_id: null, code: ["rate_limited"] },
      {},
      "internal_error",
      answered(500),
      theirs,
    ],
    [502, { code: "unavailable" }, {}, "unavailable", answered(502), theirs],
    [503, {}, {}, "unavailable", answered(503), theirs],
    [
      503,
      {},
      { wait: 29_001 },
      "unavailable",
      answered(503),
      "The problem is on the service's side: try again in 30 seconds, or contact its operator.",
    ],
  ])("%d with %j, %j", (status, body, context, code, message, hint) => {
    const error = parseProblem(status, JSON.stringify(body), { ...at, ...context });
    expect(error).toMatchObject({ code, message, status, parameters: [] });
    expect(error.hint).toBe(hint);
  });

  it("in the service's own words is marked as such, with the quotation marks that it has", () => {
    const said = (status: number, error: string) =>
      parseProblem(status, JSON.stringify({ error }), at).message;
    expect(said(429, "slow down")).toBe('The service says: "slow down".');
    expect(said(500, 'relation "events" does not exist.')).toBe(
      "The service answered /stats with status 500: \"relation 'events' does not exist.\"",
    );
  });

  it.each(["", "{", "null", '"text"', "[]"])("is recognized by its status if the body is %j", (text) => {
    expect(parseProblem(503, text, at)).toMatchObject({ code: "unavailable", message: answered(503) });
  });
});
