import { expect, it } from "vitest";
import { countKept } from "../../../src/sources/measure/count.ts";
import { keepAll } from "../../../src/sources/measure/hit-filter.ts";
import type { HitTable } from "../../../src/sources/measure/hit-table.ts";

it("the example of a table is counted as it says", () => {
  const table: HitTable = {
    length: 3,
    visitors: Uint32Array.of(1, 1, 1),
    visits: Uint32Array.of(1, 1, 2),
    times: Uint32Array.of(60, 70, 9_000),
    events: Uint8Array.of(0, 1, 0),
    column: () => ({ numbers: Uint32Array.of(1, 1, 2), texts: [null, "/", "/pricing"] }),
  };
  const { totals, tally } = countKept(keepAll(table));
  expect(totals).toEqual({
    visitors: 1,
    pageviews: 2,
    events: 1,
    visits: 2,
    bounces: 1,
    visitSeconds: 10,
  });
  expect(tally("entry_pages")).toEqual({
    values: ["/", "/pricing"],
    visitors: [1, 1],
    hits: [1, 1],
    ofVisits: { visits: [1, 1], bounces: [0, 1], visitSeconds: [10, 0] },
  });
});
