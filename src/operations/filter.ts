import { type AnalyticsError, createParameterError, quote, quoteIfNeeded } from "../errors.ts";
import { type Dimension, dimensions } from "./dimensions.ts";

/*
 * A filter as the contract has it, such as `countries=DE|AT`, `pages!=/blog/*` or `visit:pages=/pricing`: docs/contract.md,
 * "Filters". Everything else in this program deals in parsed conditions.
 */

/** All conditions must hold. */
export type Filter = readonly Condition[];

export interface Condition {
  dimension: Dimension;
  /** Chooses visits by any of their hits (`visit:pages=…`), where the dimension otherwise chooses hits. */
  ofVisit: boolean;
  /** Whether it keeps what does not match (`!=`). */
  isNot: boolean;
  /** At least one; in the order of the canonical form, each of them once. */
  alternatives: readonly Alternative[];
}

/**
 * Null matches what has no value. Otherwise the literal parts of a text, between which any text may stand: one part is the
 * whole text, and `["/blog/", ""]` is `/blog/*`.
 */
export type Alternative = readonly string[] | null;

/** The dimensions that choose hits. All others choose visits. */
const HIT_DIMENSIONS = new Set<Dimension>(["pages", "hostnames", "events"]);

export const MAX_CONDITIONS = 10;
/** Of what a message quotes. */
export const MAX_SHOWN = 80;
/** Of all conditions, percent-encoded, in bytes: without the name of the parameter and separators. */
const MAX_QUERY_BYTES = 8_000;

/** Whether a dimension's values are those of single hits, so that its conditions choose hits. */
export const isOfHits = (dimension: Dimension): boolean => HIT_DIMENSIONS.has(dimension);

/** The dimensions whose values are those of whole visits. */
export const visitDimensions = dimensions.filter((dimension) => !isOfHits(dimension));

/** Whether a condition chooses single hits, not whole visits. */
export const isOnHits = ({ dimension, ofVisit }: Condition): boolean =>
  HIT_DIMENSIONS.has(dimension) && !ofVisit;

/** The value that a condition names; undefined if it names several, or a pattern. */
export function readExactValue({ alternatives }: Condition): string | undefined {
  const [first] = alternatives;
  return alternatives.length === 1 && first?.length === 1 ? first[0] : undefined;
}

/**
 * Parses conditions and puts them in canonical order. Throws AnalyticsError `invalid_parameter`.
 *
 * @param texts At most 10. A condition that is given twice is kept once.
 */
export function parseFilter(texts: readonly string[]): Filter {
  if (texts.length > MAX_CONDITIONS)
    throw createFilterError(`must have at most ${MAX_CONDITIONS} conditions, and has ${texts.length}`);
  const size = texts.reduce((sum, text) => sum + `${new URLSearchParams([["", text]])}`.length - 1, 0);
  if (size > MAX_QUERY_BYTES)
    throw createFilterError(`must have at most ${MAX_QUERY_BYTES} bytes when encoded, and has ${size}`);
  const byText = new Map(
    texts.map((text) => parseCondition(text)).map((each) => [formatCondition(each), each]),
  );
  return [...byText].sort(compareKeys).map(([, condition]) => condition);
}

function parseCondition(text: string): Condition {
  const [, visit, name = "", operator, rest = ""] = /^(visit:)?([^=!]*)(!?=)(.*)$/s.exec(text) ?? [];
  if (operator === undefined)
    throw createFilterError(
      `must be a dimension, = or !=, and a value, such as countries=DE: not ${quote(text, { maxLength: MAX_SHOWN })}`,
    );
  const dimension = dimensions.find((known) => known === name);
  const allowed = visit === undefined ? dimensions : dimensions.filter((each) => HIT_DIMENSIONS.has(each));
  if (dimension === undefined || !allowed.includes(dimension)) {
    const what = visit === undefined ? "dimension" : "dimension of hits";
    throw createFilterError(`names no ${what}: ${quote(name, { maxLength: MAX_SHOWN })}`, allowed);
  }
  const alternatives = splitAlternatives(rest);
  return { dimension, ofVisit: visit !== undefined, isNot: operator === "!=", alternatives };
}

