import type { RankedRow } from "./data-source.ts";

/** The contract's order of rows: visitors, then hits, both descending, then values ascending with null last. */
export function compareRows(a: Omit<RankedRow, "label">, b: Omit<RankedRow, "label">): number {
  return b.visitors - a.visitors || b.hits - a.hits || compareValues(a.value, b.value);
}

/** By code point, null last. Comparing strings compares UTF-16 units, which puts what lies beyond U+FFFF too early. */
export function compareValues(a: string | null, b: string | null): number {
  if (a === b) return 0;
  if (a === null) return 1;
  if (b === null) return -1;
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
