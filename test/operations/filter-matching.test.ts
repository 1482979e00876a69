import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseFilter } from "../../src/operations/filter.ts";
import { createMatch, splitFilter } from "../../src/operations/filter-matching.ts";
import "../support/seed.ts";

/** Few letters, so that many patterns match, and one that regular expressions give a meaning to. */
const text = fc.string({ unit: fc.constantFrom("a", "b", ".", "😀"), maxLength: 3 });
const alternative = fc.oneof(
  { weight: 1, arbitrary: fc.constant(null) },
  { weight: 4, arbitrary: fc.array(text, { minLength: 1, maxLength: 4 }) },
);

describe("a value meets a condition", () => {
  it("where a regular expression of the same pattern matches", () => {
    const asked = fc.tuple(
      fc.array(alternative, { minLength: 1, maxLength: 3 }),
      fc.option(text),
      fc.boolean(),
    );
    const seen = { true: 0, false: 0 };
    fc.assert(
      fc.property(asked, ([alternatives, value, isNot]) => {
        const isMet = alternatives.some((parts) => {
          if (parts === null || value === null) return parts === value;
          const pattern = parts.map((part) => part.replaceAll(".", "\\.")).join(".*");
          return new RegExp(`^${pattern}$`, "su").test(value);
        });
        seen[`${isMet}`]++;
        expect(createMatch({ alternatives, isNot })(value)).toBe(isMet !== isNot);
      }),
      { numRuns: 3_000 },
    );
    expect(Math.min(seen.true, seen.false)).toBeGreaterThan(300);
  });

  it.each([
    [["a", "a"], "a", false],
    [["a", "a"], "aa", true],
    [["a", "a", "a"], "aa", false],
    [["", "ab", "b"], "ab", false],
    [["", "ab", "b"], "abb", true],
    [["", ""], "", true],
  ])("%j in %j: %s, as no character is matched twice", (parts, value, isMet) => {
    expect(createMatch({ alternatives: [parts], isNot: false })(value)).toBe(isMet);
  });

  it("in time that grows with its length alone", () => {
    // A regular expression that goes back and forth would take longer than the universe exists.
    const parts = ["", ...Array.from({ length: 2_000 }, () => "a"), "b"];
    const value = "a".repeat(100_000);
    const before = process.cpuUsage().user;
    expect(createMatch({ alternatives: [parts], isNot: false })(value)).toBe(false);
    expect(createMatch({ alternatives: [parts], isNot: false })(`${value}b`)).toBe(true);
    expect(process.cpuUsage().user - before).toBeLessThan(1_000_000);
  });
});

it("conditions are told apart by what they choose", () => {
  const filter = parseFilter([
    ...["pages=/a", "hostnames=a.example", "events!=Signup"],
    ...["entry_pages=/", "countries!=DE"],
    ...["visit:pages=/b", "visit:events!=Signup"],
  ]);
  const { hits, visits, visitHits } = splitFilter(filter);
  const names = (all: typeof hits) => all.map(({ dimension }) => dimension).sort();
  expect(names(hits)).toEqual(["events", "hostnames", "pages"]);
  expect(names(visits)).toEqual(["countries", "entry_pages"]);
  expect(names(visitHits)).toEqual(["events", "pages"]);
  expect(splitFilter(undefined)).toEqual({ hits: [], visits: [], visitHits: [] });
});
