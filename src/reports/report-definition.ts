import type * as z from "zod";
import type { Call, CallOptions } from "../operations/call.ts";
import type { Presentation } from "../operations/operation.ts";
import { buildWhenAsked, type LazySchemas, type Schemas } from "../operations/schemas.ts";
import type { View } from "../operations/view.ts";
import { cleanText } from "../render/clean.ts";

/**
 * A question that takes several operations: declared like an operation, answered by `compute`, which asks
 * upstream for nothing beyond the contract.
 */
export interface Report<
  Name extends string = string,
  Params extends z.ZodObject = z.ZodObject,
  Result extends z.ZodObject = z.ZodObject,
> extends Declaration<Name, Params, Result>,
    Schemas<Params, Result> {}

interface Declaration<Name extends string, Params extends z.ZodObject, Result extends z.ZodObject>
  extends Presentation {
  readonly name: Name;
  compute(call: Call, params: z.output<Params>, options: CallOptions): Promise<z.output<Result>>;
  /** The result without what can be read off the rest of it, for a model that pays by the word. */
  compact?(result: z.output<Result>): Record<string, unknown>;
  /** The answer as tables, one below the other; the first one's headline and notes speak for all. */
  views(result: z.output<Result>): View[];
}

export function defineReport<const N extends string, P extends z.ZodObject, R extends z.ZodObject>(
  insight: Declaration<N, P, R> & LazySchemas<P, R>,
): Report<N, P, R> {
  return buildWhenAsked(insight);
}

const ATTEMPTS = 3;
/** Milliseconds after which nothing is read again: a slow service would use the question's time up. */
const TIME_TO_AGREE_MS = 10_000;

/**
 * Reads several answers that must agree, so none comes from memory. Visits arrive between calls, and midnight
 * may pass: where the answers do not agree all are read again, at most twice and while there is time; the last
 * ones are returned with what is left of the disagreement.
 */
export async function readTogether<T>(
  options: CallOptions,
  read: (fresh: CallOptions) => Promise<T>,
  disagree: (answers: T) => boolean,
): Promise<T> {
  const fresh = { ...options, fresh: true };
  const began = performance.now();
  let answers = await read(fresh);
  for (let attempt = 1; attempt < ATTEMPTS && disagree(answers); attempt++) {
    if (performance.now() - began > TIME_TO_AGREE_MS) break;
    answers = await read(fresh);
  }
  return answers;
}

/** Visitors may write labels of any length; an answer of several lists has room for short ones. */
export const shortLabel = (label: string) => cleanText(label, 80);
