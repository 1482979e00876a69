import type { StepCounts } from "../../operations/call.ts";
import type { Filter } from "../../operations/filter.ts";
import { createMatch } from "../../operations/filter-matching.ts";
import { OTHER } from "./definition.ts";
import { accepts, judge, type KeptHits } from "./hit-filter.ts";
import { columnOf, type HitColumn } from "./hit-table.ts";

/**
 * Counts the kept visits that took steps in this order: a hit that meets the first condition, after it another that meets the
 * second, and so on, with any hits between them. The filter keeps whole visits.
 *
 * @param steps Conditions on pages and events, with `=`.
 */
export function countSteps(kept: KeptHits, steps: Filter): StepCounts {
  const columns = steps.map((step) => {
    const { numbers, texts } = kept.table.column(columnOf(step.dimension));
    return { numbers, verdicts: judge(texts, createMatch(step)) };
  });
  const least = countBy(kept, columns, false);
  const isFolded = kept.table.column("pages").texts.includes(OTHER);
  if (kept.most === undefined && !isFolded) return least;
  const most = countBy(kept.most ?? kept, columns, true);
  return JSON.stringify(least) === JSON.stringify(most) ? least : { ...least, most };
}

interface Column extends Pick<HitColumn, "numbers"> {
  verdicts: Uint8Array;
}

/** @param isLenient Whether a value that was folded is taken for the one that a step asks for. */
function countBy({ table, visits, isKept }: KeptHits, steps: readonly Column[], isLenient: boolean) {
  /** By visit, how many steps it took; by step and visit, whether it has such a hit at all. */
  const taken = new Uint8Array(visits.count);
  const met = steps.map(() => new Uint8Array(visits.count));
  const isVisitKept = new Uint8Array(visits.count);
  for (let row = 0; row < table.length; row++) {
    if (isKept?.[row] === 0) continue;
    const visit = visits.ofRow[row] ?? 0;
    isVisitKept[visit] = 1;
    const next = taken[visit] ?? 0;
    for (const [step, { numbers, verdicts }] of steps.entries()) {
      if (!accepts(verdicts[numbers[row] ?? 0], isLenient)) continue;
      const found = met[step];
      if (found) found[visit] = 1;
      if (step === next) taken[visit] = next + 1;
    }
  }
  const sum = (flags: Uint8Array) => flags.reduce((total, flag) => total + flag, 0);
  return {
    visits: sum(isVisitKept),
    reached: steps.map((_, step) => taken.reduce((total, count) => total + Number(count > step), 0)),
    met: met.map(sum),
  };
}

/** Adds the counts of days. */
export const addSteps = (a: StepCounts, b: StepCounts): StepCounts => ({
  visits: a.visits + b.visits,
  reached: a.reached.map((count, step) => count + (b.reached[step] ?? 0)),
  met: a.met.map((count, step) => count + (b.met[step] ?? 0)),
  ...((a.most ?? b.most) && { most: addSteps(a.most ?? withoutMost(a), b.most ?? withoutMost(b)) }),
});

const withoutMost = ({ most: _, ...least }: StepCounts): StepCounts => least;

/** The counts of no visits. */
export const createNoSteps = (steps: Filter): StepCounts => ({
  visits: 0,
  reached: steps.map(() => 0),
  met: steps.map(() => 0),
});
