import { quote } from "../errors.ts";
import { nameDimension } from "./dimension-names.ts";
import { createFilterError, type Filter, MAX_SHOWN, parseFilter } from "./filter.ts";

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
  if (rest.startsWith("==")) {
    const meant = `${visit}${name}=${rest.slice(2)}`;
    throw createFilterError(
      `takes one equals sign: ${quote(meant, { maxLength: MAX_SHOWN })}, not ${quote(text, { maxLength: MAX_SHOWN })}. A value that begins with one is written \\=`,
    );
  }
  return name === undefined ? text : `${visit}${nameDimension(name)}${rest}`;
}
