import type { Dimension } from "../../operations/dimensions.ts";
import type { Condition, Filter } from "../../operations/filter.ts";
import { splitFilter } from "../../operations/filter-matching.ts";
import type { QueryParams } from "./answer.ts";

/** A filter's conditions as SQL, by what they choose, and the values of its parameters. */
export interface FilterSql {
  /** Single hits: pages, hostnames, events. */
  hits: readonly ConditionSql[];
  /** Visits, by a value of the whole visit. */
  visits: readonly ConditionSql[];
  /** Visits, by any of their hits; with `isNot`, those without any such hit. */
  visitHits: readonly ConditionSql[];
  /** What a visit did one after the other, if that is asked. */
  steps: readonly ConditionSql[];
  params: QueryParams;
}

export interface ConditionSql {
  dimension: Dimension;
  isNot: boolean;
  /** Whether no value is one of the alternatives. */
  takesNull: boolean;
  /** Whether what has no value meets the condition. */
  isMetByNull: boolean;
  /** Whether a value is one of the alternatives. The value is SQL of a String, of which the empty text is none. */
  matches(value: string): string;
  /** Whether a value meets the condition. */
  isMetBy(value: string): string;
}

/** Writes a filter, and steps. Each condition is one parameter, a regular expression of all its alternatives. */
export function writeFilter(filter: Filter = [], steps: Filter = []): FilterSql {
  const all = [...filter, ...steps];
  const written = new Map(filter.map((condition, index) => [condition, writeCondition(condition, index)]));
  const pick = (conditions: readonly Condition[]) =>
    conditions.flatMap((condition) => written.get(condition) ?? []);
  const { hits, visits, visitHits } = splitFilter(filter);
  return {
    hits: pick(hits),
    visits: pick(visits),
    visitHits: pick(visitHits),
    steps: steps.map((step, index) => writeCondition(step, filter.length + index)),
    params: Object.fromEntries(
      all.map((condition, index) => [nameParam(index), writePattern(condition.alternatives)]),
    ),
  };
}

function writeCondition({ dimension, isNot, alternatives }: Condition, index: number): ConditionSql {
  const takesNull = alternatives.includes(null);
  const takesText = alternatives.some((parts) => parts !== null);
  const matches = (value: string) => {
    const ways = [
      ...(takesNull ? [`${value} = ''`] : []),
      ...(takesText ? [`${value} != '' AND match(${value}, {${nameParam(index)}:String})`] : []),
    ];
    return `(${ways.join(" OR ")})`;
  };
  return {
    dimension,
    isNot,
    takesNull,
    isMetByNull: takesNull !== isNot,
    matches,
    isMetBy: (value) => (isNot ? `NOT ${matches(value)}` : matches(value)),
  };
}

const nameParam = (index: number) => `filter${index}`;

/** RE2 takes time linear in the text's length, whatever the pattern is. */
function writePattern(alternatives: Condition["alternatives"]): string {
  const patterns = alternatives.flatMap((parts) =>
    parts === null ? [] : [parts.map(escapePattern).join(".*")],
  );
  return `^(?s:${patterns.join("|")})$`;
}

const escapePattern = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replaceAll("\0", "\\x00");
