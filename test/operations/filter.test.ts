import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AnalyticsError } from "../../src/errors.ts";
import { dimensions } from "../../src/operations/dimensions.ts";
import {
  addFilter,
  type Condition,
  conditionOf,
  escapeValue,
  formatCondition,
  formatFilter,
  headFilter,
  isOnHits,
  parseFilter,
  verifyFilter,
} from "../../src/operations/filter.ts";
import { crawlers, stats } from "../../src/operations/index.ts";
import "../support/seed.ts";

const HIT_DIMENSIONS = ["pages", "hostnames", "events"] as const;

function refuse(...texts: string[]) {
  try {
    parseFilter(texts);
  } catch (error) {
    if (error instanceof AnalyticsError) return error;
    throw error;
  }
  return expect.unreachable(`${texts.join(" ").slice(0, 200)} should have been refused`);
}

const parseOne = (text: string) => parseFilter([text])[0];

describe("a condition", () => {
  it.each([
    ["countries=DE", { dimension: "countries", alternatives: [["DE"]] }],
    ["countries!=DE", { dimension: "countries", isNot: true, alternatives: [["DE"]] }],
    ["countries=DE|AT", { dimension: "countries", alternatives: [["AT"], ["DE"]] }],
    ["countries=DE|DE", { dimension: "countries", alternatives: [["DE"]] }],
    ["referrers=", { dimension: "referrers", alternatives: [null] }],
    ["referrers=|a.example|", { dimension: "referrers", alternatives: [null, ["a.example"]] }],
    ["pages=/blog/*", { dimension: "pages", alternatives: [["/blog/", ""]] }],
    ["pages=*/a**b/***", { dimension: "pages", alternatives: [["", "/a", "b/", ""]] }],
    ["pages=*", { dimension: "pages", alternatives: [["", ""]] }],
    ["pages=/a\\*\\|\\\\", { dimension: "pages", alternatives: [["/a*|\\"]] }],
    ["pages=/\\a\\=", { dimension: "pages", alternatives: [["/a="]] }],
    ["pages=/?a=b!=c", { dimension: "pages", alternatives: [["/?a=b!=c"]] }],
    ["pages=/a\n/b", { dimension: "pages", alternatives: [["/a\n/b"]] }],
    ["pages=\\😀", { dimension: "pages", alternatives: [["😀"]] }],
    ["visit:pages!=/a", { dimension: "pages", ofVisit: true, isNot: true, alternatives: [["/a"]] }],
  ])("%j", (text, expected) => {
    expect(parseOne(text)).toEqual({ ofVisit: false, isNot: false, ...expected });
  });

  const alternative = fc.oneof(
    fc.constant(null),
    fc.string({ unit: fc.constantFrom("a", "b", "*", "|", "\\", "=", "!", "é", "😀"), minLength: 1 }),
    fc.string({ unit: "binary", minLength: 1 }),
    fc.tuple(fc.string(), fc.array(fc.string({ minLength: 1 }), { maxLength: 3 }), fc.string()),
  );
  const condition = fc.record({
    dimension: fc.constantFrom(...dimensions),
    ofVisit: fc.boolean(),
    isNot: fc.boolean(),
    alternatives: fc
      .array(alternative, { minLength: 1, maxLength: 4 })
      .map((all) =>
        all.map((one) => (Array.isArray(one) ? [one[0], ...one[1], one[2]] : one === null ? null : [one])),
      ),
  });
  const possible = condition.map(
    (each): Condition => ({
      ...each,
      ofVisit: each.ofVisit && HIT_DIMENSIONS.some((name) => name === each.dimension),
    }),
  );

  it("keeps its meaning in the canonical form, which stays as it is when it is parsed again", () => {
    fc.assert(
      fc.property(possible, (given) => {
        const parsed = parseOne(formatCondition(given));
        if (parsed === undefined) return expect.unreachable();
        expect({
          ...parsed,
          alternatives: new Set(parsed.alternatives.map((each) => JSON.stringify(each))),
        }).toEqual({
          ...given,
          alternatives: new Set(given.alternatives.map((each) => JSON.stringify(each))),
        });
        expect(formatFilter(parseFilter([formatCondition(parsed)]))).toEqual([formatCondition(parsed)]);
      }),
    );
  });

  it("of any text is refused, or has a canonical form", () => {
    const text = fc.string({
      unit: fc.constantFrom("visit:", "pages", "events", "=", "!", "*", "|", "\\", "/a"),
    });
    fc.assert(
      fc.property(text, (given) => {
        let canonical: string[];
        try {
          canonical = formatFilter(parseFilter([given]));
        } catch (error) {
          expect(error).toMatchObject({ code: "invalid_parameter", status: 400 });
          return;
        }
        expect(formatFilter(parseFilter(canonical))).toEqual(canonical);
      }),
    );
  });

  it("of a row's value is met by that value alone", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", minLength: 1 }), (value) => {
        const expected = conditionOf("pages", value);
        expect(parseOne(`pages=${escapeValue(value)}`)).toEqual(expected);
        expect(parseOne(formatCondition(expected))).toEqual(expected);
      }),
    );
    expect(parseOne(formatCondition(conditionOf("cities", null)))).toEqual(conditionOf("cities", null));
  });

  it("chooses hits by pages, hostnames and events, and visits by anything else", () => {
    const onHits = dimensions.filter((dimension) => isOnHits(conditionOf(dimension, "x")));
    expect(new Set(onHits)).toEqual(new Set(HIT_DIMENSIONS));
    expect(isOnHits({ ...conditionOf("pages", "/"), ofVisit: true })).toBe(false);
  });
});

