import { expect, it } from "vitest";
import { formatFilter, parseFilter } from "../../src/operations/filter.ts";

it.each([
  ["alternatives", ["pages=/\u{1f600}|/\uff5e|/a|/"], ["pages=/|/a|/\uff5e|/\u{1f600}"]],
  [
    "conditions",
    ["pages=\u{1f600}", "pages=\uff5e", "pages=a|", "pages="],
    ["pages=", "pages=|a", "pages=\uff5e", "pages=\u{1f600}"],
  ],
])("the canonical order of %s is by code point, not by UTF-16 unit", (_, texts, canonical) => {
  expect(formatFilter(parseFilter(texts))).toEqual(canonical);
});
