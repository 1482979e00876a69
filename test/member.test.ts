import { describe, expect, it } from "vitest";
import { readMember } from "../src/member.ts";

const INHERITED = ["constructor", "__proto__", "toString", "hasOwnProperty"];

describe("a member", () => {
  it.each(INHERITED)("%s is found only where an object has it itself", (name) => {
    expect(readMember({}, name)).toBe(undefined);
    expect(readMember(JSON.parse(`{${JSON.stringify(name)}: 1}`), name)).toBe(1);
  });

  it.each([[undefined], [null], ["text"], [1]])("of %s is undefined", (value) => {
    expect(readMember(value, "length")).toBe(undefined);
  });
});
