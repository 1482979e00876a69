import { expect, it } from "vitest";
import { parseFilter } from "../../../src/operations/filter.ts";
import { keepAll } from "../../../src/sources/measure/hit-filter.ts";
import type { HitTable } from "../../../src/sources/measure/hit-table.ts";
import { addSteps, countSteps, createNoSteps } from "../../../src/sources/measure/steps.ts";

const TEXTS = [null, "/a", "/b", "(other)"];

/** Page views of visitors with one visit each, by their pages. */
function tabulate(...visits: number[][]): HitTable {
  const rows = visits.flatMap((pages, visitor) =>
    pages.map((page, at) => ({ visitor: visitor + 1, page, at })),
  );
  return {
    length: rows.length,
    visitors: Uint32Array.from(rows, ({ visitor }) => visitor),
    visits: Uint32Array.from(rows, () => 1),
    times: Uint32Array.from(rows, ({ at }) => at),
    events: new Uint8Array(rows.length),
    column: (dimension) =>
      dimension === "pages"
        ? { numbers: Uint32Array.from(rows, ({ page }) => page), texts: TEXTS }
        : { numbers: new Uint32Array(0), texts: [null] },
  };
}

const [A, B, OTHER] = [1, 2, 3];
const STEPS = [...parseFilter(["pages=/a"]), ...parseFilter(["pages=/b"])];

it("one hit is one step, in order", () => {
  const counts = countSteps(keepAll(tabulate([A, B], [B, A], [B, A, B], [A], [A, A])), STEPS);
  expect(counts).toEqual({ visits: 5, reached: [5, 2], met: [5, 3] });
  const twice = [...parseFilter(["pages=/a"]), ...parseFilter(["pages=*"])];
  expect(countSteps(keepAll(tabulate([A], [A, A], [B, A])), twice).reached).toEqual([3, 1]);
});

it("a page that was folded may be the one that is asked for", () => {
  const counts = countSteps(keepAll(tabulate([A, B], [A, OTHER], [OTHER, B], [OTHER])), STEPS);
  expect(counts).toEqual({
    ...{ visits: 4, reached: [2, 1], met: [2, 2] },
    most: { visits: 4, reached: [4, 3], met: [4, 4] },
  });
  const known = countSteps(keepAll(tabulate([A, B])), STEPS);
  expect(known).not.toHaveProperty("most");
  expect(addSteps(addSteps(createNoSteps(STEPS), known), counts)).toEqual({
    ...{ visits: 5, reached: [3, 2], met: [3, 3] },
    most: { visits: 5, reached: [5, 4], met: [5, 5] },
  });
});
