import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { resolveCompared } from "../../src/reports/compared-days.ts";
import { type Day, dayList, spanOf, type Written, written } from "../support/day-list.ts";
import { IS_LONG } from "../support/seed.ts";

const RUNS = IS_LONG ? 20_000 : 700;

const dayOfMonth = ({ date }: Day) => date.slice(8);

/** What a period is compared with, found by looking at each day. */
function findPreceding({ word }: Written, current: readonly Day[]): readonly Day[] {
  const [first] = current;
  const start = dayList.indexOf(first as Day);
  if (first === undefined) return [];
  if (word === "this_week") return dayList.slice(start - 7, start - 7 + current.length);
  const near = dayList.slice(Math.max(0, start - current.length - 800), start + 400);
  if (["monday", "wed", "last_sun"].includes(word)) return dayList.slice(start - 7, start - 6);
  if (/year$/.test(word) || word === String(first.year)) return findYearOf(near, current);
  if (/quarter|q\d/.test(word)) {
    const before = near.filter((day) => day.units.quarter === first.units.quarter - 1);
    const isWhole = near.filter((day) => day.units.quarter === first.units.quarter).length === current.length;
    return isWhole ? before : before.slice(0, current.length);
  }
  const monthBefore = near.filter((day) => day.units.month === first.units.month - 1);
  const ofMonth = near.filter((day) => day.units.month === first.units.month);
  const isNamed = ["october", "feb", "may_2021"].includes(word);
  if (
    word === "this_month" ||
    ((isNamed || /^\d{4}-\d\d$/.test(word)) && !current.includes(ofMonth.at(-1) as Day))
  ) {
    const numbers = new Set(current.map(dayOfMonth));
    return monthBefore.filter((day) => numbers.has(dayOfMonth(day)));
  }
  if (isNamed || word === "last_month") return monthBefore;
  if (isDated(word) && areWholeMonths(current)) {
    const count = countMonths(current);
    return near.filter(
      ({ units }) => units.month < first.units.month && units.month >= first.units.month - count,
    );
  }
  const back = current.length > 1 && current.length < 7 ? 7 : current.length;
  return dayList.slice(start - back, start - back + current.length);
}

const isDated = (word: string) => /^\d{4}[-/]/.test(word);
const isLast = (day: Day | undefined) =>
  dayList[dayList.indexOf(day as Day) + 1]?.date.endsWith("-01") === true;
const areWholeMonths = (days: readonly Day[]) =>
  days[0]?.date.endsWith("-01") === true && isLast(days.at(-1));
const countMonths = (days: readonly Day[]) => new Set(days.map(({ units }) => units.month)).size;

/** A year before a year: all of it, or as many days of it until the same date. */
function findYearOf(near: readonly Day[], current: readonly Day[]): readonly Day[] {
  const [first, last] = [current[0] as Day, current.at(-1) as Day];
  const before = near.filter(({ year }) => year === first.year - 1);
  return before.filter(({ date }) => date.slice(5) <= last.date.slice(5));
}

/** Of months, quarters and years the same dates a year earlier, and whole ones whole; else the same weekdays. */
function findYearBefore({ word }: Written, current: readonly Day[]): readonly Day[] {
  const [first, last] = [current[0] as Day, current.at(-1) as Day];
  const start = dayList.indexOf(first);
  const isNamed = /month|quarter|year|q\d|october|feb|may_2021/.test(word);
  const isUnit = /^\d{4}(-\d\d)?$/.test(word);
  if (!isNamed && !isUnit && !(isDated(word) && areWholeMonths(current)))
    return dayList.slice(start - 364, start - 364 + current.length);
  const near = dayList.slice(start - 800, start + current.length);
  const months = near.filter(
    ({ units }) => units.month >= first.units.month - 12 && units.month <= last.units.month - 12,
  );
  // A quarter or a year in progress may end with a month.
  const unit = /quarter|q\d/.test(word)
    ? "quarter"
    : /year/.test(word) || word === String(first.year)
      ? "year"
      : "month";
  const isEnd = dayList[dayList.indexOf(last) + 1]?.units[unit] !== last.units[unit];
  return months.filter(
    ({ units, date }) => units.month < last.units.month - 12 || isEnd || date.slice(8) <= last.date.slice(8),
  );
}

/** Periods with a complete day, short enough that the days before are in the list. */
const compared = written
  .map((period) => ({ ...period, current: period.days.filter((day) => day !== period.today) }))
  .filter(({ current }) => current.length > 0 && current.length < 4_000);

