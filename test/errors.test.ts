import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { quote, quoteIfNeeded, quotePath, quoteWord } from "../src/errors.ts";
import { anyText } from "./render/any-text.ts";

/** Also texts of what is escaped. */
const texts = fc.oneof(
  anyText(40),
  fc
    .array(fc.constantFrom('"', "\\", "a", "\n", "\u202e", "😀"), { maxLength: 40 })
    .map((parts) => parts.join("")),
);

describe("a quoted text", () => {
  it.each([
    ["/pricing", '"/pricing"'],
    ['/a" b', '"/a\\u0022 b"'],
    ["/a\\", '"/a\\\\"'],
    ['\\"', '"\\\\\\u0022"'],
    ["a\r\n\u2028b", '"a\\r\\n\\u2028b"'],
    ["\u202egnp\u200b\u{e0041}", '"\\u202egnp\\u200b\\udb40\\udc41"'],
  ])("%j has no other end and no invisible character", (text, quoted) => {
    expect(quote(text)).toBe(quoted);
  });

  it("shows quotation marks as they are between single ones", () => {
    expect(quote('"GET /" \'b', { mark: "'" })).toBe("'\"GET /\" \\u0027b'");
  });

  it("is the text as JSON, whatever it is", () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(JSON.parse(quote(text))).toBe(text);
        expect(quote(text)).toMatch(/^"[^"\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]*"$/u);
      }),
    );
  });

  it("is cut without a part of an escape", () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 30 }), (text, maxLength) => {
        const quoted = quote(text, { maxLength });
        expect(quoted.length).toBeLessThanOrEqual(maxLength + 2);
        const shown: string = JSON.parse(quoted);
        expect(shown === text || text.startsWith(shown.slice(0, -1))).toBe(true);
      }),
    );
    expect(quoteWord("x".repeat(70), { maxLength: 60 })).toBe(`"${"x".repeat(59)}…"`);
  });
});

it("a path keeps its backslashes", () => {
  expect(quotePath("C:\\logs\\access.log*")).toBe('"C:\\logs\\access.log*"');
  expect(quotePath('a"b')).toBe('"a\\u0022b"');
});

describe("a name in a sentence", () => {
  it.each([
    "example.com",
    "localhost:8080",
    "münchen.example",
    "pages=/blog/*",
    "countries!=DE|AT",
    "--limit",
  ])("%s is a word", (name) => {
    expect(quoteIfNeeded(name)).toBe(name);
  });

  it.each([
    "",
    "a b",
    "a.",
    "a,",
    "a:",
    'a"b',
    "a\u3164b",
    "a\u200bb",
    "a\ufe0fb",
    "@all",
    "<!here>",
    "a(b)",
    "x".repeat(201),
  ])("%j is quoted", (name) => {
    expect(quoteIfNeeded(name)).toMatch(/^".*"$/);
  });
});
