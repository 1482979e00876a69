import { nameDimension } from "./dimension-names.ts";
import { type Filter, parseFilter } from "./filter.ts";

/**
 * Reads conditions as people and models write them, with singular names. Undefined if there are none. Throws AnalyticsError
 * `invalid_parameter`.
 */
export function readFilterInput(texts: readonly string[] | undefined): Filter | undefined {
  if (texts === undefined || texts.length === 0) return undefined;
  return parseFilter(texts.map(nameCanonically));
}

function nameCanonically(text: string): string {
  const [, visit = "", name, rest = ""] = /^\s*(visit:)?([^=!]{1,40})(!?=.*)$/s.exec(text) ?? [];
  return name === undefined ? text : `${visit}${nameDimension(name)}${rest}`;
}
