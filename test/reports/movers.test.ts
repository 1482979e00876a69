import { describe, expect, it } from "vitest";
import type { Call } from "../../src/operations/call.ts";
import { findNext, formatNotes } from "../../src/operations/note.ts";
import { once } from "../../src/operations/schemas.ts";
import { listNotes } from "../../src/operations/view.ts";
import { compare } from "../../src/reports/compare.ts";
import { findMovers } from "../../src/reports/compare-answer.ts";
import { noteRest } from "../../src/reports/movers.ts";
import { type Breakdown, countBySubtraction } from "../../src/reports/window-counts.ts";
import { createMeasure } from "../../src/reports/windows.ts";
import { createLocalCall } from "../../src/sources/local-call.ts";
import { NOW } from "../support/api.ts";
import { pick } from "../support/seed.ts";
import { createWideSource, drawRows, type Wide, type WideRow } from "../support/wide-source.ts";

describe("movers", () => {
  const rank = (rows: Record<string, number>, truncated = false): Breakdown =>
    ({
      rows: Object.entries(rows).map(([value, visitors]) => ({
        value,
        label: value,
        visitors,
        percentage: 1,
      })),
      truncated,
      period: { days: 1 },
      total_rows: Object.keys(rows).length + (truncated ? 5 : 0),
    }) as Breakdown;
  type Spans = Record<"whole" | "recent" | "today", Breakdown>;
  const window = { from: "2026-11-20", to: "2026-11-20", days: 1, visitors: 1, pageviews: 1 };
  const alike = { comparable: true, lacksDays: false, covered: { current: 1, previous: 1 } };
  const find = ({ whole, recent, today }: Spans, drift = 0) => {
    const long = { ...whole, period: { ...whole.period, days: 3 } };
    const lists = { afterPrevious: recent, sinceCurrent: recent, afterCurrent: today };
    const counts = countBySubtraction({ sincePrevious: long, ...lists }, drift);
    return findMovers(counts, createMeasure(window, window, alike), 10).shown;
  };

  it("are ranked by absolute change, not by percentage", () => {
    const movers = find({
      whole: rank({ a: 310, b: 40, c: 8 }),
      recent: rank({ a: 190, b: 15, c: 7 }),
      today: rank({ a: 20 }),
    });
    expect(
      movers.map(({ label, current, previous, change }) => [label, current, previous, change?.absolute]),
    ).toEqual([
      ["a", 170, 120, 50],
      ["b", 15, 25, -10],
      ["c", 7, 1, 6],
    ]);
  });

  it("an uncertain change counts by the least that it can be", () => {
    const movers = find({
      whole: rank({ new: 250, known: 104, lost: 100, steady: 80, other: 33 }),
      recent: rank({ new: 250, known: 54, steady: 40, other: 33 }),
      today: rank({ other: 33 }, true),
    });
    expect(movers.map(({ label, change, bounds }) => [label, change?.absolute, bounds?.change])).toEqual([
      ["new", undefined, { least: 217, most: 250 }],
      ["lost", -100, undefined],
    ]);
  });

  it("any value can be among those that the service folded into one row", () => {
    const whole = rank({ a: 90 });
    const folded = { value: null, label: "(other)", visitors: 5, percentage: 1, other: true as const };
    const [mover] = find({
      whole: { ...whole, rows: [...whole.rows, folded] },
      recent: rank({ a: 20 }),
      today: rank({}),
    });
    expect(mover?.bounds).toMatchObject({
      current: { least: 20, most: 20 },
      previous: { least: 70, most: 75 },
    });
  });

  it("a value missing from a complete list is 0", () => {
    const [gone] = find({ whole: rank({ a: 9 }), recent: rank({}), today: rank({}) });
    expect(gone).toMatchObject({ current: 0, previous: 9, change: { absolute: -9, percent: -100 } });
  });

  it("a value missing from a cut-off list has at most the visitors of its last row", () => {
    const movers = find({
      whole: rank({ a: 90, b: 50 }, true),
      recent: rank({ c: 40, a: 10 }, true),
      today: rank({}),
    });
    expect(movers).toEqual([
      { value: "a", label: "a", current: 10, previous: 80, change: { absolute: -70, percent: -87.5 } },
      {
        value: "b",
        label: "b",
        current: null,
        previous: null,
        change: null,
        bounds: {
          current: { least: 0, most: 10 },
          previous: { least: 40, most: 50 },
          change: { least: -50, most: -30 },
        },
      },
      {
        value: "c",
        label: "c",
        current: 40,
        previous: null,
        change: null,
        bounds: {
          current: { least: 40, most: 40 },
          previous: { least: 0, most: 10 },
          change: { least: 30, most: 40 },
        },
      },
    ]);
  });

  it("a value has no more visitors in few days than in many, nor fewer than in one of them", () => {
    const movers = find({
      whole: rank({ high: 90, low: 60 }, true),
      recent: rank({ high: 45 }, true),
      today: rank({ low: 44 }),
    });
    expect(movers).toMatchObject([
      {
        label: "low",
        bounds: {
          current: { least: 0, most: 1 },
          previous: { least: 15, most: 16 },
          change: { least: -16, most: -14 },
        },
      },
    ]);
  });

  it("have a stable order: least possible change, then greatest, then label", () => {
    const alike = { whole: rank({ b: 3, c: 3, a: 3 }), recent: rank({}), today: rank({}) };
    expect(find(alike).map(({ label }) => label)).toEqual(["a", "b", "c"]);
    const open = {
      whole: rank({ a: 90, b: 50, c: 40, z: 20 }),
      recent: rank({ b: 50, a: 30, z: 20 }),
      today: rank({ z: 20 }, true),
    };
    expect(find(open).map(({ label }) => label)).toEqual(["c", "a", "b"]);
  });

  it("a list cut off before its first row gives no upper bound", () => {
    const spans = { whole: rank({ a: 9 }), recent: rank({ a: 2 }), today: rank({}, true) };
    expect(find(spans)[0]?.bounds?.current).toEqual({ least: 0, most: 2 });
  });

  it("a negative difference is an error, never clamped", () => {
    const spans = { whole: rank({ a: 5 }), recent: rank({ a: 9 }), today: rank({}) };
    const contradiction = expect.objectContaining({
      code: "bad_answer",
      message: 'The service\'s breakdowns contradict each other: "a" has fewer visitors over more days.',
      hint: "Nothing was compared, because the numbers would be wrong. Report it to the service's operator.",
    });
    for (const drift of [0, 3]) expect(() => find(spans, drift)).toThrow(contradiction);
    expect(find(spans, 4)[0]).toMatchObject({ previous: 0 });
    expect(find(spans, 5)[0]).toMatchObject({
      previous: null,
      bounds: { previous: { least: 0, most: 1 } },
    });
  });
});

