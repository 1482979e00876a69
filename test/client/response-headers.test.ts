import { describe, expect, it } from "vitest";
import { readFreshness, readHttpDate, readQuota, readRetryAfter } from "../../src/client/response-headers.ts";

const RECEIVED = Date.parse("2026-11-21T04:05:10Z");
const date = "Sat, 21 Nov 2026 04:05:10 GMT";

describe("how long an answer may be reused (RFC 9111)", () => {
  const later = "Sat, 21 Nov 2026 04:06:00 GMT";
  const cases: [string, Record<string, string>, number][] = [
    ["nothing is said", {}, 0],
    [
      "Last-Modified alone: nothing is guessed",
      { "last-modified": "Sat, 01 Nov 2025 04:05:10 GMT", date },
      0,
    ],
    ["max-age (5.2.2.1)", { "cache-control": "private, max-age=60" }, 60],
    ["max-age quoted, in capitals", { "cache-control": 'Max-Age="60"' }, 60],
    ["max-age twice (4.2.1)", { "cache-control": "max-age=60, max-age=90" }, 0],
    ["max-age that is no number", { "cache-control": "max-age=-5" }, 0],
    ["max-age with more behind it", { "cache-control": "max-age=60s" }, 0],
    ["max-age with more before it", { "cache-control": "max-age=about60" }, 0],
    ["max-age with spaces", { "cache-control": "max-age = 60" }, 60],
    ["max-age without a value", { "cache-control": "max-age" }, 0],
    ["no-store (5.2.2.5)", { "cache-control": "no-store, max-age=60" }, 0],
    ["no-cache (5.2.2.4)", { "cache-control": "max-age=60, no-cache" }, 0],
    ["s-maxage is for shared caches", { "cache-control": "s-maxage=60" }, 0],
    ["Age (4.2.3)", { "cache-control": "max-age=60", age: "25" }, 35],
    ["an Age above max-age", { "cache-control": "max-age=60", age: "90" }, 0],
    ["a Date in the past", { "cache-control": "max-age=60", date: "Sat, 21 Nov 2026 04:04:40 GMT" }, 30],
    ["a Date in the future", { "cache-control": "max-age=60", date: later }, 60],
    ["Expires (5.3)", { expires: later, date }, 50],
    ["Expires without Date", { expires: later }, 50],
    ["Expires: 0", { expires: "0", date }, 0],
    ["max-age before Expires", { "cache-control": "max-age=10", expires: later, date }, 10],
    ["Vary: * (4.1)", { "cache-control": "max-age=60", vary: "*" }, 0],
    ["Vary: Authorization", { "cache-control": "max-age=60", vary: "Authorization" }, 60],
  ];
  it.each(cases)("%s", (_, headers, seconds) => {
    expect(readFreshness(new Headers(headers), RECEIVED, RECEIVED)).toBe(seconds);
  });

  it("the time in transit counts", () => {
    expect(
      readFreshness(new Headers({ "cache-control": "private, max-age=60" }), RECEIVED - 20_000, RECEIVED),
    ).toBe(40);
  });
});

