import { quote } from "../../../errors.ts";
import type { Dimension } from "../../../operations/dimensions.ts";
import {
  type Alternative,
  type Condition,
  createFilterError,
  type Filter,
  formatCondition,
  isOnHits,
  MAX_SHOWN,
} from "../../../operations/filter.ts";
import { createMatch } from "../../../operations/filter-matching.ts";
import { NEAR, type Warning } from "../../../operations/warning.ts";
import { findNative, IMPOSSIBLE, isOfVisitsAlone } from "./dimensions.ts";

/** Operator, dimension and values: it is met by any of the values. */
type SimpleFilter = [operator: keyof typeof OPPOSITES, dimension: string, values: (string | number)[]];

const OPPOSITES = {
  is: "is_not",
  is_not: "is",
  matches: "matches_not",
  contains: "contains_not",
} as const;

/** The dimensions that Plausible takes in no `or` and no `not`. */
const ALONE: ReadonlySet<Dimension> = new Set(["hostnames", "events"]);

/** No city has this id, the greatest of its column. */
const NO_CITY = 4_294_967_295;

/** A filter as Plausible has it. Throws AnalyticsError `invalid_parameter` for what it cannot say. */
export const formatFilters = (filter: Filter = []): unknown[] => filter.map(formatOne);

function formatOne(condition: Condition): unknown {
  const { dimension, ofVisit, isNot, alternatives } = condition;
  const parts = dimension === "events" ? formatGoals(condition) : formatAlternatives(dimension, alternatives);
  const [first] = parts;
  if (first === undefined) throw new TypeError("A condition has at least one alternative.");
  if (ofVisit) return [isNot ? "has_not_done" : "has_done", parts.length === 1 ? first : ["or", parts]];
  if (ALONE.has(dimension) && (parts.length > 1 || (dimension === "events" && isNot)))
    throw createUnspeakable(condition);
  if (parts.length === 1) return isNot ? negate(first) : first;
  return isNot ? ["not", ["or", parts]] : ["or", parts];
}

const negate = ([operator, ...rest]: SimpleFilter) => [OPPOSITES[operator], ...rest];

function createUnspeakable(condition: Condition) {
  const { dimension, isNot } = condition;
  const shown = quote(formatCondition(condition), { maxLength: MAX_SHOWN });
  if (dimension === "events" && isNot)
    return createFilterError(
      `cannot be ${shown} in Plausible, which cannot leave out single events; visit:events!=… leaves out the visits that have them`,
    );
  return createFilterError(
    `cannot be ${shown} in Plausible, which takes names or patterns of ${dimension} in one condition, not both`,
  );
}

/** Events are goals there. They have names and parts of names, but no other patterns, and no event is without one. */
function formatGoals(condition: Condition): SimpleFilter[] {
  const exact = condition.alternatives.flatMap((parts) => (parts?.length === 1 ? parts : []));
  const contained = condition.alternatives.flatMap((parts) =>
    parts?.length === 3 && parts[0] === "" && parts[2] === "" ? [parts[1] ?? ""] : [],
  );
  if (exact.length + contained.length < condition.alternatives.length) {
    const shown = quote(formatCondition(condition), { maxLength: MAX_SHOWN });
    throw createFilterError(
      `cannot be ${shown} in Plausible, whose events are goals: names and *parts of names* can be looked for`,
    );
  }
  return listUsed("event:goal", { is: exact, contains: contained });
}

function formatAlternatives(dimension: Dimension, alternatives: readonly Alternative[]): SimpleFilter[] {
  const { name, none } = findNative(dimension);
  const hasNone: SimpleFilter =
    dimension === "countries"
      ? ["is", "visit:country_name", [""]]
      : ["is", name, dimension === "cities" ? [0] : [...none]];
  const texts = alternatives.filter((parts): parts is readonly string[] => parts !== null);
  const hasAny = texts.some((parts) => parts.every((part) => part === "") && parts.length > 1);
  const named = hasAny ? [] : texts;
  const isNone = alternatives.includes(null);
  const simple = formatTexts(dimension, named);
  const [first, ...others] = simple;
  // One filter where one will do: some dimensions take no `or`.
  const isOneList = isNone && first?.[0] === "is" && first[1] === hasNone[1];
  return [
    ...(isOneList
      ? [["is", first[1], [...hasNone[2], ...first[2]]] as SimpleFilter, ...others]
      : [...(isNone ? [hasNone] : []), ...simple]),
    ...(hasAny ? [[OPPOSITES.is, hasNone[1], hasNone[2]] as SimpleFilter] : []),
  ];
}

/** The filters for texts and patterns of a dimension. */
function formatTexts(dimension: Dimension, texts: readonly (readonly string[])[]): SimpleFilter[] {
  const { name, values } = findNative(dimension);
  if (texts.length === 0) return [];
  if (dimension === "cities") return [["is", name, texts.map(readCity)]];
  if (values !== undefined) {
    const isMet = createMatch({ alternatives: texts, isNot: false });
    const found = Object.entries(values).flatMap(([native, own]) => (isMet(own) ? [native] : []));
    return [["is", name, found.length === 0 ? [IMPOSSIBLE] : found]];
  }
  if (dimension === "referrers") return [["matches", name, texts.map(formatHost)]];
  const patterns = texts.filter((parts) => parts.length > 1);
  // A pattern keeps only what has a value, and this is how Plausible stores that there is none.
  if (dimension === "hostnames" && createMatch({ alternatives: patterns, isNot: false })(IMPOSSIBLE))
    throw createFilterError(
      `has a pattern of hostnames that also matches ${IMPOSSIBLE}, which Plausible writes where there is none`,
    );
  return listUsed(name, {
    is: texts.flatMap((parts) => (parts.length === 1 ? parts : [])),
    matches: patterns.map((parts) => `^${parts.map(escapeText).join(".*")}$`),
  });
}

function readCity(parts: readonly string[]): number {
  const [id = "", ...more] = parts;
  if (more.length > 0)
    throw createFilterError("cannot have a pattern of cities in Plausible: they are numbers");
  return /^[1-9]\d{0,8}$/.test(id) ? Number(id) : NO_CITY;
}

/** Rows of referrers are hosts, and Plausible keeps paths, too. */
const formatHost = (parts: readonly string[]) => `^${parts.map(escapeText).join("[^/?#]*")}([/?#].*)?$`;

/** For RE2. */
const escapeText = (text: string) => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");

const listUsed = (name: string, lists: Partial<Record<SimpleFilter[0], string[]>>): SimpleFilter[] =>
  Object.entries(lists).flatMap(([operator, values]) =>
    values.length === 0 ? [] : [[operator as SimpleFilter[0], name, values]],
  );

/**
 * Plausible also chooses visits by the host of their first page if it ranks what belongs to it, such as referrers, and
 * is asked for one host.
 */
export function warnOfHosts(dimension: Dimension, filter: Filter = []): Warning[] {
  const isAsked = filter.some((condition) => condition.dimension === "hostnames" && isOnHits(condition));
  if (!isAsked || !(dimension === "referrers" || dimension.startsWith("utm_") || isOfVisitsAlone(dimension)))
    return [];
  const detail = `Plausible counts these ${dimension.replaceAll("_", " ")} only of visits that also began on such a host.`;
  return [{ code: NEAR, detail }];
}
