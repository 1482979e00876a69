import type { InputOf, Operation, ResultOf } from "../operations/operation.ts";
import { parseParams } from "../operations/parameters.ts";
import { readAnswer } from "./answer.ts";
import { type Exchange, exchange, type Fetch, type Limits } from "./exchange.ts";
import { type Pace, retry } from "./retry.ts";

/** Where calls go: a base URL that ends in `/api/v1`, a key, and what carries a request there. */
export interface Target {
  baseUrl: string;
  apiKey: string;
  fetch: Fetch;
  /** Proxies that a request may go through: a failure to reach one is not the service's. */
  proxies?: readonly (string | undefined)[];
}

export interface CallOptions {
  signal?: AbortSignal | undefined;
}

/**
 * Calls an operation. Throws AnalyticsError: `missing_parameter`, `invalid_parameter`, `unknown_parameter`
 * before anything is sent; the service's own codes; and what can happen on the way (see `errors.ts`).
 */
export type Call = <O extends Operation>(
  operation: O,
  params: InputOf<O>,
  options?: CallOptions,
) => Promise<ResultOf<O>>;

export interface ClientOptions {
  /**
   * Asked at the first call and not before, so that a server without a key can start and list its tools.
   * What it throws is the call's answer.
   */
  readTarget: () => Target | Promise<Target>;
  limits?: Partial<Limits & Pace>;
}

/** Limits in milliseconds and bytes. Connect, header and body time limits belong to the target's `fetch`. */
const DEFAULT_LIMITS: Limits & Pace = {
  deadline: 30_000,
  attempts: 4,
  firstBackoff: 250,
  maxBackoff: 4_000,
  maxBytes: 10_000_000,
};

export function createClient({ readTarget, limits }: ClientOptions): { call: Call } {
  const bounds = { ...DEFAULT_LIMITS, ...limits };
  let target: Promise<Target> | undefined;

  const call: Call = async (operation, input, { signal } = {}) => {
    const params = parseParams(operation.params, input as Record<string, unknown>);
    target ??= Promise.resolve().then(readTarget);
    const { baseUrl, apiKey, fetch, proxies = [] } = await target;
    const send: Exchange = {
      url: `${baseUrl}${operation.path}${formatQuery(params)}`,
      path: operation.path,
      apiKey,
      fetch,
      proxies,
    };
    const body = await retry((within) => exchange(send, bounds, within), bounds, signal);
    return readAnswer(operation, params as never, body) as never;
  };
  return { call };
}

function formatQuery(params: Record<string, unknown>): string {
  const query = new URLSearchParams(
    Object.entries(params).map(([name, value]): [string, string] => [name, `${value}`]),
  );
  return query.size === 0 ? "" : `?${query}`;
}
