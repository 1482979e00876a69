import { expect, it } from "vitest";
import { describeDates, warnOfEnd } from "../../src/sources/data-warnings.ts";

const data = { first: "2015-05-01", last: "2015-05-20" };

it.each([
  ["2015-06-19", data, "The log ends on 2015-05-20: what came later is missing, not zero.", undefined],
  [
    "2015-06-20",
    data,
    "The log ends on 2015-05-20, its last days are 2015-05-14/2015-05-20: what came later is missing, not zero.",
    "2015-05-14",
  ],
  [
    "2026-11-01",
    { ...data, first: "2015-05-17" },
    expect.stringContaining("2015-05-17/2015-05-20"),
    "2015-05-17",
  ],
])(
  "on %s, the end of data is reported, with its last days if that is long ago",
  (today, given, detail, from) => {
    const values = { data_until: "2015-05-20", ...(from !== undefined && { last_days_from: from }) };
    expect(warnOfEnd("log", given, today)).toEqual({ code: "stale", detail, values });
  },
);

it("some days are described by their number, the first and the last", () => {
  expect(describeDates(["2026-11-17"])).toEqual({ days: 1, from: "2026-11-17", to: "2026-11-17" });
  expect(describeDates(["2026-11-15", "2026-11-17"])).toEqual({
    days: 2,
    from: "2026-11-15",
    to: "2026-11-17",
  });
});
