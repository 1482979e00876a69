import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cleanRows, hasLookalikes } from "../../src/render/clean-rows.ts";
import { cleanText } from "../../src/render/clean-text.ts";
import { cleanValue } from "../../src/render/clean-value.ts";
import { anyText } from "./any-text.ts";

const long = (end: string) => `/${"x".repeat(90)}${end}`;
const names = (labels: (string | null)[], maxLength?: number) =>
  cleanRows(
    labels.map((label) => ({ label })),
    maxLength,
  ).map(({ label }) => label);

describe("names that look the same are numbered", () => {
  it.each([
    ["different", ["/a", "/b"], ["/a", "/b"]],
    ["two cities of one name", ["Paris", "Paris", "Paris"], ["Paris", "Paris (2)", "Paris (3)"]],
    ["an imitation that comes first", ["/pricing\u200b", "/pricing"], ["/pricing (2)", "/pricing"]],
    ["a name that has the number already", ["/a", "/a\u200b", "/a (2)"], ["/a", "/a (3)", "/a (2)"]],
    ["invisible characters alone", ["\u200b", "\u200b\u200b", null], ["(2)", "(3)", null]],
    ["no text at all", ["", null], ["", null]],
    ["cut", [long("a"), long("b")], [`/${"x".repeat(78)}…`, `/${"x".repeat(74)}… (2)`]],
  ])("%s", (_, given, expected) => expect(names(given, 80)).toEqual(expected));

  it("in the order of the rows, however many", () => {
    const labels = Array.from({ length: 3_000 }, (_, index) => "/a".padEnd(2 + index, "\u200b"));
    expect(names(labels).slice(-1)).toEqual(["/a (3000)"]);
  });

  it("so no two stay equal", () => {
    fc.assert(
      fc.property(fc.uniqueArray(anyText(40), { maxLength: 30 }), (labels) => {
        const shown = names(labels, 20);
        expect(new Set(shown).size).toBe(labels.length);
        for (const [index, label] of labels.entries()) {
          expect((shown[index] ?? "").length).toBeLessThanOrEqual(40);
          if (cleanText(label, 20) === label) expect(shown[index]).toBe(label);
        }
      }),
    );
  });

  it("in every list of a value", () => {
    const row = (value: string) => ({ value, visitors: 1 });
    expect(cleanValue({ top: [{ rows: [row("/a"), row("/a\u200b")] }] })).toEqual({
      top: [{ rows: [row("/a"), row("/a (2)")] }],
    });
  });

  it.each([
    [["/a", "/a\u200b"], true],
    [["/a\u200b", "/b"], false],
  ])("%j needs the note: %s", (labels, expected) => {
    expect(hasLookalikes(labels.map((label) => ({ label })))).toBe(expected);
  });
});
