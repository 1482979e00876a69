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
  /** What a filter may keep beyond what it keeps (`KeptHits.most`). */
  const more = createLookup((_: string | null) => ({ visitors: 0, hits: 0 }));
  const nameMost = (row: Omit<RankedRow, "label">): RankedRow => {
    const beyond = more.all.get(row.value);
    const named = nameRow(name, row);
    if (beyond === undefined || beyond.visitors + beyond.hits === 0) return named;
    return {
      ...named,
      most: { visitors: row.visitors + beyond.visitors, hits: row.hits + beyond.hits },
    };
  };
  let hasVisits = true;
  return {
    /** Adds what may be kept, beside what is kept of the same part. */
    addMost: (most: Tallies, least?: Tallies) => {
      const places = new Map(least?.values.map((value, index) => [value, index]));
      most.values.forEach((value, index) => {
        const [beyond, place] = [more.get(value), places.get(value) ?? -1];
        beyond.visitors += (most.visitors[index] ?? 0) - (least?.visitors[place] ?? 0);
        beyond.hits += (most.hits[index] ?? 0) - (least?.hits[place] ?? 0);
      });
    },
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
      const unlisted = [...more.all.keys()].filter((value) => value !== OTHER && !sums.all.has(value)).length;
      const rows = [...sums.all].map(([value, counts]) => ({ value, ...counts })).sort(compareRows);
      return {
        rows: rows.slice(0, limit).map((row) => nameMost(hasVisits ? row : withoutVisits(row))),
        totalRows: rows.length,
        ...(unlisted > 0 && { moreRows: unlisted }),
      };
    },
  };
}

const withoutVisits = ({ value, visitors, hits }: Omit<RankedRow, "label">) => ({ value, visitors, hits });

function nameRow(name: (value: string | null) => string, row: Omit<RankedRow, "label">): RankedRow {
  if (row.value === OTHER) return { ...row, value: null, label: OTHER, other: true };
  return { ...row, label: name(row.value) };
}
