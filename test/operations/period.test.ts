import { describe, expect, it } from "vitest";
import { formatNotes } from "../../src/operations/note.ts";
import { describePeriod, type Period, periodHeadline } from "../../src/operations/period.ts";

const week: Period = {
  from: "2026-11-15",
  to: "2026-11-21",
  days: 7,
  timezone: "Europe/Berlin",
  partial: true,
  complete_through: "2026-11-20",
  as_of: "2026-11-21T05:05:10+01:00",
};

describe("a period in words", () => {
  it.each([
    ["several days", {}, "a.test, 2026-11-15 to 2026-11-21 (7 days, Europe/Berlin)"],
    ["one day", { from: week.to, days: 1 }, "a.test, 2026-11-21 (1 day, Europe/Berlin)"],
  ])("names its days: %s", (_, change, headline) => {
    expect(periodHeadline("a.test", { ...week, ...change })).toBe(headline);
  });

  it.each([
    ["today", {}, "Today, Saturday, is incomplete (data to 05:05)."],
    ["whole days", { partial: false }, "As of 2026-11-21T05:05:10+01:00."],
    [
      "a time of another day",
      { as_of: "2026-11-22T00:00:00+01:00" },
      "Today, Saturday, is incomplete (data to 2026-11-22T00:00:00+01:00).",
    ],
  ])("shows how complete it is: %s", (_, change, note) => {
    const { notes, warnings } = describePeriod({ ...week, ...change }, undefined);
    expect(formatNotes([...warnings, ...notes], "models")).toEqual([note]);
  });

  it("writes the counts of computed numbers as the reader does, and no date", () => {
    const warnings = [
      { code: "subtracted", detail: "There are 12345 to 12347." },
      { code: "provisional", detail: "From 2026-11-20, 12345 may change." },
    ];
    const described = describePeriod({ ...week, partial: false }, warnings).warnings;
    expect(formatNotes(described, "people", (value) => value.toLocaleString("en"))).toEqual([
      "There are 12,345 to 12,347.",
      "From 2026-11-20, 12345 may change.",
    ]);
    expect(formatNotes(described, "models")[0]).toBe("There are 12345 to 12347.");
  });

  it("includes its warnings", () => {
    const warnings = [{ code: "before_data_since", detail: "There were no data yet." }];
    const described = describePeriod(week, warnings);
    expect(described).toEqual({ notes: [], warnings: [expect.any(String), "There were no data yet."] });
  });
});
