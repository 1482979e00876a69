import { quote } from "../errors.ts";
import { findDimension, nameDimension } from "./dimension-names.ts";
import { createFilterError, type Filter, MAX_SHOWN, parseFilter } from "./filter.ts";

/**
 * Reads conditions as people and models write them: with singular names, and a page as its path alone. Undefined if there are none. Throws AnalyticsError
 * `invalid_parameter`.
 */
export function readFilterInput(texts: readonly string[] | undefined): Filter | undefined {
  if (texts === undefined || texts.length === 0) return undefined;
  return parseFilter(texts.map(nameCanonically));
}

/** Whether a text begins as a condition does, with a dimension by any of its names. */
export function isCondition(text: string): boolean {
  const [, name] = /^\s*(?:visit:)?([^=!]{1,40})!?=/.exec(text) ?? [];
  return name !== undefined && findDimension(name) !== undefined;
}

const BETWEEN = /(?:\s+and\s+|[,;&]{1,2}\s?)(?=(?:visit:)?[\w-]{1,40}!?=)/i;
const MAX_SPLIT = 500;

/** The conditions that somebody wrote as one: `pages=/pricing AND source=Google`. Undefined if it can only be one. */
export function splitConditions(text: string): string[] | undefined {
  const parts = text.slice(0, MAX_SPLIT).split(BETWEEN);
  return parts.length > 1 && parts.every(isCondition) ? parts.map(nameCanonically) : undefined;
}

/** `/thanks` as `pages=/thanks`; any other text as it is. */
export const completePage = (text: string): string =>
  /^\s*(?:visit:)?\//.test(text) ? text.trim().replace("/", "pages=/") : text;

function nameCanonically(given: string): string {
  const text = completePage(given);
  const [, visit = "", name, rest = ""] = /^\s*(visit:)?([^=!]{1,40})(!?=.*)$/s.exec(text) ?? [];
  if (rest.startsWith("==")) {
    const meant = `${visit}${name}=${rest.slice(2)}`;
    throw createFilterError(
      `takes one equals sign: ${quote(meant, { maxLength: MAX_SHOWN })}, not ${quote(text, { maxLength: MAX_SHOWN })}. A value that begins with one is written \\=`,
    );
  }
  return name === undefined ? text : `${visit}${nameDimension(name)}${rest}`;
}
