import { AnalyticsError, createParameterError, quote } from "../errors.ts";
import { nameDimension } from "../operations/dimension-names.ts";
import { type Dimension, dimensions } from "../operations/dimensions.ts";
import {
  type Condition,
  createFilterError,
  type Filter,
  formatCondition,
  isOfHits,
  isOnHits,
  MAX_CONDITIONS,
  MAX_SHOWN,
  parseFilter,
} from "../operations/filter.ts";
import { completePage, readFilterInput } from "../operations/filter-input.ts";

/*
 * A goal is a condition on hits, such as `events=signup` or `pages=/thanks*`: visitors reach it with a hit that meets it.
 */

const EXAMPLES = "such as events=signup or pages=/thanks*";

/**
 * Reads a goal as people and models write it: with singular names, and a page as its path alone. Throws AnalyticsError
 * `invalid_parameter`.
 */
export function readGoal(given: string, parameter: "goal" | "steps" = "goal"): Condition {
  const text = completePage(given);
  const createGoalError = (detail: string) => createParameterError(parameter, detail);
  const [, visit, name = "", operator] = /^\s*(visit:)?([^=!]{1,40})(!?=)/.exec(text) ?? [];
  const dimension = dimensions.find((known) => known === nameDimension(name));
  const shown = quote(text, { maxLength: MAX_SHOWN });
  if (operator === undefined || dimension === undefined)
    throw createGoalError(
      `must be an event, a page or a hostname, ${EXAMPLES}, not ${shown}${suggestConditions(text)}`,
    );
  if (!isOfHits(dimension))
    throw createGoalError(
      `must be an event, a page or a hostname, ${EXAMPLES}: give ${shown} as filter, or rank by ${dimension}`,
    );
  if (visit !== undefined)
    throw createGoalError(`must be written without visit:, ${EXAMPLES}; only a filter chooses visits`);
  if (operator === "!=")
    throw createGoalError(
      `must say what is reached, with =: nearly everybody has a hit that is something else. Visits without it are a filter, ${quote(`visit:${text.trim()}`, { maxLength: MAX_SHOWN })}`,
    );
  const [goal] = readOrRename(text, parameter);
  if (goal === undefined || goal.alternatives.includes(null))
    throw createGoalError(`must have a value, ${EXAMPLES}: nothing is reached by a hit that has none`);
  return goal;
}

/** What a word alone can be meant for. */
const suggestConditions = (text: string): string =>
  text.length <= MAX_SHOWN && /^[\w-]+$/.test(text)
    ? `: write events=${text} if that is an event, pages=/${text} if it is a page`
    : "";

function readOrRename(text: string, parameter: string): Filter {
  try {
    return readFilterInput([text]) ?? [];
  } catch (error) {
    throw renameParameter(error, "filter", parameter, isOfHits);
  }
}

/** Refuses conditions on hits. @param what What they are asked with: a goal, or steps. */
export function assertOfVisits(filter: Filter, what: string): void {
  const onHits = filter.find(isOnHits);
  if (onHits === undefined) return;
  const text = formatCondition(onHits);
  throw createFilterError(
    `must be ${quote(`visit:${text}`)}, not ${quote(text)}: with ${what}, it chooses whole visits`,
  );
}

/** The conditions on visits with the goal, in canonical order. Throws AnalyticsError for conditions on hits. */
export function addGoal(goal: Condition, filter: Filter = []): Filter {
  assertOfVisits(filter, "a goal");
  if (filter.length >= MAX_CONDITIONS)
    throw createFilterError(`must have at most ${MAX_CONDITIONS - 1} conditions beside a goal`);
  return parseFilter([...filter, goal].map(formatCondition));
}

/** An error on the filter of a call that only its goal can have caused, as an error on the goal. */
export const renameToGoal = (error: unknown): unknown =>
  renameParameter(renameParameter(error, "dimension", "goal", isOfHits), "filter", "goal", isOfHits);

/** An error on the dimension of a call, as an error on what ranks conversions. */
export const renameToBy = (error: unknown): unknown =>
  renameParameter(error, "dimension", "by", (dimension) => !isOfHits(dimension));

/** @param isPossible Of the dimensions that a source records, which can be the other parameter's. */
function renameParameter(
  error: unknown,
  from: string,
  to: string,
  isPossible: (dimension: Dimension) => boolean,
): unknown {
  if (!(error instanceof AnalyticsError)) return error;
  const refused = error.parameters.find(({ parameter }) => parameter === from);
  if (refused === undefined) return error;
  const allowed = dimensions.filter((each) => isPossible(each) && refused.allowed?.includes(each));
  const detail = refused.detail.replace(
    /; it (has|can be) .*/s,
    allowed.length > 0 ? `; it $1 ${allowed.join(", ")}` : "",
  );
  const { code, hint, next, status } = error;
  return new AnalyticsError(code, `${to} ${detail}.`, {
    hint,
    next,
    status,
    parameters: [{ parameter: to, detail, ...(allowed.length > 0 && { allowed }) }],
    cause: error,
  });
}
