import { expect, it } from "vitest";
import { createCodeNames } from "../../src/names/code-names.ts";

it.each([
  ["countries", "DE", "Germany"],
  ["languages", "de-DE", "German (Germany)"],
  ["languages", "en-us", "American English"],
  ["countries", "Germany", undefined],
  ["countries", "*", undefined],
  ["countries", "", undefined],
  ["languages", "en_US", undefined],
  ["languages", "English", undefined],
  ["languages", "en-US,en;q=0.9", undefined],
  ["cities", "DE", undefined],
])("the name of a code, or undefined for a text that is no code: %s, %j", (dimension, code, name) => {
  expect(createCodeNames()(dimension, code)).toBe(name);
});
