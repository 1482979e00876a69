import type { Call } from "../operations/call.ts";
import type { Operation } from "../operations/operation.ts";
import { parseParams } from "../operations/parameters.ts";
import { createConcurrencyLimiter } from "./concurrency-limiter.ts";
import { type Fetch, type HttpRequest, type Limits, sendRequest } from "./http-request.ts";
import { type CacheLimits, createResponseCache } from "./response-cache.ts";
import { readAnswer } from "./result-parser.ts";
import { type RetryPolicy, retry } from "./retry.ts";
import { createSingleFlight } from "./single-flight.ts";

/** Where calls go: a base URL that ends in `/api/v1`, a key, and what carries a request there. */
export interface Target {
  baseUrl: string;
  apiKey: string;
  fetch: Fetch;
  /** Proxies that a request may go through: a failure to reach one is not the service's. */
  proxies?: readonly (string | undefined)[];
  /** Asked about where a question names none. */
  site?: string | undefined;
  /** Where the key was found, for messages. */
  keySource?: string | undefined;
}

export interface ClientOptions {
  /**
   * Asked at the first call and not before, so that a server without a key can start and list its tools.
   * What it throws is the call's answer.
   */
  readTarget: () => Target | Promise<Target>;
  /** Milliseconds since 1970. */
  clock: () => number;
  limits?: Partial<ClientLimits>;
}

interface ClientLimits extends Limits, RetryPolicy {
  /** Requests under way at the same time. */
  concurrency: number;
  cache: CacheLimits;
}

/** Limits in milliseconds and bytes. Connect, header and body time limits belong to the target's `fetch`. */
const DEFAULT_LIMITS: ClientLimits = {
  deadline: 30_000,
  attempts: 4,
  firstBackoff: 250,
  maxBackoff: 4_000,
  maxBytes: 10_000_000,
  concurrency: 100,
  cache: { entries: 200, size: 10_000_000 },
};

/**
 * A client for one key: what it remembers and shares between callers is that key's alone. The same question
 * asked several times at once is one request, and an answer is used again while its service allows it.
 */
export function createHttpClient({ readTarget, clock, limits }: ClientOptions): { call: Call } {
  const bounds = { ...DEFAULT_LIMITS, ...limits };
  const cache = createResponseCache(bounds.cache, clock);
  const share = createSingleFlight<unknown>();
  const inSlot = createConcurrencyLimiter(bounds.concurrency);
  let target: Promise<Target> | undefined;

  /** Asked again after a failure: what was missing may be there by now, as after a login. */
  const openTarget = (): Promise<Target> => {
    target ??= Promise.resolve()
      .then(readTarget)
      .catch((error: unknown) => {
        target = undefined;
        throw error;
      });
    return target;
  };

  const ask = async (operation: Operation, params: object, query: string, signal: AbortSignal) => {
    const { baseUrl, apiKey, fetch, proxies = [], keySource } = await openTarget();
    const { path } = operation;
    const send: HttpRequest = {
      url: `${baseUrl}${path}${query}`,
      path,
      apiKey,
      fetch,
      proxies,
      keySource,
      clock,
    };
    const attempt = (within: AbortSignal) => inSlot(() => sendRequest(send, bounds, within), within);
    const { text, freshFor } = await retry(attempt, bounds, signal);
    const result = readAnswer(operation, params as never, text);
    // What is asked to know this very moment is not kept, whatever the service allows.
    if (operation.maxAge > 0) {
      cache.keep(`${path}${query}`, result, text.length, Math.min(freshFor, secondsToMidnight(result)));
    }
    return result;
  };

  const call: Call = async (operation, input, { signal, fresh } = {}) => {
    const params = parseParams(operation.params, input as Record<string, unknown>);
    const query = formatQuery(params);
    const key = `${operation.path}${query}`;
    const known = fresh ? undefined : cache.find(key);
    return (known ?? share(key, (all) => ask(operation, params, query, all), signal)) as never;
  };
  return { call: Object.assign(call, { readSite: async () => (await openTarget()).site }) };
}

/**
 * An answer whose last day is today is yesterday's after midnight at the site, however long it may be kept.
 * Its own `as_of` tells the site's time, so no clock but the service's is asked.
 */
function secondsToMidnight(result: unknown): number {
  const asOf: unknown = Reflect.get(Object(Reflect.get(Object(result), "period")), "as_of");
  const [, hours, minutes, seconds] = /T(\d\d):(\d\d):(\d\d)/.exec(String(asOf)) ?? [];
  if (seconds === undefined) return Number.POSITIVE_INFINITY;
  return 86_400 - (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds));
}

function formatQuery(params: Record<string, unknown>): string {
  const query = new URLSearchParams(
    Object.entries(params).map(([name, value]): [string, string] => [name, `${value}`]),
  );
  return query.size === 0 ? "" : `?${query}`;
}
