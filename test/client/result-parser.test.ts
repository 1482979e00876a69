import { describe, expect, it } from "vitest";
import { findExcess, parseResult } from "../../src/client/result-parser.ts";
import { openapi, sites } from "../../src/operations/index.ts";

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
        hint: "Nothing was shown, because the numbers could be wrong. Tell whoever runs the service.",
      }),
    );
  });
});
