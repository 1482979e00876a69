import { compareRows } from "../../operations/row-order.ts";
import type { RankedRow, Ranking } from "../data-source.ts";
import { createLookup } from "../lookup.ts";
import { OTHER } from "./definition.ts";
import type { Tallies } from "./tallies.ts";

/**
 * Adds up days, or parts of them. The visitors of a span are by definition the sum of daily visitors.
 *
 * @param name The name of a value, for people.
 */
export function createRanking(name: (value: string | null) => string) {
  const sums = createLookup((_: string | null) => ({
    visitors: 0,
    hits: 0,
    visits: 0,
    bounces: 0,
    visitSeconds: 0,
  }));
  let hasVisits = true;
  return {
    add: ({ values, visitors, hits, ofVisits }: Tallies) => {
      if (values.length > 0 && ofVisits === undefined) hasVisits = false;
      values.forEach((value, index) => {
        const sum = sums.get(value);
        sum.visitors += visitors[index] ?? 0;
        sum.hits += hits[index] ?? 0;
        if (ofVisits === undefined) return;
        sum.visits += ofVisits.visits[index] ?? 0;
        sum.bounces += ofVisits.bounces[index] ?? 0;
        sum.visitSeconds += ofVisits.visitSeconds[index] ?? 0;
      });
    },
    rank: (limit: number): Ranking => {
      const rows = [...sums.all].map(([value, counts]) => ({ value, ...counts })).sort(compareRows);
      return {
        rows: rows.slice(0, limit).map((row) => nameRow(name, hasVisits ? row : withoutVisits(row))),
        totalRows: rows.length,
      };
    },
  };
}

const withoutVisits = ({ value, visitors, hits }: Omit<RankedRow, "label">) => ({ value, visitors, hits });

function nameRow(name: (value: string | null) => string, row: Omit<RankedRow, "label">): RankedRow {
  if (row.value === OTHER) return { ...row, value: null, label: OTHER, other: true };
  return { ...row, label: name(row.value) };
}
