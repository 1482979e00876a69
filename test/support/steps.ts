import type { StepCounts } from "../../src/operations/call.ts";

/** Whether hits are some things one after the other, by trying all ways. */
function follows<H>(hits: readonly H[], [first, ...rest]: readonly ((hit: H) => boolean)[]): boolean {
  return first === undefined || hits.some((hit, at) => first(hit) && follows(hits.slice(at + 1), rest));
}

/** Counts visits that took steps. Each visit is its hits in order. */
export const countSteps = <H>(
  visits: readonly (readonly H[])[],
  steps: readonly ((hit: H) => boolean)[],
): StepCounts => ({
  visits: visits.length,
  reached: steps.map((_, last) => visits.filter((hits) => follows(hits, steps.slice(0, last + 1))).length),
  met: steps.map((step) => visits.filter((hits) => hits.some(step)).length),
});
