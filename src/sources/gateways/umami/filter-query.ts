import { createParameterError } from "../../../errors.ts";
import type { Dimension } from "../../../operations/dimensions.ts";
import {
  type Condition,
  createFilterError,
  type Filter,
  formatCondition,
} from "../../../operations/filter.ts";
import { DEVICES, DIMENSIONS } from "./dimensions.ts";

/*
 * Umami filters single page views, by parameters such as `path=eq./pricing`. That is the contract's meaning for pages and
 * hostnames, which choose hits, and for what a visitor has all day. Everything else is refused.
 */

export interface UmamiFilter {
  /** The parameters. */
  query: Readonly<Record<string, string>>;
  /** Whether it keeps only some page views of a visit. */
  isOnViews: boolean;
  /** The event whose hits it keeps, if it keeps events alone. */
  event?: string | undefined;
}

/** The dimensions whose conditions have one meaning in Umami and in the contract. */
const FILTERED: readonly Dimension[] = [
  "pages",
  "hostnames",
  "events",
  "countries",
  "regions",
  "cities",
  "languages",
  "devices",
  "browsers",
  "operating_systems",
];

/**
 * Writes a filter as parameters. Throws AnalyticsError `invalid_parameter` for what Umami would count in another way.
 *
 * @param isCloud Whether its expressions are RE2's, of ClickHouse, and not PostgreSQL's.
 */
export function writeFilter(filter: Filter | undefined, isCloud: boolean): UmamiFilter {
  const query: Record<string, string> = {};
  const add = (name: string, value: string) => {
    const taken = Object.keys(query).filter((key) => key.replace(/\d+$/, "") === name).length;
    query[taken === 0 ? name : `${name}${taken}`] = value;
  };
  let event: string | undefined;
  for (const condition of filter ?? []) {
    assertPossible(condition);
    const { dimension, isNot, alternatives } = condition;
    const texts = alternatives.map((parts) => parts ?? []);
    if (dimension === "events") {
      if (event !== undefined) throw refuse(condition, "combines two conditions on events");
      [event] = texts[0] ?? [];
    }
    if (dimension === "cities") addCity(condition, add);
    else if (dimension === "languages") add("language", writeLanguages(condition));
    else add(DIMENSIONS[dimension].type, writeValues(expand(dimension, texts), isNot, isCloud));
  }
  const isOnViews = (filter ?? []).some(({ dimension }) => DIMENSIONS[dimension].isOfViews);
  return { query, isOnViews, event };
}

/** Refuses rows that Umami would take from the kept page views, where the contract takes them from their visits. */
export function assertRows(dimension: Dimension, { isOnViews, event }: UmamiFilter): void {
  const { isOfVisitor, isOfViews, type } = DIMENSIONS[dimension];
  if (event !== undefined && dimension !== "events") {
    throw createParameterError(
      "dimension",
      `is ${dimension}, which Umami cannot list for a filter on events, since it lists only page views there: ask for the dimension events, or for totals`,
    );
  }
  if (!isOnViews || isOfVisitor || isOfViews) return;
  throw createParameterError(
    "dimension",
    `is ${dimension}, which Umami cannot list for a filter on pages or hostnames: it would list the ${type} of the kept page views, not of their visits`,
  );
}

const refuse = (condition: Condition, reason: string) =>
  createFilterError(`${formatCondition(condition).slice(0, 100)} ${reason}`);

function assertPossible(condition: Condition): void {
  const { dimension, ofVisit, isNot, alternatives } = condition;
  if (ofVisit) throw refuse(condition, "chooses whole visits, and Umami can only choose single page views");
  if (!FILTERED.includes(dimension)) {
    throw createFilterError(
      `on ${dimension} cannot be used with Umami, which would keep only the page views that have the value themselves, and not their visits`,
      FILTERED,
    );
  }
  if (isNot && dimension !== "pages")
    throw refuse(condition, "would also drop what has no value in Umami: != is only for pages there");
  if (alternatives.includes(null))
    throw refuse(condition, "looks for what has no value, which Umami cannot do");
  if (alternatives.some((parts) => parts?.some((part) => /[\n\r\u2028\u2029]/.test(part))))
    throw refuse(condition, "has a line break, which Umami cannot look for");
  if (dimension !== "events" && dimension !== "cities") return;
  const [parts, ...more] = alternatives;
  if (more.length > 0 || parts?.length !== 1)
    throw refuse(condition, "must have a single value without * with Umami");
}

/** A city is its name with the country: two conditions. */
function addCity(condition: Condition, add: (name: string, value: string) => void): void {
  const [value = ""] = condition.alternatives[0] ?? [];
  const [, name, country] = /^(.+), ([A-Z]{2})$/.exec(value.slice(0, 300)) ?? [];
  if (name === undefined || country === undefined)
    throw refuse(condition, "must be a city as in its row, such as Berlin, DE");
  add("city", writeValues([[name]], false, false));
  add("country", `eq.${country}`);
}

/** Umami adds up languages by their first two letters, but filters them as a whole. It ignores the case of letters by itself. */
function writeLanguages(condition: Condition): string {
  const codes = condition.alternatives.map((parts) => parts?.join("*") ?? "");
  // What follows is a region or a script: fi-FI is Finnish, and fil is not.
  if (codes.every((code) => /^[a-z]{2,3}$/.test(code))) return `re.^(?:${codes.join("|")})([-_]|$)`;
  throw refuse(condition, "must have two or three letters for each language, such as de");
}

/** All names in Umami of these values. */
function expand(dimension: Dimension, texts: readonly (readonly string[])[]): (readonly string[])[] {
  if (dimension !== "devices") return [...texts];
  const other = Object.entries(DEVICES);
  return texts.flatMap((parts) => {
    const [value = "", ...more] = parts;
    if (more.length > 0) return [parts];
    const names = other.filter(([, device]) => device === value).map(([name]) => [name]);
    return [parts, ...names];
  });
}

/** Values as they are, or, if there are asterisks or commas, which separate values, as an expression. */
function writeValues(texts: readonly (readonly string[])[], isNot: boolean, isCloud: boolean): string {
  if (texts.every(([text = "", ...more]) => more.length === 0 && !text.includes(",")))
    return `${isNot ? "neq" : "eq"}.${texts.map(([text]) => text).join(",")}`;
  const expressions = texts.map((parts) => parts.map(quoteText).join(".*"));
  // Umami ignores the case of letters unless the expression says otherwise.
  return `${isNot ? "nre" : "re"}.${isCloud ? "(?s-i)" : "(?c)"}^(?:${expressions.join("|")})$`;
}

const quoteText = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
