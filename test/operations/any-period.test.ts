import fc from "fast-check";
import { expect, it } from "vitest";
import { AnalyticsError } from "../../src/errors.ts";
import { resolvePeriod } from "../../src/operations/period-words.ts";
import { anyText } from "../render/any-text.ts";
import { dayList, spanOf, written } from "../support/day-list.ts";

it("a period in any spelling, on any day, is the days that looking at each one finds", () => {
  fc.assert(
    fc.property(written, ({ text, today, days }) => {
      expect(resolvePeriod(text, today.date)).toEqual(spanOf(days));
    }),
    { numRuns: 3_000 },
  );
});

const dates = new Set(dayList.map(({ date }) => date));
const fragment = fc.constantFrom(
  "last",
  "this",
  "_",
  "-",
  " ",
  "/",
  "week",
  "month",
  "day",
  "days",
  "today",
  "yesterday",
  "d",
  "7",
  "0",
  "2026",
  "2028",
  "02",
  "29",
  "30",
  "31",
  "11",
  "-1",
  "+",
  "T00:00",
  "Z",
  "W46",
  "1e3",
  "٧",
  "７",
  "७",
  "\u0000",
  "ｌａｓｔ",
  "\u202e",
  "\u200b",
  ".",
  "–",
  "9999",
  "10000",
  "0000",
  "year",
  "quarter",
  "P7D",
  "--",
  "..",
);
const text = fc.oneof(
  fc.array(fragment, { maxLength: 7 }).map((parts) => parts.join("")),
  anyText(40),
);

it("any other text is refused, never taken for days that it does not name", () => {
  fc.assert(
    fc.property(text, fc.constantFrom(...dayList.slice(11_000, 14_000)), (period, today) => {
      let days: { from: string; to: string };
      try {
        days = resolvePeriod(period, today.date);
      } catch (error) {
        expect(error).toBeInstanceOf(AnalyticsError);
        expect(error).toMatchObject({ code: "invalid_parameter" });
        return;
      }
      expect(dates).toContain(days.from);
      expect(dates).toContain(days.to);
      expect(days.from <= days.to && days.to <= today.date).toBe(true);
    }),
    { numRuns: 5_000 },
  );
});

it.each([
  "last_٧_days",
  "last_７_days",
  "７d",
  "２０２６-１１",
  "2026-1१",
  "ｌａｓｔ_week",
  "last\u200b_week",
  "last–week",
  "last_10000_days",
  "last_-7_days",
  "last_7.0_days",
  "last_1e2_days",
  "last_007_days",
  "-7d",
  "+7d",
  "7",
  "2026-W54",
  "2026-320",
  "20261101",
  "2026-11-01T00:00",
  "+2026-11",
  "P7D",
  "2026-11-01/P7D",
  "2026-11-01/",
  "/2026-11-01",
  "/",
  "2026-11-01--2026-11-03",
  "last__week_",
  "lastwek",
  "2026-00",
  "2026-11-00",
  "2027-02-29",
  "2026-02-29",
  "1900-02-29",
  "0000",
  "0500",
  "1899-12-31",
])("%j is refused", (period) => {
  expect(() => resolvePeriod(period, "2026-11-22")).toThrow(
    expect.objectContaining({ code: "invalid_parameter", status: 400 }),
  );
});