/** `a|b*` as parts; each alternative once, in the order of their canonical form. */
function splitAlternatives(text: string): Alternative[] {
  const found: string[][] = [];
  let parts: string[] = [""];
  const append = (more: string) => parts.push((parts.pop() ?? "") + more);
  // A backslash makes the next character literal.
  for (const token of text.match(/\\?[\s\S]/gu) ?? []) {
    if (token === "\\") throw createFilterError("must not end with a single \\");
    if (token === "|") {
      found.push(parts);
      parts = [""];
    } else if (token === "*") parts.push("");
    else append(token.length > 1 && token.startsWith("\\") ? token.slice(1) : token);
  }
  const all = [...found, parts].map(readAlternative);
  const byText = new Map(all.map((alternative) => [formatAlternative(alternative), alternative]));
  return [...byText].sort(compareKeys).map(([, alternative]) => alternative);
}

/** Two asterisks in a row mean what one means. */
function readAlternative(parts: readonly string[]): Alternative {
  if (parts.length === 1 && parts[0] === "") return null;
  return parts.filter((part, index) => part !== "" || index === 0 || index === parts.length - 1);
}

/** A condition in its canonical form: parsed again, it is the same. */
export function formatCondition({ dimension, ofVisit, isNot, alternatives }: Condition): string {
  const name = `${ofVisit ? "visit:" : ""}${dimension}`;
  return `${name}${isNot ? "!=" : "="}${alternatives.map(formatAlternative).join("|")}`;
}

export const formatFilter = (filter: Filter): string[] => filter.map(formatCondition);

const formatAlternative = (parts: Alternative): string => (parts ?? []).map(escapeValue).join("*");

/** A value as it stands in a condition: a row's value, escaped, matches that row alone. */
export const escapeValue = (value: string): string => value.replace(/[|*\\]/g, "\\$&");

/** The condition that keeps one row of a breakdown. */
export const conditionOf = (dimension: Dimension, value: string | null): Condition => ({
  dimension,
  ofVisit: false,
  isNot: false,
  alternatives: [value === null ? null : [value]],
});

/** The error of a parameter `filter`. */
export function createFilterError(detail: string, allowed?: readonly string[]): AnalyticsError {
  const list = allowed === undefined ? "" : `; it can be ${allowed.join(", ")}`;
  return createParameterError("filter", `${detail}${list}`, { allowed });
}

/**
 * Returns why an answer is not about the hits that were asked for, or undefined if it is. A service that ignores a filter
 * does not echo it, and its numbers would be those of everything.
 */
export function verifyFilter(
  echoed: readonly string[] | undefined,
  asked: readonly string[] | undefined,
): string | undefined {
  const wanted = describe(asked ?? []);
  if (echoed === undefined)
    return wanted === "" ? undefined : `it does not say that it is filtered by ${wanted}`;
  let actual: string;
  try {
    actual = describe(echoed);
  } catch {
    return "its filter cannot be read";
  }
  return actual === wanted
    ? undefined
    : `it is filtered by ${actual || "nothing"}, not by ${wanted || "nothing"}`;
}

/** The filter as a parameter of an operation that takes one; nothing for any other, and without a filter. */
export function addFilter(
  operation: { allParams: { shape: object } },
  filter: Filter | undefined,
): { filter?: string[] } {
  if (filter === undefined || filter.length === 0 || !("filter" in operation.allParams.shape)) return {};
  return { filter: formatFilter(filter) };
}

/** How a headline names the filter, after the site; empty without one. */
export const headFilter = (filter: readonly string[] | undefined): string =>
  filter === undefined || filter.length === 0 ? "" : `, only ${filter.map(showCondition).join(" and ")}`;

/** A condition as people read it: with a name where it keeps what has no value. */
const showCondition = (text: string): string =>
  quoteIfNeeded(text).replace(/^("?(?:visit:)?\w{1,40}!?=)(?=["|]|$)/, "$1(none)");

/** The conditions among parameters that may have some. */
export const readFilter = (params: object): readonly string[] | undefined => Reflect.get(params, "filter");

const describe = (texts: readonly string[]) => joinConditions(formatFilter(parseFilter(texts)));

const joinConditions = (texts: readonly string[]) => texts.map(quoteIfNeeded).join(" and ");

/** By code point, not by UTF-16 unit as `<` does, and without Buffer: the chart runs in browsers. */
function compareKeys([a]: [string, unknown], [b]: [string, unknown]): number {
  const [first, second] = [[...a], [...b]];
  const at = first.findIndex((character, index) => character !== second[index]);
  if (at === -1) return first.length - second.length;
  return (first[at]?.codePointAt(0) ?? -1) - (second[at]?.codePointAt(0) ?? -1);
}
