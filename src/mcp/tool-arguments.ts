import type { ParameterError } from "../errors.ts";
import { MAX_DAYS } from "../operations/fields.ts";
import type { JsonSchema } from "../operations/json-schema.ts";
import { suggest } from "../render/suggest.ts";
import { toolList } from "./tool-list.ts";

/** Arguments that hosts add to those of every tool and then pass on: Gemini CLI and n8n. */
const HOST_ARGUMENTS = new Set(["wait_for_previous", "toolCallId"]);

const WHOLE_NUMBER = /^(0|[1-9]\d*)$/;

/**
 * Reads a tool's arguments as hosts and models really send them: without the host's own, without nulls and empty texts,
 * and with a number for a text of digits where the tool takes a number. Everything else stays, to be checked and refused.
 */
export function readArguments(tool: string, given: Record<string, unknown>): Record<string, unknown> {
  const properties = readProperties(tool);
  return Object.fromEntries(
    Object.entries(given)
      .filter(([name, value]) => value !== null && value !== "" && !HOST_ARGUMENTS.has(name))
      .map(([name, value]) => {
        const isDigits = typeof value === "string" && WHOLE_NUMBER.test(value);
        return [name, isDigits && takesInteger(properties.get(name)) ? Number(value) : value];
      }),
  );
}

const takesInteger = ({ type, anyOf }: JsonSchema = {}): boolean =>
  type === "integer" || (Array.isArray(anyOf) && anyOf.some(takesInteger));

const rank = (dimension: string) =>
  `There are no filters: get_breakdown with dimension=${dimension} ranks them.`;

/** What to do instead of an argument that models make up, by the argument's name. */
const ALTERNATIVES: readonly [RegExp, string][] = [
  [
    /^(filters?|segments?|where|query)$/i,
    "There are no filters: get_breakdown ranks the values of one dimension.",
  ],
  [/^countr(y|ies)$/i, rank("countries")],
  [/^(pages?|paths?|urls?)$/i, rank("pages")],
  [/^(referrers?|referers?|sources?)$/i, rank("referrers")],
  [/^(crawlers?|bots?)$/i, "There are no filters: get_crawlers lists the crawlers."],
  [/^(metrics?|measures?|fields)$/i, "Every answer already includes all of its numbers."],
  [
    /^(from|to|since|until|(start|end|begin)(_?date)?|date(_?range)?|range)$/i,
    "Use period, such as 2026-11-01/2026-11-15.",
  ],
  [
    /^(interval|granularity|group_?by|resolution|hours?)$/i,
    "Numbers are by day: get_timeseries has one point a day.",
  ],
];

/** What a model can do about refused arguments, in sentences. */
export function adviseOnArguments(
  tool: string,
  given: Record<string, unknown>,
  refused: readonly ParameterError[],
): string[] {
  const properties = readProperties(tool);
  const advice = refused.map(({ parameter, allowed = [] }) => {
    const value = given[parameter];
    if (parameter === "days" && properties.has("period") && Number(value) > MAX_DAYS)
      return `For more days use period, such as last_${Number(value)}_days or 2025.`;
    if (properties.has(parameter)) return suggest(typeof value === "string" ? value : "", allowed);
    const [, alternative] = ALTERNATIVES.find(([pattern]) => pattern.test(parameter)) ?? [];
    return alternative ?? suggest(parameter, allowed);
  });
  return [...new Set(advice.map((sentence) => sentence.trim()))].filter((sentence) => sentence !== "");
}

/** The parameters of a tool by name. A map, because a model may send `__proto__`. */
function readProperties(tool: string): ReadonlyMap<string, JsonSchema> {
  const { inputSchema } = toolList.find(({ name }) => name === tool) ?? {};
  return new Map<string, JsonSchema>(Object.entries(Object(inputSchema?.properties)));
}
