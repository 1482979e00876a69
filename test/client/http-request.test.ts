import { describe, expect, it } from "vitest";
import { type HttpRequest, readRedirectOrigin, sendRequest } from "../../src/client/http-request.ts";
import { RetryableError } from "../../src/client/retry.ts";

const KEY = "canary-4f1c9a2e77d04b6f";
const JSON_TYPE = { "content-type": "application/json" };
const NOW = Date.parse("2026-11-21T04:05:10Z");

/** The outcome of one response; a retryable error is marked. */
async function receive(
  status: number,
  headers: Record<string, string>,
  body: string | Uint8Array[] | null,
  { maxBytes = 1_000_000, ...given }: Partial<HttpRequest> & { maxBytes?: number } = {},
) {
  const send: HttpRequest = {
    url: "https://stats/api/v1/stats?site=a.test",
    path: "/stats",
    apiKey: KEY,
    proxies: [],
    clock: () => NOW,
    fetch: async () => ({
      status,
      headers: new Headers(headers),
      body: typeof body === "string" ? [Buffer.from(body)] : body,
    }),
    ...given,
  };
  try {
    return await sendRequest(send, { maxBytes }, new AbortController().signal);
  } catch (error) {
    if (!(error instanceof RetryableError)) throw error;
    const { code, message, hint } = error.error;
    return { passes: true, wait: error.wait, code, message, hint };
  }
}

describe("a body", () => {
  const [one, two] = [Buffer.from("ü").subarray(0, 1), Buffer.from("ü").subarray(1)];
  it.each([
    ["in pieces, within a character", [one, two], "ü"],
    ["empty", [], ""],
    ["none", null, ""],
    ["as large as may be", [Buffer.alloc(600, "a"), Buffer.alloc(400, "a")], "a".repeat(1_000)],
  ])("is read: %s", async (_, body, text) => {
    expect(await receive(200, JSON_TYPE, body, { maxBytes: 1_000 })).toEqual({
      text,
      freshFor: 0,
      link: null,
    });
  });

  it("one byte larger is refused", async () => {
    const body = [Buffer.alloc(600), Buffer.alloc(401)];
    await expect(receive(200, JSON_TYPE, body, { maxBytes: 1_000 })).rejects.toMatchObject({
      code: "too_large",
      status: 200,
      message: "The service's answer is larger than 0.001 MB.",
      hint: "Check that the base URL points to the API.",
    });
  });

  it("that is not valid UTF-8 is refused", async () => {
    await expect(receive(200, JSON_TYPE, [one])).rejects.toMatchObject({
      code: "bad_answer",
      message: "The service's answer is not valid UTF-8.",
      hint: "Check that the base URL points to the API, or contact the service's operator.",
      cause: expect.any(TypeError),
    });
  });

  it.each([
    ["application/json", true],
    ["application/json; charset=utf-8", true],
    ["application/json ;charset=utf-8", true],
    ["APPLICATION/JSON", true],
    ["application/vnd.acme-1+json", true],
    ["application/jsonp", false],
    ["application/+json", false],
    ["x-application/json", false],
    ["text/json", false],
    ["text/html; charset=utf-8", false],
    [`text/${"x".repeat(80)}`, false],
    [`text/${KEY}`, false],
  ])("of type %s: %s", async (type, isJson) => {
    const answer = receive(200, { "content-type": type }, "{}");
    if (isJson) return expect(await answer).toMatchObject({ text: "{}" });
    const said = type.replace("; charset=utf-8", "").replace(KEY, "[key]").slice(0, 60);
    await expect(answer).rejects.toMatchObject({
      code: "bad_answer",
      status: 200,
      message: `The answer to /stats is ${said}, not JSON.`,
      hint: "Check the base URL: is https://stats the API, or a web page in front of it?",
    });
  });

  it.each([
    ["<!DOCTYPE html><html><head><title>Sign in - Matomo</title>", "it seems to be a page of Matomo."],
    ["<html><title> Umami</title>", "it seems to be a page of Umami."],
    ['<head><meta name="generator" content="WordPress 6.9">', "it seems to be a page of WordPress."],
    // What a page says of others, or far below, is not what it is.
    [`<title>Acme</title><p>${"x".repeat(30_000)}<title>Matomo</title>`, "is https://stats the API"],
    ["<title>Acme</title><p>We use Umami.", "is https://stats the API"],
  ])("that is a page names what the page seems to be of: %#", async (page, hint) => {
    await expect(receive(200, { "content-type": "text/html" }, page)).rejects.toMatchObject({
      code: "bad_answer",
      hint: expect.stringContaining(`Check the base URL: ${hint}`),
    });
  });

  it("that is a problem document is refused", async () => {
    await expect(receive(200, { "content-type": "application/problem+json" }, "{}")).rejects.toMatchObject({
      code: "bad_answer",
      message: "The answer to /stats is an error with the status 200.",
      hint: "Nothing was shown. Report it to the service's operator: its content type is application/problem+json.",
    });
  });

  it("without a type is refused", async () => {
    const message = "The answer to /stats has no content type, not JSON.";
    await expect(receive(200, {}, "{}")).rejects.toMatchObject({ message });
  });

  it.each([
    ["k".repeat(16), "[key]"],
    ["k".repeat(15), "k".repeat(15)],
  ])("that repeats the key %s has %s", async (apiKey, text) => {
    expect(await receive(200, JSON_TYPE, apiKey, { apiKey })).toMatchObject({ text });
    const refused = receive(400, JSON_TYPE, JSON.stringify({ detail: apiKey }), { apiKey });
    await expect(refused).rejects.toMatchObject({ message: 'The service says: "[key]".' });
  });
});

