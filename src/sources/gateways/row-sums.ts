import { compareRows } from "../../operations/row-order.ts";
import type { RankedRow, Ranking } from "../data-source.ts";

const COUNTS = ["visitors", "hits", "visits", "bounces", "visitSeconds"] as const;

/** The key of the row of all values that a service does not keep. */
const OTHER = Symbol("other");

/** Adds up the rows of each value, such as those of several days. The first of them gives the label. */
export function sumRows(rows: Iterable<RankedRow>): RankedRow[] {
  const sums = new Map<string | null | typeof OTHER, RankedRow>();
  for (const row of rows) {
    const key = row.other ? OTHER : row.value;
    const sum = sums.get(key);
    if (sum === undefined) sums.set(key, { ...row });
    else for (const name of COUNTS) if (row[name] !== undefined) sum[name] = (sum[name] ?? 0) + row[name];
  }
  return [...sums.values()];
}

/** The first rows in the contract's order. */
export const rankRows = (rows: readonly RankedRow[], limit: number): Pick<Ranking, "rows" | "totalRows"> => ({
  rows: rows.toSorted(compareRows).slice(0, limit),
  totalRows: rows.length,
});
