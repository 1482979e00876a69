import type * as z from "zod";

export interface Schemas<Params extends z.ZodObject, Result extends z.ZodObject> {
  /** Query parameters: strict, since an ignored parameter is a wrong number in somebody's report. */
  readonly params: Params;
  /** The answer's body: unknown members are dropped, types are not negotiable. */
  readonly result: Result;
}

/** The same, not built yet: whoever asks one question need not wait for the schemas of all others. */
export interface LazySchemas<Params extends z.ZodObject, Result extends z.ZodObject> {
  params(): Params;
  result(): Result;
}

export function buildWhenAsked<P extends z.ZodObject, R extends z.ZodObject, T extends LazySchemas<P, R>>(
  declaration: T & LazySchemas<P, R>,
): Omit<T, keyof Schemas<P, R>> & Schemas<P, R> {
  const [params, result] = [once(declaration.params), once(declaration.result)];
  return {
    ...declaration,
    get params() {
      return params();
    },
    get result() {
      return result();
    },
  };
}

/** Makes a value when it is first asked for, and keeps it. */
export function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