describe("conditions", () => {
  it("have one form, in whatever order and how often they are given", () => {
    const given = ["pages=/b|/a", "countries=DE", "pages=/a|/b|/b", "countries!=DE"];
    const canonical = ["countries!=DE", "countries=DE", "pages=/a|/b"];
    expect(formatFilter(parseFilter(given))).toEqual(canonical);
    expect(formatFilter(parseFilter(given.toReversed()))).toEqual(canonical);
    expect(parseFilter([])).toEqual([]);
  });

  it("are at most ten", () => {
    const some = (count: number) => Array.from({ length: count }, (_, index) => `pages=/${index}`);
    expect(parseFilter(some(10))).toHaveLength(10);
    expect(refuse(...some(11)).message).toBe("filter must have at most 10 conditions, and has 11.");
  });

  it("have at most 8,000 bytes, percent-encoded, without the parameter's name", () => {
    const name = "pages%3D".length;
    expect(parseFilter([`pages=${"x".repeat(8_000 - name)}`])).toHaveLength(1);
    expect(refuse(`pages=${"x".repeat(8_001 - name)}`).message).toBe(
      "filter must have at most 8000 bytes when encoded, and has 8001.",
    );
    // Each of these has six: %C3%A9.
    expect(parseFilter([`pages=${"é".repeat(1_332)}`])).toHaveLength(1);
    expect(refuse(`pages=${"é".repeat(1_333)}`).code).toBe("invalid_parameter");
    expect(refuse("pages=/".padEnd(5_000, "x"), "pages!=/".padEnd(5_000, "x")).code).toBe(
      "invalid_parameter",
    );
  });
});

describe("a text that is no condition is refused", () => {
  it.each([["countries"], [""], ["DE"], ["countries!DE"], ["countries>5"], ["visit:pages"]])("%j", (text) => {
    const detail = `must be a dimension, = or !=, and a value, such as countries=DE: not ${JSON.stringify(text)}`;
    expect(refuse(text)).toMatchObject({
      code: "invalid_parameter",
      status: 400,
      message: `filter ${detail}.`,
      parameters: [{ parameter: "filter", detail }],
    });
  });

  it.each([["country=DE"], ["Countries=DE"], [" countries=DE"], ["=DE"], ["!=DE"], ["__proto__=x"]])(
    "%j names no dimension: all of them are listed",
    (text) => {
      const { parameters } = refuse(text);
      expect(parameters).toMatchObject([{ parameter: "filter", allowed: [...dimensions] }]);
      expect(parameters?.[0]?.detail).toMatch(/^names no dimension: ".*"; it can be pages, entry_pages, /);
    },
  );

  it.each([["visit:countries=DE"], ["visit:entry_pages=/"], ["visit:=/"], ["visit:visit:pages=/"]])(
    "%j names none that hits have",
    (text) => {
      const [entry] = refuse(text).parameters ?? [];
      expect(new Set(entry?.allowed)).toEqual(new Set(HIT_DIMENSIONS));
    },
  );

  it("if nothing follows a backslash", () => {
    expect(refuse("pages=/a\\").message).toBe("filter must not end with a single \\.");
    expect(parseOne("pages=/a\\\\")?.alternatives).toEqual([["/a\\"]]);
  });

  it("and shown only so far, in one line", () => {
    const { message } = refuse(`${"x".repeat(5_000)}\n`);
    expect(message.length).toBeLessThan(200);
    expect(refuse("a\nb\u001b[2J=c").message).toContain(String.raw`"a\nb\u001b[2J"`);
  });
});

it("a headline names what has no value", () => {
  expect(headFilter(["referrers=|github.com", "utm_sources!="])).toBe(
    ", only referrers=(none)|github.com and utm_sources!=(none)",
  );
  expect(headFilter(["pages=/a?b="])).toBe(', only "pages=/a?b="');
});

describe("an answer", () => {
  it.each([
    [undefined, undefined],
    [undefined, []],
    [[], []],
    [["countries=AT|DE"], ["countries=DE|AT"]],
    [
      ["pages=/a", "countries=DE"],
      ["countries=DE", "pages=/a", "countries=DE"],
    ],
  ])("about %j is the one to %j", (echoed, asked) => {
    expect(verifyFilter(echoed, asked)).toBeUndefined();
  });

  it.each([
    [undefined, ["countries=DE"], "it does not say that it is filtered by countries=DE"],
    [[], ["countries=DE"], "it is filtered by nothing, not by countries=DE"],
    [["countries=DE"], undefined, "it is filtered by countries=DE, not by nothing"],
    [["countries=AT"], ["countries=DE"], "it is filtered by countries=AT, not by countries=DE"],
    [["countries!=DE"], ["countries=DE"], "it is filtered by countries!=DE, not by countries=DE"],
    [["pages=/a"], ["visit:pages=/a"], "it is filtered by pages=/a, not by visit:pages=/a"],
    [
      ["countries=DE"],
      ["pages=/a", "countries=DE"],
      "it is filtered by countries=DE, not by countries=DE and pages=/a",
    ],
    [["plans=gold"], ["countries=DE"], "its filter cannot be read"],
  ])("about %j is none to %j", (echoed, asked, reason) => {
    expect(verifyFilter(echoed, asked)).toBe(reason);
  });
});

describe("a filter as a parameter", () => {
  it("is given only to operations that take one", () => {
    const filter = parseFilter(["pages=/b|/a"]);
    expect(addFilter(stats, filter)).toEqual({ filter: ["pages=/a|/b"] });
    expect(addFilter(crawlers, filter)).toEqual({});
    expect([addFilter(stats, []), addFilter(stats, undefined)]).toEqual([{}, {}]);
  });
});
