import { describe, expect, it } from "vitest";
import { readHttpDate } from "../../src/client/http-date.ts";
import { readRetryAfter } from "../../src/client/retry-after.ts";

const RECEIVED = Date.parse("2026-11-21T04:05:10Z");
const date = "Sat, 21 Nov 2026 04:05:10 GMT";

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
