import { expect, it } from "vitest";
import { warnOfEnd } from "../../src/sources/stale.ts";

const data = { first: "2015-05-01", last: "2015-05-20" };

it.each([
  ["2015-06-19", data, "The log ends on 2015-05-20: what came later is missing, not zero."],
  [
    "2015-06-20",
    data,
    "The log ends on 2015-05-20, its last days are 2015-05-14/2015-05-20: what came later is missing, not zero.",
  ],
  ["2026-11-01", { ...data, first: "2015-05-17" }, expect.stringContaining("2015-05-17/2015-05-20")],
])("on %s, the end of data is told, with its last days if that is long ago", (today, given, detail) => {
  expect(warnOfEnd("log", given, today)).toEqual({ code: "stale", detail });
});
