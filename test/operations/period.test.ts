import { describe, expect, it } from "vitest";
import { formatNotes } from "../../src/operations/note.ts";
import { describePeriod, type Period, periodHeadline } from "../../src/operations/period.ts";
import { warnOfSubtraction } from "../../src/operations/warning.ts";

const week: Period = {
  from: "2026-11-15",
  to: "2026-11-21",
  days: 7,
  timezone: "Europe/Berlin",
  partial: true,
  complete_through: "2026-11-20",
  as_of: "2026-11-21T05:05:10+01:00",
};

const about = { site: { domain: "a.test" } };

describe("a period in words", () => {
  it.each([
    ["several days", {}, "a.test, 2026-11-15 to 2026-11-21 (7 days, today included, Europe/Berlin)"],
    ["one day", { from: week.to, days: 1 }, "a.test, 2026-11-21 (1 day, Europe/Berlin)"],
    [
      "days that are over",
      { partial: false },
      "a.test, 2026-11-15 to 2026-11-21 (7 complete days, Europe/Berlin)",
    ],
  ])("names its days: %s", (_, change, headline) => {
    expect(periodHeadline({ ...about, period: { ...week, ...change } })).toBe(headline);
  });

  it.each<[string, string, boolean, string]>([
    ["none before the data begins", "before_data_since", false, "no data"],
    ["those since the data begins", "before_data_since", true, "4 of 7 days with data, today included"],
    ["those until the data ends", "stale", true, "4 of 7 days with data"],
    ["a day that the data begins in", "partial_first_day", false, "7 days"],
    ["those beside a gap", "gap", false, "5 of 7 days with data"],
  ])("states the days that were counted: %s", (_, code, partial, counted) => {
    const values = {
      data_since: partial ? "2026-11-18" : "2026-11-22",
      data_until: "2026-11-18",
      ...{ from: "2026-11-16", to: "2026-11-18", days: 2 },
    };
    const period = { ...week, partial };
    expect(periodHeadline({ ...about, period, warnings: [{ code, detail: "", values }] })).toBe(
      `a.test, 2026-11-15 to 2026-11-21 (${counted}, Europe/Berlin)`,
    );
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

  it("writes the counts of computed numbers as the reader does, and reads none out of a sentence", () => {
    const warnings = [
      warnOfSubtraction({ events: 12_345, events_at_most: 12_347 }),
      warnOfSubtraction({ row_limit: 1_000 }),
      warnOfSubtraction({ more_rows: 1_204 }),
      { code: "subtracted", detail: "There are 12345 to 12347." },
      { code: "subtracted", detail: "There are 12345.", values: { events: "12345" } },
      { code: "late", detail: "From 2026-11-20, 12345 may change." },
    ];
    const described = describePeriod({ ...week, partial: false }, warnings).warnings;
    expect(formatNotes(described, "people", (value) => value.toLocaleString("en"))).toEqual([
      "Events arrived while they were read: there are 12,345 to 12,347.",
      "The service did not list all rows, so rows with few visitors may be missing.",
      "1,204 more rows may have had visitors in these days.",
      "There are 12345 to 12347.",
      "There are 12345.",
      "From 2026-11-20, 12345 may change.",
    ]);
    expect(formatNotes(described, "models")).toEqual(warnings.map(({ detail }) => detail));
  });

  it("calls it a note that yesterday can still grow", () => {
    const warnings = [{ code: "provisional", detail: "It can grow." }];
    const described = describePeriod({ ...week, partial: false }, warnings);
    expect(described).toEqual({ notes: ["It can grow.", expect.anything()], warnings: [] });
  });

  it("includes its warnings", () => {
    const warnings = [{ code: "before_data_since", detail: "There were no data yet." }];
    const described = describePeriod(week, warnings);
    expect(described).toEqual({ notes: [], warnings: [expect.any(String), "There were no data yet."] });
  });
});
