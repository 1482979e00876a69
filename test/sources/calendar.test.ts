import fc from "fast-check";
import { Temporal } from "temporal-polyfill";
import { describe, expect, it } from "vitest";
import { addDays } from "../../src/operations/days.ts";
import { dateAt, formatInstant, listHours, offsetAt, startOfDay } from "../../src/sources/calendar.ts";
import { IS_LONG } from "../support/seed.ts";

const zones = Intl.supportedValuesOf("timeZone");
const zone = fc.constantFrom(
  ...zones,
  "Asia/Kathmandu",
  "Australia/Lord_Howe",
  "Africa/Cairo",
  "America/Havana",
);
const instant = fc
  .integer({ min: Date.parse("2015-01-01T00:00:00Z"), max: Date.parse("2035-01-01T00:00:00Z") })
  .map((ms) => Math.floor(ms / 1000) * 1000);

const RUNS = IS_LONG ? 20_000 : 600;

const at = (ms: number, timezone: string) =>
  Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(timezone);

describe("the calendar agrees with Temporal in every IANA zone", () => {
  it("on offsets, dates and timestamps", () => {
    fc.assert(
      fc.property(instant, zone, (ms, timezone) => {
        const zoned = at(ms, timezone);
        expect(offsetAt(ms, timezone)).toBe(zoned.offsetNanoseconds / 1e6);
        expect(dateAt(ms, timezone)).toBe(zoned.toPlainDate().toString());
        expect(Date.parse(formatInstant(ms, timezone))).toBe(ms);
        expect(formatInstant(ms, timezone).slice(0, 19)).toBe(
          zoned.toPlainDateTime().toString({ smallestUnit: "second" }),
        );
      }),
      { numRuns: RUNS },
    );
  });

  it("on the start of a day", () => {
    fc.assert(
      fc.property(instant, zone, (ms, timezone) => {
        const day = at(ms, timezone).startOfDay();
        expect(startOfDay(day.toPlainDate().toString(), timezone)).toBe(day.epochMilliseconds);
      }),
      { numRuns: RUNS },
    );
  });

  it.each([
    ["spring forward", "Europe/Berlin", "2026-03-29", 23],
    ["fall back", "Europe/Berlin", "2026-10-25", 25],
    ["half an hour", "Australia/Lord_Howe", "2026-10-04", 23.5],
    ["midnight is skipped", "Africa/Cairo", "2026-04-24", 23],
    ["midnight is skipped", "America/Santiago", "2026-09-06", 23],
    ["midnight comes twice", "America/Havana", "2026-11-01", 25],
    ["no change", "Asia/Kathmandu", "2026-03-29", 24],
  ])("%s in %s on %s makes a day of %d hours", (_, timezone, date, hours) => {
    const length = startOfDay(addDays(date, 1), timezone) - startOfDay(date, timezone);
    expect(length / 3_600_000).toBe(hours);
    expect(dateAt(startOfDay(date, timezone), timezone)).toBe(date);
    expect(dateAt(startOfDay(date, timezone) - 1, timezone)).toBe(addDays(date, -1));
  });

  it("a day that has begun goes on if the clocks go back over midnight", () => {
    const [midnight, timezone] = [Date.parse("2010-11-07T02:30:00Z"), "America/St_Johns"];
    const dates = [-1, 0, 60, 3_599, 3_660, 3_661].map((second) =>
      dateAt(midnight + second * 1000, timezone),
    );
    expect(dates).toEqual(["2010-11-06", ...Array(5).fill("2010-11-07")]);
  });

  it.each([
    ["Africa/Monrovia", "1970-06-01T12:00:00Z", "1970-06-01T11:16:00-00:44"],
    ["America/Argentina/San_Luis", "1911-06-30T00:05:00Z", "1911-06-29T19:48:00-04:17"],
  ])("a timestamp of %s, whose offset had seconds, is the same instant", (timezone, instant, text) => {
    expect(formatInstant(Date.parse(instant), timezone)).toBe(text);
    expect(Date.parse(text)).toBe(Date.parse(instant));
  });

  it("a date that a zone skipped has no length", () => {
    expect(startOfDay("2011-12-30", "Pacific/Apia")).toBe(startOfDay("2011-12-31", "Pacific/Apia"));
  });

  it("on hours, each of which shows one date, hour and offset", () => {
    const show = (ms: number, timezone: string) => {
      const zoned = at(ms, timezone);
      return `${zoned.toPlainDate()} ${zoned.hour} ${zoned.offset}`;
    };
    fc.assert(
      fc.property(instant, zone, (ms, timezone) => {
        const date = dateAt(ms, timezone);
        const starts = listHours(date, date, timezone);
        const end = startOfDay(addDays(date, 1), timezone);
        expect(starts[0]).toBe(startOfDay(date, timezone));
        for (const [index, start] of starts.entries()) {
          const next = starts[index + 1] ?? end;
          expect(show(next - 1000, timezone)).toBe(show(start, timezone));
          expect(show(next, timezone)).not.toBe(show(start, timezone));
        }
      }),
      { numRuns: RUNS / 4 },
    );
  });

  it.each([
    ["Europe/Berlin", "2026-03-29", 23, ["01:00:00+01:00", "03:00:00+02:00"]],
    ["Europe/Berlin", "2026-10-25", 25, ["02:00:00+02:00", "02:00:00+01:00", "03:00:00+01:00"]],
    ["Australia/Lord_Howe", "2026-10-04", 24, ["01:00:00+10:30", "02:30:00+11:00", "03:00:00+11:00"]],
    ["Australia/Lord_Howe", "2026-04-05", 25, ["01:00:00+11:00", "01:30:00+10:30", "02:00:00+10:30"]],
    ["Asia/Kathmandu", "2026-03-29", 24, ["00:00:00+05:45", "01:00:00+05:45"]],
    // The clock goes back over midnight, to the date before.
    ["America/St_Johns", "2010-11-07", 26, ["00:00:00-02:30", "23:01:00-03:30", "00:00:00-03:30"]],
    ["Pacific/Apia", "2011-12-30", 0, []],
  ])("%s on %s has %i hours", (timezone, date, count, some) => {
    const hours = listHours(date, date, timezone).map((hour) => formatInstant(hour, timezone).slice(11));
    expect(hours).toHaveLength(count);
    expect(hours.join(" ")).toContain(some.join(" "));
  });
});
