import { describe, expect, it } from "vitest";
import { formatNotes } from "../../src/operations/note.ts";
import { listNotes } from "../../src/operations/view.ts";
import type { Comparison } from "../../src/reports/compare.ts";
import { compare } from "../../src/reports/compare.ts";
import { findQuery, queries } from "../../src/reports/queries.ts";

const window = (from: string, to: string) => ({ from, to, days: 1, visitors: 900, pageviews: 1_800 });
const change = { absolute: 0, percent: 0 };
const calm: Comparison = {
  site: { id: "1", domain: "a.test" },
  timezone: "Europe/Berlin",
  as_of: "2026-11-21T05:05:10+01:00",
  current: window("2026-11-20", "2026-11-20"),
  previous: window("2026-11-13", "2026-11-13"),
  change: { visitors: change, pageviews: { absolute: -7, percent: -0.4 } },
  small_sample: false,
  comparable: true,
  dimensions: [],
};
const group = (given: Partial<Comparison["dimensions"][number]>) => ({
  ...calm,
  dimensions: [
    { dimension: "pages", drift: 0, cut_off: false, movers: [], more: { count: 0, most: 0 }, ...given },
  ],
});

describe("a comparison as tables", () => {
  it("has both windows", () => {
    expect(compare.views(calm)).toMatchObject([
      {
        headline: "a.test, 2026-11-20 compared with 2026-11-13 (Europe/Berlin)",
        rows: [
          { label: "visitors", current: 900, previous: 900, change: 0, percent: 0 },
          { label: "page views", current: 1_800, previous: 1_800, change: -7, percent: -0.4 },
        ],
      },
    ]);
    expect(formatNotes(listNotes(compare.views(calm)), "models")).toEqual([
      "Compared with the same weekday a week before.",
      "Today is not over, so it is in neither period.",
      "As of 2026-11-21T05:05:10+01:00.",
    ]);
    expect(formatNotes(listNotes(compare.views(calm)), "people")).toEqual([
      "Compared with the same weekday a week before.",
      "Today is not over, so it is in neither period.",
    ]);
  });

  it("says once that a small count may change by chance, of totals and of rows", () => {
    const mover = (current: number | null, previous: number) => ({
      ...{ value: "/a", label: "/a", current, previous },
      change: { absolute: 7, percent: 233.3 },
    });
    const said = (movers: ReturnType<typeof mover>[], totals = {}) =>
      formatNotes(listNotes(compare.views({ ...group({ movers }), ...totals })), "people").filter((text) =>
        /chance/.test(text),
      );
    const note = "A row with under 100 visitors in each period may have changed by chance.";
    expect(said([mover(3, 10), mover(1, 9)])).toEqual([note]);
    const all = "With under 100 visitors in each period, a change may be due to chance.";
    expect(said([mover(3, 10)], { small_sample: true })).toEqual([all]);
    expect([said([mover(300, 100)]), said([mover(null, 200)])]).toEqual([[], []]);
  });

  it("begins its notes with what changes most how it is read: a terminal shows only a few", () => {
    const missing = [{ dimension: "countries" as const, reason: "not recorded" }];
    const notes = listNotes(compare.views({ ...calm, small_sample: true, missing }));
    const [sample, , lacking] = formatNotes(notes, "people");
    expect([sample, lacking]).toEqual([
      expect.stringContaining("under 100 visitors"),
      "Not compared: countries (not recorded).",
    ]);
  });

  it.each([
    ["2026-11-20", "2026-11-13", true],
    ["2026-11-13", "2026-11-20", true],
    ["2026-10-20", "2026-10-13", false],
  ])(
    "of %s and %s: says that today is left out only where one of them ends before it",
    (current, previous, isSaid) => {
      const compared = { ...calm, current: window(current, current), previous: window(previous, previous) };
      for (const reader of ["models", "people"] as const)
        expect(
          formatNotes(listNotes(compare.views(compared)), reader).some((note) => note.includes("Today")),
        ).toBe(isSaid);
    },
  );

  it.each([
    ["known counts", { current: 3, previous: 5, change: { absolute: -2, percent: -40 } }, [3, 5, -2, -40]],
    ["no percentage", { current: 3, previous: 0, change: { absolute: 3, percent: null } }, [3, 0, 3, null]],
    [
      "a count known only in the current window",
      {
        current: 9,
        previous: null,
        change: null,
        bounds: {
          current: { least: 9, most: 9 },
          previous: { least: 0, most: 4 },
          change: { least: 5, most: 9 },
        },
      },
      [9, "0–4", "5–9 more", null],
    ],
    [
      "a count known only in the previous window",
      {
        current: null,
        previous: 8,
        change: null,
        bounds: {
          current: { least: 0, most: 2 },
          previous: { least: 8, most: 8 },
          change: { least: -8, most: -6 },
        },
      },
      ["0–2", 8, "6–8 fewer", null],
    ],
    ["nothing", { current: null, previous: null, change: null }, [null, null, null, null]],
  ])("has the biggest changes, with %s", (_, mover, [current, previous, absolute, percent]) => {
    const [, view] = compare.views(group({ movers: [{ value: "/", label: "/", ...mover }] }));
    expect(view?.rows).toMatchObject([
      { value: "/", label: "/", current, previous, change: absolute, percent },
    ]);
    expect(view?.notes).toEqual([]);
  });

  it.each([
    [{}, "No pages changed."],
    [{ drift: 1 }, "No pages are known to have changed."],
    [{ drift: 1 }, "Visits arrived while pages were read: each count may be off by 1, and each change by 2."],
    [{ more: { count: 7, most: 4 } }, "pages: 7 more changed, by at most 4 visitors each."],
    [
      { cut_off: true, more: { count: 7, most: 4 } },
      "pages: 7 more may have changed, by at most 4 visitors each.",
    ],
    [{ cut_off: true }, "The service did not list all pages, so some counts are known only as a range."],
  ])("has a note: %j", (given, note) => {
    const [, view] = compare.views(group(given));
    expect(formatNotes(listNotes(view ? [view] : []), "models")).toContain(note);
  });

  it("gives a model the value of a mover, and its label if that is another text", () => {
    const mover = { current: 3, previous: 5, change };
    const movers = [
      { value: "/", label: "/", ...mover },
      { value: "DE", label: "Germany", ...mover },
    ];
    const compact = compare.compact?.(group({ movers }));
    expect(compact).toEqual(group({ movers: [{ value: "/", ...mover } as never, movers[1] as never] }));
  });
});

describe("the queries", () => {
  it.each(queries.map(({ name }) => name))("%s is found by its name", (name) => {
    expect(findQuery(name)).toMatchObject({ name });
  });

  it("an unknown name is an error", () => {
    expect(() => findQuery("weather")).toThrow(new TypeError("There is no query weather."));
  });
});
