import { describe, expect, it } from "vitest";
import { findLoadedToday, fitDefaultDays } from "../../src/reports/default-days.ts";

const TODAY = "2026-11-21";
const defaultDays = { from: "2026-10-22", to: "2026-11-20" };
const describeFit = (since: string, until?: string) => {
  const { days, isShortened, warnings } = fitDefaultDays(defaultDays, { since, until }, TODAY);
  return [days.from, days.to, isShortened, warnings.map(({ code }) => code)];
};

describe("the default days of a source that is loaded day by day", () => {
  it.each([
    ["always has what happened", "2026-01-01", undefined, ["2026-10-22", "2026-11-20", false, []]],
    ["has yesterday", "2026-01-01", "2026-11-20", ["2026-10-22", "2026-11-20", false, []]],
    ["lacks yesterday", "2026-01-01", "2026-11-19", ["2026-10-21", "2026-11-19", false, ["shifted"]]],
    ["lacks two days", "2026-01-01", "2026-11-18", ["2026-10-20", "2026-11-18", false, ["shifted"]]],
    ["has stopped", "2026-01-01", "2026-11-17", ["2026-10-22", "2026-11-20", false, []]],
    ["is new", "2026-11-10", "2026-11-19", ["2026-11-10", "2026-11-19", true, ["shifted", "shortened"]]],
    ["began within the lag", "2026-10-21", "2026-11-19", ["2026-10-21", "2026-11-19", false, ["shifted"]]],
  ])("%s", (_, since, until, expected) => {
    expect(describeFit(since, until)).toEqual(expected);
  });

  it("says how many days it covers", () => {
    const { warnings } = fitDefaultDays(defaultDays, { since: "2026-01-01", until: "2026-11-19" }, TODAY);
    expect(warnings).toEqual([
      {
        code: "shifted",
        detail: "The data ends on 2026-11-19, so this covers the 30 days until then.",
        values: { data_until: "2026-11-19", days: 30 },
      },
    ]);
  });

  it("moves what is compared", () => {
    expect(findLoadedToday({ since: "2026-01-01", until: "2026-11-19" }, TODAY)).toBe("2026-11-20");
    expect(findLoadedToday({ since: "2026-01-01", until: "2026-11-01" }, TODAY)).toBe(TODAY);
    expect(findLoadedToday(undefined, TODAY)).toBe(TODAY);
  });
});