describe("how long a service asks to wait, in milliseconds", () => {
  it.each<[string, Record<string, string>, number | undefined]>([
    ["nothing said", {}, undefined],
    ["seconds", { "retry-after": "12" }, 12_000],
    ["seconds with spaces around", { "retry-after": " 12 " }, 12_000],
    ["no wait", { "retry-after": "0" }, 0],
    ["what is neither", { "retry-after": "12 seconds" }, undefined],
    ["what is neither, the other way about", { "retry-after": "about 12" }, undefined],
    ["a date", { "retry-after": "Sat, 21 Nov 2026 04:05:40 GMT" }, 30_000],
    ["a date that is over", { "retry-after": "Sat, 21 Nov 2026 04:05:00 GMT" }, 0],
    [
      "a date by the service's clock",
      { "retry-after": "Sat, 21 Nov 2026 05:05:40 GMT", date: "Sat, 21 Nov 2026 05:05:10 GMT" },
      30_000,
    ],
    ["RateLimit", { ratelimit: '"default";r=0;t=42' }, 42_000],
    ["RateLimit with spaces", { ratelimit: '"default"; r=0; t=42' }, 42_000],
    ["RateLimit of the older draft", { ratelimit: "t=7" }, 7_000],
    ["RateLimit with another parameter", { ratelimit: '"default";rt=42' }, undefined],
    ["seconds to go", { "x-ratelimit-reset": "30" }, 30_000],
    ["seconds to go with spaces around", { "x-ratelimit-reset": " 30 " }, 30_000],
    ["seconds since 1970", { "x-ratelimit-reset": String(RECEIVED / 1000 + 9) }, 9_000],
    ["seconds since 1970 that are over", { "x-ratelimit-reset": String(RECEIVED / 1000 - 9) }, 0],
    ["the most that is no moment", { "x-ratelimit-reset": "1000000000" }, 1e12],
    ["a reset that is no number", { "x-ratelimit-reset": "30s" }, undefined],
    ["a reset below zero", { "x-ratelimit-reset": "-30" }, undefined],
    ["all of them", { "retry-after": "1", ratelimit: "t=2", "x-ratelimit-reset": "3" }, 1_000],
    ["the later two", { "retry-after": "soon", ratelimit: "t=2", "x-ratelimit-reset": "3" }, 2_000],
  ])("%s", (_, fields, wait) => {
    expect(readRetryAfter({ get: (name) => fields[name] ?? null }, RECEIVED)).toBe(wait);
  });
});

describe("an HTTP date", () => {
  it.each([date, ` ${date} `, "Saturday, 21-Nov-26 04:05:10 GMT", "Sat Nov 21 04:05:10 2026"])(
    "is read: %j",
    (text) => expect(readHttpDate(text)).toBe(RECEIVED),
  );

  it("may have a day of one digit", () => {
    expect(readHttpDate("Sun Nov  1 04:05:10 2026")).toBe(Date.parse("2026-11-01T04:05:10Z"));
  });

  it.each([
    undefined,
    null,
    "",
    "-5",
    "0",
    "after 2099",
    "2026-11-21T04:05:10Z",
    `${date}, or later`,
    `after ${date}`,
    "Saturday, 21-Nov-26 04:05:10 GMT or later",
    "on Saturday, 21-Nov-26 04:05:10 GMT",
    "Sat Nov 21 04:05:10 2026 or later",
    "on Sat Nov 21 04:05:10 2026",
    "Sat, 21 Nov 2026 04:05:10 UTC",
    "Sat, 21 Nov 2026 25:05:10 GMT",
  ])("is not %j", (text) => expect(readHttpDate(text)).toBeUndefined());
});

it.each<[Record<string, string>, object | undefined]>([
  [{}, undefined],
  [{ "ratelimit-policy": '"default";q=120;w=60' }, { requests: 120, seconds: 60 }],
  [{ "ratelimit-policy": '"default"; q=5' }, { requests: 5 }],
  [{ "ratelimit-policy": "100;w=3600" }, { requests: 100, seconds: 3_600 }],
  [{ "ratelimit-policy": '"day";q=1000;w=86400, "minute";q=6;w=60' }, { requests: 6, seconds: 60 }],
  // A call is repeated until such a window has passed.
  [{ "ratelimit-policy": '"burst";q=2;w=1, "hour";q=50;w=3600' }, { requests: 50, seconds: 3_600 }],
  [{ "ratelimit-policy": '"burst";q=2;w=1' }, undefined],
  [{ "ratelimit-policy": '"bytes";q=10;qu="content-bytes";w=60' }, undefined],
  [{ "ratelimit-policy": '"default";q=many' }, undefined],
  [{ "x-ratelimit-limit": "5" }, { requests: 5 }],
  [{ "ratelimit-limit": "10, 10;w=60" }, { requests: 10 }],
  [{ "x-ratelimit-limit": "none" }, undefined],
  [{ "x-ratelimit-limit": "9999999999" }, undefined],
  [
    { "x-ratelimit-limit": "5", "ratelimit-policy": '"default";q=9;w=60' },
    { requests: 9, seconds: 60 },
  ],
])("%j names the quota %j", (headers, quota) => {
  expect(readQuota(new Headers(headers))).toEqual(quota);
});
