import { describe, expect, it } from "vitest";
import { z } from "zod";
import { AnalyticsError, type ErrorCode } from "../../src/errors.ts";
import { breakdown, sites, stats } from "../../src/operations/index.ts";
import { parseParams, readParams } from "../../src/operations/parameters.ts";

function refuse(read: () => unknown) {
  try {
    read();
  } catch (error) {
    if (error instanceof AnalyticsError) return error;
  }
  return expect.unreachable("it should have been refused");
}

const site = { minimum: 1, maximum: 253 };
const days = { minimum: 1, maximum: 365 };

describe("a parameter given as text", () => {
  it("becomes a number only if the schema demands one", () => {
    const given = new Map([
      ["site", ["42"]],
      ["days", ["7"]],
    ]);
    expect(readParams(stats.params, given)).toEqual({ site: "42", days: 7 });
  });

  it.each([
    ["nothing", stats, {}, "missing_parameter", [["site", "is required", site]]],
    ["an empty one", stats, { site: [""] }, "invalid_parameter", [["site", "must not be empty", site]]],
    ["no value", stats, { site: [] }, "invalid_parameter", [["site", "must not be empty", site]]],
    [
      "one twice",
      stats,
      { site: ["a.test", "a.test"], days: ["7", "8"] },
      "invalid_parameter",
      [
        ["site", "must be given only once", site],
        ["days", "must be given only once", days],
      ],
    ],
    [
      "one out of bounds",
      stats,
      { site: ["a.test"], days: ["07"] },
      "invalid_parameter",
      [["days", "must be a whole number from 1 to 365", days]],
    ],
    [
      "one too long",
      stats,
      { site: ["x".repeat(254)] },
      "invalid_parameter",
      [["site", "must be a string of 1 to 253 characters", site]],
    ],
    [
      "one that is unknown, twice, and one that is empty",
      stats,
      { site: [""], page: ["1", "2"] },
      "unknown_parameter",
      [
        ["site", "must not be empty", site],
        ["page", "is unknown; the parameters are site, days", { allowed: ["site", "days"] }],
      ],
    ],
    [
      "one where there is none",
      sites,
      { page: ["2"] },
      "unknown_parameter",
      [["page", "is unknown; there are no parameters", { allowed: [] }]],
    ],
  ] as [string, { params: z.ZodObject }, Record<string, string[]>, ErrorCode, [string, string, object][]][])(
    "%s is refused with what is allowed",
    (_, { params }, given, code, refused) => {
      const error = refuse(() => readParams(params, new Map(Object.entries(given))));
      expect(error).toMatchObject({
        code,
        status: 400,
        message: `${refused.map(([parameter, detail]) => `${parameter} ${detail}`).join("; ")}.`,
      });
      expect(error.parameters).toStrictEqual(
        refused.map(([parameter, detail, bounds]) => ({ parameter, detail, ...bounds })),
      );
    },
  );
});

describe("a parameter given as a value", () => {
  it("is refused with the allowed values", () => {
    const given = { site: "a.test", dimension: "colours" };
    const { code, parameters } = refuse(() => parseParams(breakdown.params, given));
    expect([code, parameters]).toEqual([
      "invalid_parameter",
      [
        {
          parameter: "dimension",
          detail: expect.stringMatching(/^must be one of pages, entry_pages, .*, events$/),
          allowed: breakdown.params.shape.dimension.options,
        },
      ],
    ]);
  });

  it("is refused without bounds if it has none", () => {
    const { parameters } = refuse(() => parseParams(z.strictObject({ name: z.string() }), {}));
    expect(parameters).toStrictEqual([{ parameter: "name", detail: "is required" }]);
  });
});
