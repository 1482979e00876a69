import type * as z from "zod";
import type { Call } from "../operations/call.ts";
import type { Presentation } from "../operations/operation.ts";
import { type LazySchemas, type Schemas, withLazySchemas } from "../operations/schemas.ts";
import type { View } from "../operations/view.ts";
import type { QueryOptions } from "./default-days.ts";

/**
 * A query that combines several operations. It is declared like an operation; `compute` answers it with operations of
 * the contract only.
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
  compute(call: Call, params: z.output<Params>, options: QueryOptions): Promise<z.output<Result>>;
  /** The result without members that can be derived from others, which saves a model tokens. */
  compact?(result: z.output<Result>): Record<string, unknown>;
  /** What a chart draws in addition. Only people see it, so it costs a model nothing. */
  drawn?(result: z.output<Result>): Record<string, unknown>;
  /** The answer as tables, in order; the headline and notes of the first apply to all. */
  views(result: z.output<Result>): View[];
}

export function defineReport<const N extends string, P extends z.ZodObject, R extends z.ZodObject>(
  report: Declaration<N, P, R> & LazySchemas<P, R>,
): Report<N, P, R> {
  return withLazySchemas(report);
}