describe("on any day, in any spelling", () => {
  it("a period is compared with the days that looking at each one finds", () => {
    fc.assert(
      fc.property(compared, (period) => {
        const answer = resolveCompared({ days: 7, period: period.text }, period.today.date);
        expect(answer).toEqual({
          current: spanOf(period.current),
          previous: spanOf(findPreceding(period, period.current)),
        });
        expect(answer.previous.to < answer.current.from).toBe(true);
        expect(answer.current.to < period.today.date).toBe(true);
      }),
      { numRuns: RUNS },
    );
  });

  it("year_before is the same weekdays 52 weeks earlier, or the same months", () => {
    fc.assert(
      fc.property(
        compared,
        fc.constantFrom("year_before", "Year before", " YEAR-BEFORE "),
        (period, against) => {
          const answer = resolveCompared({ days: 7, period: period.text, against }, period.today.date);
          expect(answer.previous).toEqual(spanOf(findYearBefore(period, period.current)));
        },
      ),
      { numRuns: RUNS },
    );
  });

  it("days are compared with as many days before them, a part of a week with that of the week before", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 182 }),
        fc.integer({ min: 11_000, max: 20_000 }),
        (days, index) => {
          const answer = resolveCompared({ days }, dayList[index]?.date ?? "");
          const back = days > 1 && days < 7 ? 7 : days;
          expect(answer).toEqual({
            current: spanOf(dayList.slice(index - days, index)),
            previous: spanOf(dayList.slice(index - days - back, index - back)),
          });
        },
      ),
      { numRuns: RUNS },
    );
  });
});

describe("a month is not what was asked for, though the days are those of one", () => {
  it.each([
    ["last_30_days", "2026-12-01", "2026-11-01", "2026-11-30", "2026-10-02", "2026-10-31"],
    ["28d", "2027-03-01", "2027-02-01", "2027-02-28", "2027-01-04", "2027-01-31"],
    ["this_quarter", "2026-05-01", "2026-04-01", "2026-04-30", "2026-01-01", "2026-01-30"],
  ])("%s on %s", (period, today, from, to, start, end) => {
    expect(resolveCompared({ days: 7, period }, today)).toEqual({
      current: { from, to },
      previous: { from: start, to: end },
    });
  });
});

describe("a month that is going on is compared like this_month", () => {
  it.each([
    ["2026-11", "2026-11-22", "2026-10-01", "2026-10-21"],
    ["2026-03", "2026-03-31", "2026-02-01", "2026-02-28"],
    ["2028-03", "2028-03-31", "2028-02-01", "2028-02-29"],
  ])("%s on %s", (period, today, from, to) => {
    for (const word of [period, "this_month"])
      expect(resolveCompared({ days: 7, period: word }, today).previous).toEqual({ from, to });
  });
});

describe("periods that people name", () => {
  it.each([
    // A day beside the day before; named by its weekday, beside that of the week before.
    ["yesterday", undefined, "2026-11-25", "2026-11-25"],
    ["tuesday", undefined, "2026-11-17", "2026-11-17"],
    ["yesterday", "year_before", "2025-11-27", "2025-11-27"],
    // Parts of weeks.
    ["last_3_days", undefined, "2026-11-17", "2026-11-19"],
    ["2026-11-21/2026-11-22", undefined, "2026-11-14", "2026-11-15"],
    ["since_monday", undefined, "2026-11-16", "2026-11-19"],
    ["2026-W48", undefined, "2026-11-16", "2026-11-19"],
    ["last_weekend", "year_before", "2025-11-22", "2025-11-23"],
    // Whole weeks, and days that are none.
    ["last_week", "year_before", "2025-11-17", "2025-11-23"],
    ["last_28_days", "year_before", "2025-10-31", "2025-11-27"],
    ["last_10_days", undefined, "2026-11-07", "2026-11-16"],
    // Months, quarters and years.
    ["this_month", "year_before", "2025-11-01", "2025-11-26"],
    ["2026-10-01/2026-10-31", "year_before", "2025-10-01", "2025-10-31"],
    ["2026-09/2026-10", undefined, "2026-07-01", "2026-08-31"],
    ["2025-02", "year_before", "2024-02-01", "2024-02-29"],
    ["last_quarter", "year_before", "2025-07-01", "2025-09-30"],
    ["this_year", undefined, "2025-01-01", "2025-11-26"],
    ["2025", undefined, "2024-01-01", "2024-12-31"],
    // Going on, and the one before by its name: as many of its days. Any other is whole.
    ["this_week", "last_week", "2026-11-16", "2026-11-19"],
    ["2026-W48", "2026-W47", "2026-11-16", "2026-11-19"],
    ["this_month", "october", "2026-10-01", "2026-10-26"],
    ["this_week", "2026-W46", "2026-11-09", "2026-11-15"],
    ["2026-11-23/2026-11-25", "last_week", "2026-11-16", "2026-11-22"],
  ])("%s against %s", (period, against, from, to) => {
    // A Friday.
    expect(resolveCompared({ days: 7, period, against }, "2026-11-27").previous).toEqual({ from, to });
  });
});

it.each([
  ["nonsense", "against must be year_before, today, yesterday"],
  ["2027-01", "against must not be in the future"],
  ["today", "against today has no complete day yet"],
])("a refusal of against %j names it", (against, message) => {
  expect(() => resolveCompared({ days: 7, against }, "2026-11-22")).toThrow(
    expect.objectContaining({
      message: expect.stringContaining(message),
      parameters: [expect.objectContaining({ parameter: "against" })],
    }),
  );
});
