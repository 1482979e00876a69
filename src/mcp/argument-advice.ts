import type { ParameterError } from "../errors.ts";
import { suggest } from "../render/suggest.ts";
import { readProperties } from "./tool-arguments.ts";

/** What to do instead of an argument that models make up, by the argument's name. */
const ALTERNATIVES: readonly [RegExp, string][] = [
  [
    /^(filters?|segments?|where|query)$/i,
    "There are no filters: get_breakdown ranks the values of one dimension.",
  ],
  [/^(metrics?|measures?|fields)$/i, "Every answer has all of its numbers."],
  [
    /^(from|to|since|until|(start|end|begin)(_?date)?|date(_?range)?|range)$/i,
    "Use period, such as 2026-11-01/2026-11-15.",
  ],
  [
    /^(interval|granularity|group_?by|resolution|hours?)$/i,
    "Numbers are by day: get_timeseries has one point a day.",
  ],
];

/** What a model can do about refused arguments. */
export function adviseOnArguments(
  tool: string,
  given: Record<string, unknown>,
  refused: readonly ParameterError[],
): string[] {
  const properties = readProperties(tool);
  const advice = refused.map(({ parameter, allowed = [] }) => {
    const value = given[parameter];
    if (properties.has(parameter)) return suggest(typeof value === "string" ? value : "", allowed);
    const [, alternative] = ALTERNATIVES.find(([pattern]) => pattern.test(parameter)) ?? [];
    return alternative ?? suggest(parameter, allowed);
  });
  return [...new Set(advice.map((each) => each.trim()))].filter((each) => each !== "");
}
