import type { ForeignAnswerError } from "../../client/foreign-answer.ts";
import { findSentence, quoteSaid } from "../../client/problem-parser.ts";
import { type AnalyticsError, createParameterError, quote } from "../../errors.ts";
import { NO_LIST } from "../../operations/dimension-names.ts";
import { type Dimension, dimensions } from "../../operations/dimensions.ts";
import { breakdown } from "../../operations/index.ts";
import type { DescribedParameter } from "./description.ts";
import { rankDimension } from "./words.ts";

/** The dimensions among the lists of a service; undefined if its description lists none. */
export function listDimensions({ allowed = [] }: Partial<DescribedParameter> = {}): Dimension[] | undefined {
  const names = allowed.map(String);
  return names.length === 0 ? undefined : dimensions.filter((each) => rankNames(names, each) !== undefined);
}

/** Proposes a list of days that it has, whatever days were asked for. */
const proposeList = (why: string, [dimension]: readonly Dimension[]) =>
  dimension === undefined
    ? []
    : [{ why, name: breakdown.name, params: { dimension, days: undefined, period: undefined } }];

/** The service's name for a dimension, if its description lists them. Throws AnalyticsError if it lists none that is the same. */
export function nameDimension(dimension: Dimension, parameter: DescribedParameter | undefined): string {
  const allowed = (parameter?.allowed ?? []).map(String);
  if (allowed.length === 0) return dimension;
  const found = rankNames(allowed, dimension);
  if (found !== undefined) return found;
  const list = (names: readonly string[]) =>
    names
      .slice(0, MAX_LISTED)
      .map((name) => quote(name))
      .join(", ");
  // A name of another dimension is no name of this one.
  const others = allowed.filter((name) => dimensions.every((each) => rankNames([name], each) === undefined));
  const mapping = `{"dimensions": {"${dimension}": "…"}}`;
  throw createParameterError("dimension", `cannot be ${dimension}: ${NO_LIST}`, {
    // Whoever asked for a goal named no list.
    hint: `It has ${list(allowed)}.${others.length === 0 ? "" : ` If ${dimension} is called ${list(others)}, say so in a mapping: ${mapping}.`}`,
    next: proposeList("One of these", listDimensions(parameter) ?? []),
  });
}

const MAX_LISTED = 30;

/** The best of some names for a dimension; undefined if there is none, or if two are equally good. */
function rankNames(names: readonly string[], dimension: Dimension): string | undefined {
  const ranked = names.flatMap((name) => {
    const rank = name === dimension ? -1 : rankDimension(name, dimension);
    return rank === undefined ? [] : [{ name, rank }];
  });
  const best = Math.min(...ranked.map(({ rank }) => rank));
  const [first, second] = ranked.filter(({ rank }) => rank === best);
  return second === undefined ? first?.name : undefined;
}

const MAX_REFUSAL = 4_000;
/** Of its sentence. */
const MAX_SAID = 200;

/** The name of a dimension among the words of a refusal. */
export function findNamed(text: string, dimension: Dimension, tried: string): string | undefined {
  const names = new Set(text.slice(0, MAX_REFUSAL).split(/[^\w:.-]+/));
  names.delete(tried);
  return rankNames([...names], dimension);
}

/** A refusal that speaks of the dimension is about it: reports leave such a list out, and say so. */
export function renameToDimension(
  error: ForeignAnswerError,
  dimension: Dimension,
  name: string,
): AnalyticsError {
  const { message, status } = error;
  const said = findSentence(error.text);
  const text = error.text.slice(0, MAX_REFUSAL);
  const isAbout = [400, 404, 422].includes(status ?? 0) && (/dimension/i.test(text) || text.includes(name));
  if (!isAbout) return error;
  const named = dimensions.filter((other) => findNamed(said ?? message, other, name) !== undefined);
  // Who names others does not have it.
  const [refused, before, after] =
    named.length > 0 ? [NO_LIST, " (it says ", ")"] : ["the service refuses it", ", with ", ""];
  const words = said === undefined ? "" : `${before}${quoteSaid(said, MAX_SAID)}${after}`;
  const detail = `cannot be ${dimension}: ${refused}${words}`;
  return createParameterError("dimension", detail, {
    hint:
      named.length === 0
        ? "An overview shows the usual lists that it has, and names those that it lacks."
        : `By these words, it may have ${named.join(", ")}.`,
    next: proposeList("One of these", named),
    status,
    cause: error,
  });
}
