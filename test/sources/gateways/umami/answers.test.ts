import { expect, it } from "vitest";
import { dateRange, expanded, stats } from "../../../../src/sources/gateways/umami/answers.ts";

it.each([
  ["2026-03-29T00:44:32.000Z", "2026-03-29T00:44:32.000Z"],
  // ClickHouse's.
  ["2026-03-29 00:44:32", "2026-03-29T00:44:32.000Z"],
  ["2026-03-29 00:44:32.123", "2026-03-29T00:44:32.123Z"],
  ["1970-01-01 00:00:00", null],
  [null, null],
])("the first data of a site: %s", (startDate, expected) => {
  const { startDate: found } = dateRange.parse({ startDate });
  expect(found === null ? null : new Date(found).toISOString()).toBe(expected);
});

it("takes sums as numbers or digits, by the database", () => {
  expect(stats.parse({ visitors: 2, pageviews: "40" })).toEqual({ visitors: 2, pageviews: 40 });
  for (const wrong of ["", "4.5", "-1", "1e3", " 4", "9".repeat(16), -1, 1.5, null])
    expect(stats.safeParse({ visitors: 2, pageviews: wrong }).success).toBe(false);
});

it("does not need what it does not read", () => {
  const row = { name: "/", pageviews: "1", visitors: 1, visits: null, totaltime: "0", y: null };
  expect(expanded.parse([row])).toEqual([{ name: "/", pageviews: 1, visitors: 1 }]);
});
