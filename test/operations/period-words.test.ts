import { describe, expect, it } from "vitest";
import { precedingDays, resolvePeriod } from "../../src/operations/period-words.ts";

const resolve = (period: string, today = "2026-11-22") => {
  const { from, to } = resolvePeriod(period, today);
  return [from, to];
};

describe("a period in words, on Sunday 2026-11-22", () => {
  it.each([
    ["today", "2026-11-22", "2026-11-22"],
    ["yesterday", "2026-11-21", "2026-11-21"],
    ["this_week", "2026-11-16", "2026-11-22"],
    ["last_week", "2026-11-09", "2026-11-15"],
    ["this_month", "2026-11-01", "2026-11-22"],
    ["last_month", "2026-10-01", "2026-10-31"],
    ["this_quarter", "2026-10-01", "2026-11-22"],
    ["last_quarter", "2026-07-01", "2026-09-30"],
    ["this_year", "2026-01-01", "2026-11-22"],
    ["last_year", "2025-01-01", "2025-12-31"],
    ["last_7_days", "2026-11-15", "2026-11-21"],
    ["last_1_day", "2026-11-21", "2026-11-21"],
    ["7d", "2026-11-15", "2026-11-21"],
    ["last-week", "2026-11-09", "2026-11-15"],
    ["Last Week", "2026-11-09", "2026-11-15"],
    ["2026-11-15", "2026-11-15", "2026-11-15"],
    ["2026-11", "2026-11-01", "2026-11-22"],
    ["2026-10", "2026-10-01", "2026-10-31"],
    ["2026", "2026-01-01", "2026-11-22"],
    ["2026-11-01/2026-11-15", "2026-11-01", "2026-11-15"],
    ["2026-09/2026-10", "2026-09-01", "2026-10-31"],
    ["2026-10/2026-11", "2026-10-01", "2026-11-22"],
    ["2026-11-20/today", "2026-11-20", "2026-11-22"],
  ])("%s", (period, from, to) => expect(resolve(period)).toEqual([from, to]));
});

describe("at the edges of the calendar", () => {
  it.each([
    ["this_week", "2026-11-16", "2026-11-16", "2026-11-16"],
    ["last_week", "2026-11-16", "2026-11-09", "2026-11-15"],
    ["this_week", "2027-01-01", "2026-12-28", "2027-01-01"],
    ["last_week", "2027-01-04", "2026-12-28", "2027-01-03"],
    ["last_month", "2026-03-31", "2026-02-01", "2026-02-28"],
    ["last_month", "2028-03-01", "2028-02-01", "2028-02-29"],
    ["last_month", "2027-01-15", "2026-12-01", "2026-12-31"],
    ["last_quarter", "2027-01-01", "2026-10-01", "2026-12-31"],
    ["last_year", "2027-01-01", "2026-01-01", "2026-12-31"],
    ["2028-02", "2028-04-01", "2028-02-01", "2028-02-29"],
    ["2026-11", "2026-11-30", "2026-11-01", "2026-11-30"],
    ["2026-11", "2026-11-01", "2026-11-01", "2026-11-01"],
  ])("%s on %s", (period, today, from, to) => expect(resolve(period, today)).toEqual([from, to]));
});

it.each([
  ["2026-11-23", "must not be in the future: today at the site is 2026-11-22"],
  ["2026-12", "must not be in the future: today at the site is 2026-11-22"],
  ["2026-11-01/2026-11-23", "must not be in the future: today at the site is 2026-11-22"],
  ["2026-11-15/2026-11-01", "ends on 2026-11-01, before it begins on 2026-11-15"],
  ...[
    "",
    "week",
    "last_0_days",
    "0d",
    "2026-02-30",
    "2026-13",
    "26-11",
    "2026-11-1",
    "last_week/2026-11-01",
  ].map((period): [string, string] => [period, "must be today, yesterday, this_week"]),
  ["2026-01-01/2026-02-01/2026-03-01", "must be today"],
])("%j is refused", (period, detail) => {
  expect(() => resolve(period)).toThrow(
    expect.objectContaining({
      code: "invalid_parameter",
      message: expect.stringContaining(`period ${detail}`),
    }),
  );
});

describe("what a period is compared with", () => {
  it.each([
    ["this_week", "2026-11-16", "2026-11-21", "2026-11-09", "2026-11-14"],
    ["this_month", "2026-11-01", "2026-11-21", "2026-10-01", "2026-10-21"],
    ["this_month", "2026-03-01", "2026-03-30", "2026-02-01", "2026-02-28"],
    ["last_month", "2026-10-01", "2026-10-31", "2026-09-01", "2026-09-30"],
    ["2026-10", "2026-10-01", "2026-10-31", "2026-09-01", "2026-09-30"],
    ["last_week", "2026-11-09", "2026-11-15", "2026-11-02", "2026-11-08"],
    ["last_7_days", "2026-11-15", "2026-11-21", "2026-11-08", "2026-11-14"],
    ["yesterday", "2026-11-21", "2026-11-21", "2026-11-20", "2026-11-20"],
    ["last_year", "2025-01-01", "2025-12-31", "2024-01-02", "2024-12-31"],
    ["2026-11-01/2026-11-15", "2026-11-01", "2026-11-15", "2026-10-17", "2026-10-31"],
  ])("%s from %s to %s", (period, from, to, start, end) => {
    expect(precedingDays(period, { from, to })).toEqual({ from: start, to: end });
  });
});
