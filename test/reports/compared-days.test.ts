import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { resolveCompared } from "../../src/reports/compared-days.ts";
import { type Day, dayList, spanOf, type Written, written } from "../support/day-list.ts";

const dayOfMonth = ({ date }: Day) => date.slice(8);

/** What a period is compared with, found by looking at each day. */
function findPreceding({ word }: Written, current: readonly Day[]): readonly Day[] {
  const [first] = current;
  const start = dayList.indexOf(first as Day);
  if (first === undefined) return [];
  if (word === "this_week") return dayList.slice(start - 7, start - 7 + current.length);
  const near = dayList.slice(Math.max(0, start - 190), start + 100);
  if (["monday", "wed", "last_sun"].includes(word)) return dayList.slice(start - 7, start - 6);
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
  const isWholeMonth = current.length === ofMonth.length && current[0] === ofMonth[0];
  const namesMonth = isNamed || word === "last_month" || /^\d{4}-\d\d/.test(word) || /^\d{4}\//.test(word);
  if (isWholeMonth && namesMonth) return monthBefore;
  return dayList.slice(start - current.length, start);
}

const byDate = new Map(dayList.map((day) => [day.date, day]));

/** The same dates a year earlier; February 28 for the 29th. */
const findYearBefore = (current: readonly Day[]) =>
  current.map(({ date, year }) => {
    const same = `${year - 1}${date.slice(4)}`;
    return byDate.get(same) ?? (byDate.get(same.replace("-29", "-28")) as Day);
  });

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
      { numRuns: 2_000 },
    );
  });

  it("year_before is the same dates a year earlier", () => {
    fc.assert(
      fc.property(
        compared,
        fc.constantFrom("year_before", "Year before", " YEAR-BEFORE "),
        (period, against) => {
          const answer = resolveCompared({ days: 7, period: period.text, against }, period.today.date);
          expect(answer.previous).toEqual(spanOf(findYearBefore(period.current)));
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it("days are compared with as many days before them", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 182 }),
        fc.integer({ min: 11_000, max: 20_000 }),
        (days, index) => {
          const answer = resolveCompared({ days }, dayList[index]?.date ?? "");
          expect(answer).toEqual({
            current: spanOf(dayList.slice(index - days, index)),
            previous: spanOf(dayList.slice(index - 2 * days, index - days)),
          });
        },
      ),
      { numRuns: 2_000 },
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
