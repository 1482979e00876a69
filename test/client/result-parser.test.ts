import { describe, expect, it } from "vitest";
import { findExcess, readAnswer, readProblem } from "../../src/client/result-parser.ts";
import { openapi, sites } from "../../src/operations/index.ts";

const nest = (depth: number) => "[".repeat(depth) + "]".repeat(depth);

describe("what is too much to be read", () => {
  const tooDeep = "it is nested deeper than 100 levels";
  const tooMany = "it has more than 200000 values";
  it.each<[string, string, string | undefined]>([
    ["a hundred levels", nest(100), undefined],
    ["one more", nest(101), tooDeep],
    ["of objects too", `${'{"a":'.repeat(101)}1${"}".repeat(101)}`, tooDeep],
    ["objects as deep, one beside the other", `[${Array(200).fill('{"a":{}}').join()}]`, undefined],
    ["as deep, one beside the other", `[${Array(200).fill(nest(2)).join()}]`, undefined],
    ["brackets in a text", JSON.stringify("[".repeat(101)), undefined],
    ["brackets after an escaped quote", JSON.stringify(`"${"[".repeat(101)}`), undefined],
    ["brackets after an escaped backslash", `["\\\\"${",[".repeat(101)}`, tooDeep],
    ["200,000 values", `[${Array(199_999).fill(1).join()}]`.replace("[1,", "["), undefined],
    ["200,001 values", `[${Array(200_000).fill(1).join()}]`, tooMany],
    ["100,001 of them empty lists", `[${Array(100_001).fill("[]").join()}]`, tooMany],
    ["commas in a text", JSON.stringify(",".repeat(300_000)), undefined],
  ])("%s", (_, text, excess) => expect(findExcess(text)).toBe(excess));
});

describe("an answer that is not of the contract's form", () => {
  const info = { title: "An API", version: "1" };
  it.each([
    ["[]", openapi, "the body is an array, object expected"],
    ["null", openapi, "the body is null, object expected"],
    ["{}", sites, 'it lacks "as_of"'],
    ['{"as_of":"2026-11-21T04:05:10Z","sites":[1]}', sites, '"sites[0]" is the number 1, object expected'],
    [JSON.stringify({ openapi: {}, info, paths: {} }), openapi, '"openapi" is an object, string expected'],
    [JSON.stringify({ openapi: true, info, paths: {} }), openapi, '"openapi" is a boolean, string expected'],
    ['{"as_of":"yesterday","sites":[]}', sites, '"as_of" is a string, invalid iso datetime'],
    ['{"as_of":', sites, "it is not complete JSON"],
    [`{"x":${nest(100)}}`, openapi, "it is nested deeper than 100 levels"],
  ])("%s", (text, operation, reason) => {
    expect(() => readAnswer(operation, {}, text)).toThrow(
      expect.objectContaining({
        code: "bad_answer",
        status: 200,
        message: `The answer to ${operation.path} breaks the contract: ${reason}.`,
        hint: "Nothing was shown, since the numbers could be wrong. Tell whoever runs the service.",
      }),
    );
  });
});

describe("what a status comes to", () => {
  const at = { path: "/stats", origin: "https://a.test", base: "https://a.test/api/v1", wait: undefined };
  const checkBase = "Check the base URL: nothing of the API is at https://a.test/api/v1.";
  const isBase =
    "Check the base URL: is https://a.test/api/v1 that of the API? If it is, tell whoever runs the service.";
  const checkKey = (source: string) =>
    `Check ${source}: https://a.test does not accept the key. Keys are made in the dashboard under API keys.`;
  const refused = (source: string) =>
    `Either the key (${source}) may not read this: look in the dashboard under API keys. Or something in front of https://a.test, a firewall or a page to sign in, keeps this machine out.`;
  const theirs = "The fault is the service's: try again later, or tell whoever runs it.";
  const answered = (status: number) => `The service answered /stats with status ${status}.`;
  const notAccepted = "The service does not accept the API key (status 401).";
  const x = (length: number) => "x".repeat(length);

  it.each<[number, object, object, string, string, string | undefined]>([
    [400, {}, {}, "invalid_parameter", answered(400), undefined],
    [401, {}, {}, "invalid_api_key", notAccepted, checkKey("the API key")],
    [
      401,
      {},
      { keySource: "the key of a profile" },
      "invalid_api_key",
      notAccepted,
      checkKey("the key of a profile"),
    ],
    [401, { code: "missing_api_key" }, {}, "missing_api_key", notAccepted, checkKey("the API key")],
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
      "None.",
      "List the sites of the key: analytics-mcp sites (tool list_sites).",
    ],
    [405, {}, {}, "method_not_allowed", answered(405), isBase],
    [418, {}, {}, "bad_answer", answered(418), isBase],
    [422, { code: "missing_parameter" }, {}, "missing_parameter", answered(422), undefined],
    [429, {}, {}, "rate_limited", answered(429), "Try again later."],
    [429, {}, { wait: 1_001 }, "rate_limited", answered(429), "Try again in 2 seconds."],
    [429, {}, { wait: 86_400_000 }, "rate_limited", answered(429), "Try again in 86400 seconds."],
    [429, {}, { wait: 86_400_001 }, "rate_limited", answered(429), "Try again later."],
    [499, {}, {}, "bad_answer", answered(499), isBase],
    [500, { detail: "No.", request_id: "r1" }, {}, "internal_error", "No. (request r1)", theirs],
    [400, { detail: "No.", request_id: "r1" }, {}, "invalid_parameter", "No.", undefined],
    [
      500,
      { detail: x(501), request_id: x(65) },
      {},
      "internal_error",
      `${x(500)} (request ${x(64)})`,
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
  ])("%d with %j, %j", (status, body, circumstances, code, message, hint) => {
    const error = readProblem(status, JSON.stringify(body), { ...at, ...circumstances });
    expect(error).toMatchObject({ code, message, status, parameters: [] });
    expect(error.hint).toBe(hint);
  });

  it.each(["", "{", "null", '"text"', "[]"])("is enough where the body is %j", (text) => {
    expect(readProblem(503, text, at)).toMatchObject({ code: "unavailable", message: answered(503) });
  });
});
