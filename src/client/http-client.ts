import { AnalyticsError, type ErrorCode } from "../errors.ts";
import { readMember } from "../member.ts";
import type { Call, CallOptions } from "../operations/call.ts";
import { addFilter } from "../operations/filter.ts";
import { openapi, timeseries } from "../operations/index.ts";
import type { Operation } from "../operations/operation.ts";
import { onceDone } from "../operations/schemas.ts";
import { createConcurrencyLimiter, createSingleFlight } from "./concurrency.ts";
import { type Fetch, type ResponseLimits, sendRequest } from "./http-request.ts";
import { type CacheLimits, createResponseCache, secondsToMidnight } from "./response-cache.ts";
import { parseResult } from "./result-parser.ts";
import { type RetryPolicy, retry } from "./retry.ts";

/** Where calls go: a base URL that ends in `/api/v1`, a key, and the function that sends a request. */
export interface Target {
  baseUrl: string;
  apiKey: string;
  fetch: Fetch;
  /** The proxies a request may go through, to tell a proxy that cannot be reached from a service that cannot. */
  proxies?: readonly (string | undefined)[];
  /** The site to use when a query names none. */
  site?: string | undefined;
  /** Where the key was found, for messages. */
  keySource?: string | undefined;
  /** The timezones of sites, by domain, for a service that does not tell them. */
  siteTimezones?: Readonly<Record<string, string>> | undefined;
}

export interface HttpClientOptions {
  /**
   * Called at the first call, not before, so that a server without a key can start and list its tools. If it throws,
   * the call fails with that error.
   */
  readTarget: () => Target | Promise<Target>;
  /** Milliseconds since 1970. */
  clock: () => number;
  limits?: Partial<HttpClientLimits>;
}

interface HttpClientLimits extends ResponseLimits, RetryPolicy {
  /** Requests in flight at the same time. */
  concurrency: number;
  cache: CacheLimits;
}

export type HttpCall = Call &
  Required<Pick<Call, "readSite" | "offersSpans" | "offersFilter" | "offersHours">>;

/** Limits in milliseconds and bytes. Time limits for connecting, headers and body belong to the target's `fetch`. */
const DEFAULT_LIMITS: HttpClientLimits = {
  deadline: 30_000,
  attempts: 4,
  firstBackoff: 250,
  maxBackoff: 4_000,
  maxBytes: 10_000_000,
  concurrency: 100,
  cache: { entries: 200, size: 10_000_000 },
};

/**
 * Creates an HTTP client for one key: its cache and its shared requests are never used for another key. The same call
 * made several times at once sends one request, and a response is reused for as long as the service allows.
 *
 * A call parses its parameters, and throws AnalyticsError as `Call` says, or with the service's error: `unreachable`,
 * `timeout`, `tls`, `proxy`, `redirected`, `bad_answer`, `too_large`, `cancelled` or a code of the contract.
 */
export function createHttpClient({ readTarget, clock, limits }: HttpClientOptions): { call: HttpCall } {
  const bounds = { ...DEFAULT_LIMITS, ...limits };
  const cache = createResponseCache(bounds.cache, clock);
  const share = createSingleFlight<unknown>();
  const limitConcurrency = createConcurrencyLimiter(bounds.concurrency);
  // After a failure, a login may follow.
  const openTarget = onceDone(readTarget);

  const request = async (
    operation: Operation,
    params: Record<string, unknown>,
    query: string,
    signal: AbortSignal,
  ) => {
    const { baseUrl, apiKey, fetch, proxies = [], keySource } = await openTarget();
    const { path } = operation;
    const send = { url: `${baseUrl}${path}${query}`, path, apiKey, fetch, proxies, keySource, clock };
    const attempt = (attemptSignal: AbortSignal) =>
      limitConcurrency(() => sendRequest(send, bounds, attemptSignal), attemptSignal);
    const { text, freshFor } = await retry(attempt, bounds, signal);
    const result = parseResult(operation, params, text);
    // An operation that reports this very moment is never cached, whatever the service allows.
    if (operation.maxAge > 0) {
      cache.set(`${path}${query}`, result, text.length, Math.min(freshFor, secondsToMidnight(result)));
    }
    return result;
  };

  const call: Call = async (operation, given, { signal, fresh, span, filter } = {}) => {
    const { days, ...rest } = { days: undefined, ...given };
    const filtered = addFilter(operation, filter);
    if (filtered.filter && !(await offersFilter(operation, { signal }))) throw createNoFilterError();
    if ("interval" in given && !(await offersHours({ signal }))) throw createNoHoursError();
    const params = { ...(span ? { ...rest, ...span } : given), ...filtered };
    const query = formatQuery(params);
    const key = `${operation.path}${query}`;
    const known = fresh ? undefined : cache.get(key);
    // Cache and shared requests hold results of all operations; the key begins with this operation's path.
    return (known ??
      share(
        key,
        (sharedSignal) => request(operation, { ...given, ...span, ...filtered }, query, sharedSignal),
        signal,
      )) as never;
  };
  const readSite = async () => (await openTarget()).site;
  /** Whether the service's OpenAPI document lists optional parameters of a path. */
  const offers = async (names: readonly string[], path: string, { signal }: CallOptions) => {
    try {
      const { parameters = [] } = readMember((await call(openapi, {}, { signal })).paths, path)?.get ?? {};
      return names.every((name) => parameters.some((each) => each.name === name));
    } catch (error) {
      // A service without a usable description offers nothing beyond the rest of the contract.
      if (error instanceof AnalyticsError && NO_DESCRIPTION.has(error.code)) return false;
      throw error;
    }
  };
  const offersSpans: HttpCall["offersSpans"] = ({ path }, options) => offers(["from", "to"], path, options);
  const offersFilter: HttpCall["offersFilter"] = ({ path }, options) => offers(["filter"], path, options);
  const offersHours: HttpCall["offersHours"] = (options) => offers(["interval"], timeseries.path, options);
  return { call: Object.assign(call, { readSite, offersSpans, offersFilter, offersHours }) };
}

const NO_DESCRIPTION = new Set<ErrorCode>(["not_found", "bad_answer", "too_large"]);

/** Nothing was asked: the service would have ignored the filter, or refused it in its own words. */
const createNoFilterError = () =>
  new AnalyticsError("invalid_parameter", "filter cannot be used: this service does not offer filters.", {
    hint: "Without it, breakdown ranks the values of one dimension: pages, referrers, countries and so on.",
    parameters: [{ parameter: "filter", detail: "cannot be used: this service does not offer filters" }],
  });

const createNoHoursError = () =>
  new AnalyticsError("invalid_parameter", "There are no hours: this service only has days.", {
    hint: "Ask by day, week or month.",
    parameters: [{ parameter: "interval", detail: "cannot be hour: this service only has days" }],
  });

function formatQuery(params: Record<string, unknown>): string {
  const query = new URLSearchParams(
    Object.entries(params).flatMap(([name, value]) =>
      (Array.isArray(value) ? value : [value]).map((each): [string, string] => [name, `${each}`]),
    ),
  );
  return query.size === 0 ? "" : `?${query}`;
}
