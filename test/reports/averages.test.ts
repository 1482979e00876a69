import { describe, expect, it } from "vitest";
import { findQuery } from "../../src/reports/queries.ts";
import type { PerDay } from "../../src/reports/windows.ts";
import { createLocalCall } from "../../src/sources/local-call.ts";
import { NOW } from "../support/api.ts";
import { createWideSource, type WideRow } from "../support/wide-source.ts";

interface Compared {
  current: { visitors: number; days_with_data?: number };
  previous: { visitors: number; days_with_data?: number };
  change: { visitors: { absolute: number | null; percent: number | null } };
  per_day?: { visitors: PerDay };
  dimensions: {
    movers: { label: string; per_day: PerDay }[];
    more: { count: number; most_per_day: number };
  }[];
}

/** Compares the 20th of November. The site had visitors on the 19th and the 20th alone. */
async function compare(rows: readonly WideRow[], against: string) {
  const call = createLocalCall(
    async () => createWideSource(rows),
    () => NOW,
  );
  const params = { site: "wide.test", days: 7, period: "2026-11-20", against, dimension: "pages" };
  const { result, views } = await findQuery("compare").ask(call, params, {});
  const columns = views[1]?.columns.filter(({ machine }) => !machine).map(({ label }) => label);
  return { ...(result as unknown as Compared), columns };
}

describe("periods of different lengths", () => {
  it.each([
    ["a rise", 2, "2026-11-17/2026-11-20", { current: 1, previous: 0.75, change: 0.25, percent: 33.3 }],
    ["a fall", 4, "2026-11-17/2026-11-20", { current: 1, previous: 1.3, change: -0.25, percent: -20 }],
    ["a small fall", 32, "2026-10-20/2026-11-20", { current: 1, previous: 1, change: -0.031, percent: -3 }],
  ])("show %s of sums, and of averages by themselves", async (_, before, against, average) => {
    const { current, previous, change, per_day, dimensions, columns } = await compare(
      [{ value: "/", visitors: [0, 1, before] }],
      against,
    );
    expect(change.visitors).toEqual({ absolute: current.visitors - previous.visitors, percent: null });
    expect(per_day?.visitors).toEqual(average);
    expect(dimensions[0]?.movers.map((mover) => mover.per_day)).toEqual([average]);
    expect(columns).toEqual(["pages", "current a day", "previous a day", "change a day", "percent"]);
  });

  it("rank and count by exact averages, however small", async () => {
    const rows = Array.from({ length: 13 }, (_, index) => ({
      value: `/${String.fromCharCode(97 + index)}`,
      visitors: [0, 100, 31 * 100 + index - 6 - 100] as const,
    }));
    const { dimensions } = await compare(rows, "2026-10-21/2026-11-20");
    const [pages] = dimensions;
    // Averages differ by a 31st of a visitor from one page to the next; that of the middle one did not change.
    expect(pages?.movers.map(({ label }) => label).join("")).toBe("/a/m/b/l/c/k/d/j/e/i");
    expect(pages?.more).toEqual({ count: 2, most_per_day: 0.032 });
  });
});