describe("an error", () => {
  const problem = (length: number) => JSON.stringify({ detail: "Why.", more: "x".repeat(length) });
  const full = problem(100_000 - problem(0).length);
  const alone = "The service answered /stats with status 404.";
  it.each<[string, string | Uint8Array[], Record<string, string>, number, string]>([
    ["that is as long as may be", full, JSON_TYPE, 1e6, 'The service says: "Why."'],
    ["that is longer", `${full} `, JSON_TYPE, 1e6, alone],
    ["that is longer than any answer may be", full, JSON_TYPE, 1e4, alone],
    ["that is no JSON by its type", full, { "content-type": "text/plain" }, 1e6, alone],
    ["that is no text", [Buffer.from([0xff])], JSON_TYPE, 1e6, alone],
  ])("is recognized by its status, with an explanation %s", async (_, body, headers, maxBytes, message) => {
    await expect(receive(404, headers, body, { maxBytes })).rejects.toMatchObject({
      code: "not_found",
      status: 404,
      message,
      hint: expect.stringContaining("Check the base URL: there is no API at https://stats/api/v1."),
    });
  });

  it.each([
    [429, { "retry-after": "3" }, 3_000, "rate_limited", "Try again in 3 seconds."],
    [502, {}, undefined, "internal_error", expect.any(String)],
    [503, {}, undefined, "unavailable", expect.stringContaining("try again later")],
    [503, { "retry-after": "90" }, 90_000, "unavailable", expect.stringContaining("try again in 90 seconds")],
    // The end of the quota's window says nothing about a service that is down.
    [503, { ratelimit: '"default";r=9;t=42' }, undefined, "unavailable", expect.stringContaining("later")],
    [504, {}, undefined, "internal_error", expect.any(String)],
  ])("of status %d is retryable", async (status, headers, wait, code, hint) => {
    expect(await receive(status, headers, null)).toMatchObject({ passes: true, wait, code, hint });
  });

  it.each([
    ["The quota is used up: try again in 3 seconds.", undefined],
    ["The quota is used up.", "Try again in 3 seconds."],
  ])("says only once what to do: %s", async (detail, hint) => {
    const headers = { ...JSON_TYPE, "retry-after": "3" };
    const message = `The service says: "${detail}"`;
    const told = await receive(429, headers, JSON.stringify({ code: "rate_limited", detail }));
    expect(told).toEqual({ passes: true, wait: 3_000, code: "rate_limited", message, hint });
  });
});

describe("a redirect", () => {
  const elsewhere =
    "If https://b.test is the service, use it as the base URL: ANALYTICS_BASE_URL, --base-url, or analytics-mcp login.";
  const signIn =
    "That looks like a sign-in page in front of https://stats. Let the API through there without signing in, or use an address of the service that is not behind it.";
  const here =
    "Check the base URL: the API does not redirect, but a dashboard redirects to its sign-in page.";
  it.each([
    ["https://b.test/login?secret=1", " to https://b.test", signIn],
    ["https://sso.b.test/?secret=1", " to https://sso.b.test", signIn],
    ["https://b.test/api?next=/login", " to https://b.test", elsewhere],
    ["https://b.test/authors", " to https://b.test", elsewhere],
    ["http://b.test/", " to http://b.test", elsewhere.replace("https://b", "http://b")],
    ["/login", " to https://stats", here],
    ["", " to https://stats", here],
    ["http://[", "", here],
    ["mailto:a@b.test", "", here],
    ["ftp://b.test/", "", here],
    [`https://${KEY}.test/`, "", here],
    [undefined, "", here],
  ])("to %s is not followed", async (location, to, hint) => {
    const answer = receive(307, location === undefined ? {} : { location }, null);
    const message = `The service redirects${to} (status 307); the key was not sent there.`;
    await expect(answer).rejects.toMatchObject({ code: "redirected", status: 307, message, hint });
  });

  it.each([300, 301, 302, 303, 305, 306, 307, 308])("is recognized by its status: %d", async (status) => {
    await expect(receive(status, {}, null)).rejects.toMatchObject({ code: "redirected", status });
  });

  it("is not 304, which answers a conditional request", async () => {
    await expect(receive(304, {}, null)).rejects.toMatchObject({ code: "bad_answer", status: 304 });
  });

  it("is only shown if it leads to an http or https address", () => {
    expect(readRedirectOrigin("blob:https://b.test/1", "https://stats/", KEY)).toBe("https://b.test");
  });
});

it("a request has the key and the accepted types", async () => {
  const asked: object[] = [];
  const fetch: HttpRequest["fetch"] = async (url, { headers }) => {
    asked.push({ url, headers });
    return { status: 200, headers: new Headers(JSON_TYPE), body: null };
  };
  await receive(200, {}, null, { fetch });
  expect(asked).toEqual([
    {
      url: "https://stats/api/v1/stats?site=a.test",
      headers: { Authorization: `Bearer ${KEY}`, Accept: "application/json, application/problem+json" },
    },
  ]);
});

it("an error of the network is explained", async () => {
  const fetch = () => Promise.reject(Object.assign(new Error("getaddrinfo"), { code: "ENOTFOUND" }));
  await expect(receive(200, {}, null, { fetch })).rejects.toMatchObject({ code: "unreachable" });
});
