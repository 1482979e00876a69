import { expect, it } from "vitest";
import { hideKey } from "../../src/client/hidden-key.ts";

const KEY = "aB3+/de=._~-";

it.each([
  ["as it is", KEY],
  ["in lower case, as in a host's name", KEY.toLowerCase()],
  ["with slashes escaped, as by PHP", KEY.replaceAll("/", "\\/")],
  ["with signs escaped, as by .NET", KEY.replace("+", "\\u002B").replace("=", "\\u003D")],
])("a key is found %s", (_, written) => {
  expect(hideKey(`{"x":"Bearer ${written}","${written}":1}`, KEY)).toBe('{"x":"Bearer [key]","[key]":1}');
});

it("a password of any letters is found", () => {
  expect(hideKey('"pässwört€" "p\\u00e4ssw\\u00F6rt\\u20ac" "pässwört¬"', "pässwört€")).toBe(
    '"[key]" "[key]" "pässwört¬"',
  );
});

it("nothing is hidden where there is no key", () => {
  expect(hideKey("the text", "")).toBe("the text");
});

it.each(["x", "text"])(
  "a word that is too short for a key is only replaced where it stands alone: %s",
  (key) => {
    expect(hideKey(`plaintexts ${key}, "${key}"`, key)).toBe('plaintexts [key], "[key]"');
  },
);

it.each(["aB3+/de=._~", "aB3++de=._~-", "aB3+/deX._~-"])("other text stays: %s", (text) => {
  expect(hideKey(text, KEY)).toBe(text);
});
