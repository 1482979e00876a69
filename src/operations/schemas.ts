import type * as z from "zod";

export interface Schemas<
  Params extends z.ZodObject,
  Result extends z.ZodObject,
  Answer extends z.ZodObject = Result,
> {
  /** Query parameters. Strict, because ignoring a parameter gives somebody a wrong number. */
  readonly params: Params;
  /** `params` and `optionalParams`: everything this program's own API accepts. */
  readonly allParams: z.ZodObject;
  /** The body of the answer, as the contract has it. Unknown members are dropped; types must match exactly. */
  readonly result: Result;
  /** What callers get: `result`, where a service that only describes itself may leave members out. */
  readonly answer: Answer;
  /** `result`, with what optional parameters change in it: everything this program's own API can answer. */
  readonly fullResult: z.ZodObject;
}

/** The same as functions, so that a query builds its own schemas and not those of all others. */
export interface LazySchemas<
  Params extends z.ZodObject,
  Result extends z.ZodObject,
  Answer extends z.ZodObject = Result,
> {
  params(): Params;
  /** Parameters that a service may support; one that does lists them in its OpenAPI document. */
  optionalParams?(): z.ZodRawShape;
  result(): Result;
  /** If absent, the same as `result`. */
  answer?(): Answer;
  /** The result, with what optional parameters change in it. */
  fullResult?(): z.ZodObject;
}

export function withLazySchemas<
  P extends z.ZodObject,
  R extends z.ZodObject,
  A extends z.ZodObject,
  T extends LazySchemas<P, R, A>,
>(declaration: T & LazySchemas<P, R, A>): Omit<T, keyof Schemas<P, R, A>> & Schemas<P, R, A> {
  const [params, result] = [once(declaration.params), once(declaration.result)];
  // Without a schema of its own, an answer has that of the result, which is then its type, too.
  const answer = once(() => declaration.answer?.() ?? (result() as z.ZodObject as A));
  const { optionalParams } = declaration;
  const fullResult = once((): z.ZodObject => declaration.fullResult?.() ?? result());
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
    get answer() {
      return answer();
    },
    get fullResult() {
      return fullResult();
    },
  };
}

/** Creates a value at the first call and keeps it. */
export function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** The same for what takes time and can fail: after a failure the next call tries again. */
export function onceDone<T>(make: () => T | Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= Promise.resolve()
      .then(make)
      .catch((error: unknown) => {
        made = undefined;
        throw error;
      });
    return made;
  };
}
