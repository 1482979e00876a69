import { describe, expect, it } from "vitest";
import type { Dimension } from "../../../../src/operations/dimensions.ts";
import { parseFilter } from "../../../../src/operations/filter.ts";
import { assertRows, writeFilter } from "../../../../src/sources/gateways/umami/filter-query.ts";

const write = (conditions: string[], isCloud = false) => writeFilter(parseFilter(conditions), isCloud).query;

describe("conditions as parameters", () => {
  it.each([
    ["pages=/pricing", { path: "eq./pricing" }],
    ["pages=/a|/b", { path: "eq./a,/b" }],
    ["pages!=/a|/b", { path: "neq./a,/b" }],
    // What would look like an operator of Umami is a value.
    ["pages=re.x", { path: "eq.re.x" }],
    // Umami separates values by commas.
    ["pages=/a,b", { path: "re.(?c)^(?:/a,b)$" }],
    ["pages=/blog/*", { path: "re.(?c)^(?:/blog/.*)$" }],
    ["pages!=/blog/*|/a", { path: "nre.(?c)^(?:/a|/blog/.*)$" }],
    ["pages=/a(b)[c]{1}^$+?.\\*\\|\\\\", { path: "eq./a(b)[c]{1}^$+?.*|\\" }],
    [
      "pages=/a(b)[c]{1}^$+?.\\*\\|\\\\*",
      { path: "re.(?c)^(?:/a\\(b\\)\\[c\\]\\{1\\}\\^\\$\\+\\?\\.\\*\\|\\\\.*)$" },
    ],
    ["devices=desktop", { device: "eq.desktop,laptop" }],
    ["devices=tv|mobile", { device: "eq.mobile,tv,smarttv" }],
    [
      "cities=Frankfurt am Main\\, Hesse, DE",
      { city: "re.(?c)^(?:Frankfurt am Main, Hesse)$", country: "eq.DE" },
    ],
    ["cities=Berlin, DE", { city: "eq.Berlin", country: "eq.DE" }],
    ["languages=de|en", { language: "re.^(?:de|en)([-_]|$)" }],
    ["languages=fil", { language: "re.^(?:fil)([-_]|$)" }],
    ["events=signup", { event: "eq.signup" }],
  ])("%s", (condition, expected) => {
    expect(write([condition])).toEqual(expected);
  });

  it("numbers several of the same name", () => {
    expect(write(["pages=/a*", "pages!=/ab", "cities=Berlin, DE", "countries=DE|AT"])).toEqual({
      city: "eq.Berlin",
      country: "eq.DE",
      country1: "eq.AT,DE",
      path: "neq./ab",
      path1: "re.(?c)^(?:/a.*)$",
    });
  });

  it("writes expressions of ClickHouse for Umami Cloud", () => {
    expect(write(["pages=/blog/*"], true)).toEqual({ path: "re.(?s-i)^(?:/blog/.*)$" });
  });
});

it.each([
  ["visit:pages=/pricing", "visit:pages=/pricing chooses whole visits"],
  ["referrers=google.com", "on referrers cannot be used with Umami"],
  ["utm_campaigns=spring", "on utm_campaigns cannot be used with Umami"],
  ["entry_pages=/", "on entry_pages cannot be used with Umami"],
  ["channels=Direct", "on channels cannot be used with Umami"],
  ["languages=de-AT", "must have two or three letters"],
  ["languages=d*", "must have two or three letters"],
  ["countries!=DE", "would also drop what has no value"],
  ["countries=", "looks for what has no value"],
  ["events=a|b", "must have a single value"],
  ["events=a*", "must have a single value"],
  ["events!=a", "would also drop"],
  ["pages=/a\nb", "has a line break"],
  ["cities=Berlin", "such as Berlin, DE"],
])("refuses %s by name", (condition, reason) => {
  expect(() => write([condition])).toThrow(reason);
  expect(() => write([condition])).toThrow(expect.objectContaining({ code: "invalid_parameter" }));
});

it("refuses two events at once", () => {
  expect(() => write(["events=a", "events=b"])).toThrow("combines two conditions on events");
});

it.each<[condition: string, dimension: Dimension, reason: string | undefined]>([
  [
    "pages=/a",
    "referrers",
    "dimension is referrers, which Umami cannot list for a filter on pages or hostnames",
  ],
  ["hostnames=a.example", "entry_pages", "dimension is entry_pages, which Umami cannot list"],
  ["pages=/a", "countries", undefined],
  ["pages=/a", "events", undefined],
  ["countries=DE", "referrers", undefined],
  ["events=signup", "countries", "dimension is countries, which Umami cannot list for a filter on events"],
  ["events=signup", "events", undefined],
])("rows of a part: %s, %s", (condition, dimension, reason) => {
  const ask = () => assertRows(dimension, writeFilter(parseFilter([condition]), false));
  if (reason === undefined) ask();
  else expect(ask).toThrow(reason);
});
