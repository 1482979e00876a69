import type { InputOf, Operation, ResultOf } from "./operation.ts";

export interface CallOptions {
  signal?: AbortSignal | undefined;
  /** Bypasses the cache, for several answers that must describe the same moment. */
  fresh?: boolean;
}

/**
 * Sends a query to the data source, local or remote. Throws AnalyticsError: `missing_parameter`, `invalid_parameter` or
 * `unknown_parameter` before it asks the source, then whatever the source fails with.
 */
export interface Call {
  <O extends Operation>(operation: O, params: InputOf<O>, options?: CallOptions): Promise<ResultOf<O>>;
  /** Returns the configured site, for queries without one. */
  readSite?(): Promise<string | undefined>;
}
