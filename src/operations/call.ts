import type { InputOf, Operation, ResultOf } from "./operation.ts";

export interface CallOptions {
  signal?: AbortSignal | undefined;
  /** Never answers from a cache: several answers must be of one moment. */
  fresh?: boolean;
}

/**
 * Asks an operation of a source, whichever it is. Throws AnalyticsError: `missing_parameter`, `invalid_parameter` or
 * `unknown_parameter` before anything is asked, and the source's own failures.
 */
export interface Call {
  <O extends Operation>(operation: O, params: InputOf<O>, options?: CallOptions): Promise<ResultOf<O>>;
  /** The site for questions that name none. */
  readSite?(): Promise<string | undefined>;
}
