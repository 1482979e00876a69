import type * as z from "zod";

export interface Schemas<Params extends z.ZodObject, Result extends z.ZodObject> {
  /** Query parameters: strict, since an ignored parameter is a wrong number in somebody's report. */
  readonly params: Params;
  /** `params` and those that a service may offer besides (`optionalParams`): what this program's own API takes. */
  readonly allParams: z.ZodObject;
  /** The answer's body: unknown members are dropped, types are not negotiable. */
  readonly result: Result;
}

/** The same as functions: asking one question must not wait for the schemas of all others. */
export interface LazySchemas<Params extends z.ZodObject, Result extends z.ZodObject> {
  params(): Params;
  /** Additive parameters of the contract: a service that takes them lists them in its OpenAPI document. */
  optionalParams?(): z.ZodRawShape;
  result(): Result;
}

export function buildWhenAsked<P extends z.ZodObject, R extends z.ZodObject, T extends LazySchemas<P, R>>(
  declaration: T & LazySchemas<P, R>,
): Omit<T, keyof Schemas<P, R>> & Schemas<P, R> {
  const [params, result] = [once(declaration.params), once(declaration.result)];
  const { optionalParams } = declaration;
  const allParams = once((): z.ZodObject => (optionalParams ? params().extend(optionalParams()) : params()));
  return {
    ...declaration,
    get params() {
      return params();
    },
    get allParams() {
      return allParams();
    },
    get result() {
      return result();
    },
  };
}

/** Makes a value at the first call and keeps it. */
export function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
