import { describe, expect, it } from "vitest";
import type { Address } from "../../src/view/address.ts";
import { latestDate, readDates } from "../../src/view/dates.ts";

const LATEST = "2026-11-21";

const read = (search: string) => {
  const params = new URLSearchParams(search);
  const given = new Map([...new Set(params.keys())].map((name) => [name, params.getAll(name)]));
  const address: Address = { site: "example.com", page: "conversions", given };
  return readDates(address, LATEST);
};
const givenOf = (search: string) => Object.fromEntries(read(search).address.given);

it("the latest date is that of the timezone that is ahead of all", () => {
  expect(latestDate(Date.UTC(2026, 10, 20, 9, 59))).toBe("2026-11-20");
  expect(latestDate(Date.UTC(2026, 10, 20, 10))).toBe("2026-11-21");
});

describe("the days of an address", () => {
  it.each([
    ["from=2026-11-03&to=2026-11-12", "2026-11-03/2026-11-12"],
    ["from=2026-11-03&to=2026-11-03&days=7", "2026-11-03"],
    ["from=2026-11-03&to=2026-11-21&period=yesteryear", "2026-11-03/2026-11-21"],
  ])("of %s are a period", (search, period) => {
    expect(read(search).isChosen).toBe(true);
    expect(givenOf(search)).toEqual({ period: [period] });
  });

  it.each([
    ["from=2026-11-03", "to", "The last day is missing."],
    ["to=2026-11-03", "from", "The first day is missing."],
    ["from=&to=", "from", "The first day is missing."],
    ["from=11/3/2026&to=2026-11-12", "from", '"11/3/2026" is not a date such as 2026-11-21.'],
    ["from=2026-02-30&to=2026-11-12", "from", '"2026-02-30" is not a date such as 2026-11-21.'],
    ["from=2026-11-12&to=2026-11-03", "to", "The last day, 2026-11-03, is before the first, 2026-11-12."],
    ["from=2026-11-12&to=2026-11-22", "to", "The last day, 2026-11-22, is in the future."],
    ["from=1066-10-14&to=2026-11-03", "from", "The days must not begin before 1900-01-01."],
  ])("of %s are refused, and the period that was there is kept", (search, wrong, fault) => {
    expect(read(`${search}&period=yesterday&goal=g`)).toMatchObject({ wrong, fault });
    expect(givenOf(`${search}&period=yesterday&goal=g`)).toEqual({ period: ["yesterday"], goal: ["g"] });
    expect(givenOf(`${search}&period=yesteryear`)).toEqual({});
  });

  it.each([
    [
      "period=yesteryear",
      '"yesteryear" is not a period: it must be one such as last_week, october, 2026-10 or 2026-11-01/2026-11-15.',
    ],
    [
      "period=2026-11-12/2026-11-03",
      '"2026-11-12/2026-11-03" is not a period: it ends on 2026-11-03, before it begins on 2026-11-12.',
    ],
    ["period=", '"" is not a period: it must not be empty.'],
    ["period=today&period=2026", '"today", "2026" is not a period: it must be given only once.'],
    ["days=many", '"many" is not a number of days: it must be a whole number from 1 to 182.'],
    ["days=7&period=today", "The address has a period and a number of days: one is enough."],
  ])("%s is not taken for one, and says why", (search, fault) => {
    // A wrong filter has its own sentence.
    expect(read(`${search}&filter=x`)).toMatchObject({ fault, from: "", to: "" });
    expect(givenOf(`${search}&filter=x`)).toEqual({ filter: ["x"] });
  });

  it.each([
    ["period=2026-11-03/2026-11-12", "2026-11-03", "2026-11-12"],
    ["period=2026-11-03", "2026-11-03", "2026-11-03"],
    ["period=2026-11", "", ""],
    ["period=2026-11-03/today", "", ""],
    ["days=7", "", ""],
    ["", "", ""],
  ])("%s fills the form with its dates only", (search, from, to) => {
    const dates = read(search);
    expect([dates.from, dates.to, dates.fault]).toEqual([from, to, undefined]);
  });
});