describe.each<[number, Wide]>([
  [900, "both"],
  [1_001, "both"],
  [1_001, "later"],
  [1_001, "earlier"],
  [5_000, "both"],
  [5_000, "later"],
  [5_000, "earlier"],
  ...pick<Wide>(["both", "later", "earlier"], 1).map((wide): [number, Wide] => [50_000, wide]),
])("a site with %d pages in the windows: %s", (count, wide) => {
  const seeds = count > 10_000 ? ["a"] : pick(["a", "b", "c", "d", "e", "f"], 2);
  const cases = seeds.flatMap((seed) => {
    const openSite = once(() => {
      const rows = drawRows(`${seed} ${count} ${wide}`, count, wide);
      return { rows, source: createWideSource(rows), readLists: createLists(rows) };
    });
    return [[seed, "subtracted", false, openSite] as const, [seed, "read directly", true, openSite] as const];
  });
  it.each(cases)("seed %s, %s", async (_seed, _way, isDirect, openSite) => {
    const { rows, source, readLists } = openSite();
    const direct = createLocalCall(
      async () => source,
      () => NOW,
    );
    // Without spans, the windows are subtracted from lists until today.
    const call: Call = (operation, params, options) => direct(operation, params, options);
    const answer = await compare.compute(
      isDirect ? direct : call,
      { site: "wide.test", days: 1, dimension: "pages" },
      {},
    );
    const [group] = answer.dimensions;
    if (!group) throw new Error("There is no group.");
    const { movers, more } = group;
    const truth = new Map(rows.map((row) => [row.value, row]));
    const changeOf = ({ visitors: [, yesterday, before] }: WideRow) => yesterday - before;

    for (const { value, current, previous, change, bounds } of movers) {
      const [, yesterday, before] = truth.get(value ?? "")?.visitors ?? [];
      expectWithin(yesterday, bounds?.current ?? { least: current, most: current });
      expectWithin(before, bounds?.previous ?? { least: previous, most: previous });
      const { absolute } = change ?? { absolute: null };
      expectWithin((yesterday ?? 0) - (before ?? 0), bounds?.change ?? { least: absolute, most: absolute });
    }

    // Nothing that certainly moved farther is missing: computed here from nothing but the lists, value by value.
    const least = (value: string) => leastChange(...readLists(value));
    const shown = new Set(movers.map(({ value }) => value));
    const lowest = Math.min(...movers.map(({ value }) => least(value ?? "")));
    const hidden = rows.filter(({ value }) => !shown.has(value));
    expect(movers).toHaveLength(10);
    if (!isDirect) {
      expect(Math.max(...hidden.map(({ value }) => least(value)))).toBeLessThanOrEqual(lowest);
    }

    const moved = hidden.filter((row) => changeOf(row) !== 0);
    expect(more.count).toBeGreaterThanOrEqual(moved.length);
    expect(more.count).toBeLessThanOrEqual(hidden.length);
    expect(more.most).toBeGreaterThanOrEqual(Math.max(...moved.map((row) => Math.abs(changeOf(row)))));
    const notes = formatNotes(listNotes(compare.views(answer)), "models");
    const words = group.cut_off ? "may have changed" : "changed";
    expect(notes).toContain(`pages: ${more.count} more ${words}, by at most ${more.most} visitors each.`);
    if (!group.cut_off) expect(more.count).toBe(moved.length);
    expect(group.cut_off).toBe(count > 1_000);
  });
});

