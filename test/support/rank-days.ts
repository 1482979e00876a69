import type { Dimension } from "../../src/operations/dimensions.ts";
import type { RankedRow } from "../../src/sources/data-source.ts";
import type { Counts } from "../../src/sources/demo/counts.ts";
import { createRanking } from "../../src/sources/measure/ranking.ts";

/** All rows of some days, in order. */
export function rankDays(
  counts: Counts,
  dates: readonly string[],
  dimension: Dimension,
): Omit<RankedRow, "label">[] {
  const ranking = createRanking(String);
  for (const date of dates) {
    const tallies = counts.tallies(date, dimension);
    if (tallies !== undefined) ranking.add(tallies);
  }
  return ranking.rank(Number.POSITIVE_INFINITY).rows.map(({ label: _, ...row }) => row);
}
