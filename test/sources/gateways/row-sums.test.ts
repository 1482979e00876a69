import { expect, it } from "vitest";
import { rankRows, sumRows } from "../../../src/sources/gateways/row-sums.ts";

const visits = { visits: 4, bounces: 3, visitSeconds: 50 };

it("adds up all counts of a value, and keeps what has none apart from what is not kept", () => {
  const rows = [
    { value: "mobile", label: "phones", visitors: 2, hits: 5, ...visits },
    { value: null, label: "(none)", visitors: 1, hits: 1 },
    { value: "mobile", label: "phablets", visitors: 1, hits: 3, ...visits },
    { value: null, label: "(other)", other: true as const, visitors: 7, hits: 9 },
  ];
  expect(sumRows(rows)).toEqual([
    { value: "mobile", label: "phones", visitors: 3, hits: 8, visits: 8, bounces: 6, visitSeconds: 100 },
    rows[1],
    rows[3],
  ]);
  expect(rows[0]).toMatchObject({ visitors: 2, ...visits });
});

it("ranks rows by visitors, then hits, then value", () => {
  const row = (value: string, visitors: number, hits: number) => ({ value, label: value, visitors, hits });
  const rows = [row("b", 1, 1), row("a", 1, 1), row("c", 1, 2), row("d", 2, 2)];
  const { rows: first, totalRows } = rankRows(rows, 3);
  expect([first.map(({ value }) => value), totalRows]).toEqual([["d", "c", "a"], 4]);
});
