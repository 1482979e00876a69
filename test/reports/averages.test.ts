import { expect, it } from "vitest";
import { findQuery } from "../../src/reports/queries.ts";
import { createLocalCall } from "../../src/sources/local-call.ts";
import { NOW } from "../support/api.ts";
import { createWideSource } from "../support/wide-source.ts";

interface Compared {
  change: { visitors: { absolute: number } };
  dimensions: { movers: { change: { absolute: number } }[] }[];
}

// The 20th of November against days that end with it. The site had visitors on the 20th and the 19th alone.
it.each([
  ["a rise of a quarter", 2, "2026-11-17/2026-11-20", 0.3],
  ["a fall of a quarter", 4, "2026-11-17/2026-11-20", -0.3],
  ["a fall too small to show", 32, "2026-10-20/2026-11-20", 0],
])("of averages, %s is rounded away from zero, and never to -0", async (_, before, against, expected) => {
  const rows = [{ value: "/", visitors: [0, 1, before] as const }];
  const call = createLocalCall(
    async () => createWideSource(rows),
    () => NOW,
  );
  const params = { site: "wide.test", days: 7, period: "2026-11-20", against, dimension: "pages" };
  const { result } = await findQuery("compare").ask(call, params, {});
  const { change, dimensions } = result as unknown as Compared;
  expect(change.visitors.absolute).toBe(expected);
  const moved = dimensions[0]?.movers.map((mover) => mover.change.absolute);
  expect(moved).toEqual(expected === 0 ? [] : [expected]);
});
