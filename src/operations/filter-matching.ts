import { type Alternative, type Condition, type Filter, isOnHits } from "./filter.ts";

/** Whether a value meets a condition; null is none. */
export type Match = (value: string | null) => boolean;

/** Creates the test of a condition for values of its dimension. It takes time linear in the value's length. */
export function createMatch({ alternatives, isNot }: Pick<Condition, "alternatives" | "isNot">): Match {
  const takesNull = alternatives.includes(null);
  const exact = new Set(alternatives.flatMap((parts) => (parts?.length === 1 ? parts : [])));
  const patterns = alternatives.filter((parts): parts is readonly string[] => (parts?.length ?? 0) > 1);
  return (value) => {
    const isMet =
      value === null ? takesNull : exact.has(value) || patterns.some((parts) => matchesParts(value, parts));
    return isMet !== isNot;
  };
}

/** Whether a text consists of the parts, in this order, with any text between them. */
function matchesParts(text: string, parts: NonNullable<Alternative>): boolean {
  const [first = "", ...rest] = parts;
  const last = rest.pop() ?? "";
  if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last))
    return false;
  const end = text.length - last.length;
  let at = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found < 0 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
}

/** The conditions of a filter by what they choose. */
export interface SplitFilter {
  /** Single hits: pages, hostnames, events. */
  hits: readonly Condition[];
  /** Visits, by a value of the whole visit. */
  visits: readonly Condition[];
  /** Visits, by any of their hits (`visit:pages=…`); with `isNot`, those without any such hit. */
  visitHits: readonly Condition[];
}

export const splitFilter = (filter: Filter = []): SplitFilter => ({
  hits: filter.filter(isOnHits),
  visits: filter.filter((condition) => !isOnHits(condition) && !condition.ofVisit),
  visitHits: filter.filter(({ ofVisit }) => ofVisit),
});