interface Range {
  least: number | null;
  most: number | null;
}

function expectWithin(value: number | undefined, { least, most }: Range) {
  expect(value).toBeGreaterThanOrEqual(least ?? Number.NaN);
  expect(value).toBeLessThanOrEqual(most ?? Number.NaN);
}

type Known = readonly [least: number, most: number];

/** What the three lists of a thousand rows say about a value: today, with yesterday, and with the day before. */
function createLists(rows: readonly WideRow[]) {
  const lists = [1, 2, 3].map((days) => {
    const all = rows
      .map(({ value, visitors }) => ({ value, sum: visitors.slice(0, days).reduce((a, b) => a + b) }))
      .filter(({ sum }) => sum > 0)
      .sort((a, b) => b.sum - a.sum || (a.value < b.value ? -1 : 1));
    const listed = new Map(all.slice(0, 1_000).map(({ value, sum }) => [value, sum]));
    return { listed, rest: all.length > 1_000 ? (all[999]?.sum ?? 0) : 0 };
  });
  return (value: string) =>
    lists.map(({ listed, rest }): Known => {
      const sum = listed.get(value);
      return sum === undefined ? [0, rest] : [sum, sum];
    }) as [Known, Known, Known];
}

/** The least change that fits what is known, found by trying every count of the two days up to today. */
function leastChange(today: Known, recent: Known, whole: Known): number {
  let least = Number.POSITIVE_INFINITY;
  for (let count = recent[0]; count <= recent[1]; count++) {
    const current = [count - Math.min(today[1], count), count - today[0]] as const;
    const previous = [Math.max(whole[0], count) - count, whole[1] - count] as const;
    if (current[1] < 0 || previous[1] < 0) continue;
    least = Math.min(least, Math.max(0, current[0] - previous[1], previous[0] - current[1]));
  }
  return least;
}

describe("the order of movers", () => {
  const rows: WideRow[] = [
    { value: "/rose", visitors: [0, 90, 10] },
    { value: "/fell", visitors: [0, 10, 60] },
    { value: "/fell-less", visitors: [0, 10, 20] },
    { value: "/rose-less", visitors: [0, 15, 10] },
  ];
  const call = createLocalCall(
    async () => createWideSource(rows),
    () => NOW,
  );
  it.each([
    [{}, ["/rose", "/fell", "/fell-less", "/rose-less"], 0],
    [{ order: "losses" as const }, ["/fell", "/fell-less", "/rose", "/rose-less"], 0],
    [{ order: "gains" as const }, ["/rose", "/rose-less", "/fell", "/fell-less"], 0],
    [{ order: "losses" as const, limit: 2 }, ["/fell", "/fell-less"], 2],
  ])("with %j", async (params, expected, hidden) => {
    const given = { site: "wide.test", days: 1, dimension: "pages" as const, ...params };
    const { dimensions } = await compare.compute(call, given, {});
    expect(dimensions[0]?.movers.map(({ label }) => label)).toEqual(expected);
    expect(dimensions[0]?.more.count).toBe(hidden);
  });
});

it("one value that is not shown is named as one", () => {
  const rest = (dimension: string, count: number) => ({
    dimension,
    drift: 0,
    cut_off: false,
    movers: [],
    more: { count, most: 1 },
  });
  const notes = noteRest([rest("pages", 1), rest("countries", 1), rest("referrers", 2)]);
  expect(formatNotes(notes, "people")).toEqual([
    "Not shown: 1 page, 1 country and 2 referrers that changed less.",
  ]);
  expect(notes.map(findNext)).toContainEqual({
    why: "To list more of them",
    name: "compare",
    params: { dimension: "pages" },
  });
});
