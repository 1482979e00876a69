import { describe, expect, it } from "vitest";
import { findExcess, parseResult } from "../../src/client/result-parser.ts";
import { hours } from "../../src/operations/hours.ts";
import { breakdown, openapi, sites } from "../../src/operations/index.ts";

const nest = (depth: number) => "[".repeat(depth) + "]".repeat(depth);

describe("a JSON text that is too large to parse", () => {
  const tooDeep = "it is nested deeper than 100 levels";
  const tooMany = "it has more than 200000 values";
  it.each<[string, string, string | undefined]>([
    ["a hundred levels", nest(100), undefined],
    ["101 levels", nest(101), tooDeep],
    ["101 levels of objects", `${'{"a":'.repeat(101)}1${"}".repeat(101)}`, tooDeep],
    ["many shallow objects in a row", `[${Array(200).fill('{"a":{}}').join()}]`, undefined],
    ["many shallow lists in a row", `[${Array(200).fill(nest(2)).join()}]`, undefined],
    ["brackets in a text", JSON.stringify("[".repeat(101)), undefined],
    ["brackets after an escaped quote", JSON.stringify(`"${"[".repeat(101)}`), undefined],
    ["brackets after an escaped backslash", `["\\\\"${",[".repeat(101)}`, tooDeep],
    ["200,000 values", `[${Array(199_999).fill(1).join()}]`.replace("[1,", "["), undefined],
    ["200,001 values", `[${Array(200_000).fill(1).join()}]`, tooMany],
    ["100,001 of them empty lists", `[${Array(100_001).fill("[]").join()}]`, tooMany],
    ["commas in a text", JSON.stringify(",".repeat(300_000)), undefined],
  ])("%s", (_, text, excess) => expect(findExcess(text)).toBe(excess));
});

describe("a body that breaks the contract", () => {
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
    expect(() => parseResult(operation, {}, text)).toThrow(
      expect.objectContaining({
        code: "bad_answer",
        status: 200,
        message: `The answer to ${operation.path} breaks the contract: ${reason}.`,
        hint: "Nothing was shown, because the numbers could be wrong. Report it to the service's operator.",
      }),
    );
  });
});

const params = { site: "example.com", dimension: "pages" as const, limit: 10, days: 1 };
const day = "2026-11-21";
const row = (value: string | null, visitors: number, pageviews: number, percentage = 10 * visitors) => ({
  value,
  label: value ?? "none",
  visitors,
  pageviews,
  percentage,
});
const format = (rows: object[], { visitors, isOver } = { visitors: 10, isOver: false }) =>
  JSON.stringify({
    site: { id: "site_7f3k", domain: "example.com" },
    period: {
      from: day,
      to: day,
      days: 1,
      timezone: "Etc/UTC",
      partial: !isOver,
      complete_through: isOver ? day : "2026-11-20",
      as_of: `${day}T04:05:10Z`,
    },
    dimension: "pages",
    limit: 10,
    total_rows: rows.length,
    truncated: false,
    rows,
    totals: { visitors, pageviews: 2 * visitors },
  });

describe("a breakdown that contradicts itself", () => {
  it.each([
    [
      "a value twice",
      [row("/a", 5, 5), row("/b", 4, 4), row("/a", 3, 3)],
      '"rows[2]" repeats the value of another row',
    ],
    ["no value twice", [row(null, 5, 5), row(null, 4, 4)], '"rows[1]" repeats the value of another row'],
    [
      "more visitors than in total",
      [row("/a", 11, 11, 100)],
      '"rows[0]" has 11 visitors, but the total is 10',
    ],
    ["more page views than in total", [row("/a", 9, 21)], '"rows[0]" has 21 pageviews, but the total is 20'],
    [
      "rows out of order",
      [row("/a", 4, 4), row("/b", 5, 5)],
      '"rows[1]" has more visitors than the row before it',
    ],
    [
      "percentages of other totals",
      [row("/a", 9, 9), row("/b", 3, 3, 3)],
      '"rows[1]" has 3 percent, but 30.0 percent of the total',
    ],
    [
      "percentages as fractions",
      [row("/a", 9, 9, 0.9), row("/b", 3, 3, 0.3)],
      '"rows[0]" has 0.9 percent, but 90.0 percent of the total',
    ],
    [
      "nobody's percentage",
      [row("/a", 0, 0, 1.5)],
      '"rows[0]" has 1.5 percent, but 0.0 percent of the total',
    ],
  ])("%s", (_, rows, reason) => {
    expect(() => parseResult(breakdown, params, format(rows))).toThrow(
      expect.objectContaining({
        code: "bad_answer",
        message: `The answer to /breakdown breaks the contract: ${reason}.`,
      }),
    );
  });

  it("is none if a row equals the totals", () => {
    expect(parseResult(breakdown, params, format([row("/a", 10, 20), row("/b", 10, 20)])).rows).toHaveLength(
      2,
    );
  });
});

describe("percentages of a breakdown", () => {
  const read = (visitors: number, percentages: number[], all = { visitors: 1000, isOver: true }) => {
    const rows = percentages.map((percentage, index) => row(`/${index}`, visitors, visitors, percentage));
    return () => parseResult(breakdown, params, format(rows, all));
  };

  it.each<[string, number, number[]]>([
    ["tenths, rounded half up", 289, [28.9]],
    ["tenths, cut off", 3, [0.2, 0.3]],
    ["more digits", 333, [33.3, 33.33333]],
    ["whole percents, rounded up", 281, [29]],
    ["whole percents, cut off", 289, [28]],
  ])("may be %s", (_, visitors, percentages) => {
    expect(read(visitors, percentages)).not.toThrow();
  });

  it.each<[string, number, number[]]>([
    ["tenths that are two off", 289, [28.7]],
    ["a tenth that stands beside whole percents", 289, [28, 28.9]],
    ["whole percents that are one off", 285, [30]],
  ])("are refused as %s", (_, visitors, percentages) => {
    expect(read(visitors, percentages)).toThrow("of the total");
  });

  it("may be of a total before the last visitor came, today alone", () => {
    const total = { visitors: 21, isOver: false };
    expect(read(10, [50, 47.6], total)).not.toThrow();
    expect(read(10, [50, 47.6], { ...total, isOver: true })).toThrow("of the total");
    expect(read(10, [40], { ...total, visitors: 20 })).toThrow("of the total");
  });
});

describe("hours of another offset than the timezone's", () => {
  const format = (offset: string) =>
    JSON.stringify({
      site: { id: "site_7f3k", domain: "example.com" },
      period: {
        from: "2026-11-20",
        to: "2026-11-20",
        days: 1,
        timezone: "America/New_York",
        partial: true,
        complete_through: "2026-11-19",
        as_of: `2026-11-20T02:30:00${offset}`,
      },
      interval: "hour",
      points: [0, 1, 2].map((hour) => ({
        time: `2026-11-20T0${hour}:00:00${offset}`,
        visitors: 1,
        pageviews: 1,
        ...(hour === 2 && { partial: true }),
      })),
    });
  const params = { site: "example.com", days: 1, interval: "hour" as const };

  it("are refused, and those of the timezone are not", () => {
    expect(parseResult(hours, params, format("-05:00")).points).toHaveLength(3);
    for (const offset of ["-04:00", "Z", "+05:00"]) {
      expect(() => parseResult(hours, params, format(offset))).toThrow(
        `its point 2026-11-20T00:00:00${offset} has another offset than America/New_York at that time`,
      );
    }
  });
});
