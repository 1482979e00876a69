import { AnalyticsError, type ErrorCode } from "../errors.ts";
import { readMember } from "../member.ts";
import type { Call, CallOptions } from "../operations/call.ts";
import { addFilter } from "../operations/filter.ts";
import { openapi, timeseries } from "../operations/index.ts";
import { NoFilterError } from "../operations/no-filter.ts";
import type { Operation } from "../operations/operation.ts";
import { onceDone } from "../operations/schemas.ts";
import { createBrake } from "./brake.ts";
import { createConcurrencyLimiter, createSingleFlight } from "./concurrency.ts";
import { ForeignAnswerError } from "./foreign-answer.ts";
import { type Fetch, type JsonResponse, type ResponseLimits, sendRequest } from "./http-request.ts";
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
  /** The command that asks for another key and saves it in its place. */
  login?: string | undefined;
  /** The options with which `login` would ask for the same key, if that is running. */
  loginOptions?: readonly string[] | undefined;
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

/** The body of an answer, for whoever reads it by other rules than the contract's. */
export type ReadText = (
  path: string,
  params: Record<string, unknown>,
  options: Pick<CallOptions, "signal" | "fresh">,
) => Promise<Pick<JsonResponse, "text" | "link">>;

export interface HttpClient {
  call: HttpCall;
  readText: ReadText;
}

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
export function createHttpClient({ readTarget, clock, limits }: HttpClientOptions): HttpClient {
  const bounds = { ...DEFAULT_LIMITS, ...limits };
  const cache = createResponseCache(bounds.cache, clock);
  const share = createSingleFlight<unknown>();
  const limitConcurrency = createConcurrencyLimiter(bounds.concurrency);
  const openBrake = createBrake(bounds.maxBackoff);
  // After a failure, a login may follow.
  const openTarget = onceDone(readTarget);

  const send = async (path: string, query: string, signal: AbortSignal): Promise<JsonResponse> => {
    const { baseUrl, apiKey, fetch, proxies = [], keySource, login } = await openTarget();
    const url = `${baseUrl}${path}${query}`;
    const request = { url, path, apiKey, fetch, proxies, keySource, login, clock };
    const pass = openBrake();
    const attempt = (attemptSignal: AbortSignal) =>
      limitConcurrency(
        () => pass(() => sendRequest(request, bounds, attemptSignal), attemptSignal),
        attemptSignal,
      );
    return retry(attempt, bounds, signal);
  };

  type Params = Record<string, unknown>;
  const request = async (operation: Operation, params: Params, query: string, signal: AbortSignal) => {
    const { path } = operation;
    const { text, link, freshFor } = await send(path, query, signal);
    let result: unknown;
    try {
      result = parseResult(operation, params, text);
    } catch (error) {
      // Whoever reads it by other rules need not ask again.
      if (error instanceof ForeignAnswerError) keepText(path, query, { text, link, freshFor });
      throw error;
    }
    // An operation that reports this very moment is never cached, whatever the service allows.
    if (operation.maxAge > 0) {
      cache.set(`${path}${query}`, result, text.length, Math.min(freshFor, secondsToMidnight(result)));
    }
    return result;
  };

  const call: Call = async (operation, given, { signal, fresh, span, filter } = {}) => {
    const { days, ...rest } = { days: undefined, ...given };
    const filtered = addFilter(operation, filter);
    if (filtered.filter && !(await offersFilter(operation, { signal }))) throw new NoFilterError();
    if ("interval" in given && !(await offersHours({ signal }))) throw createNoHoursError();
    if (readMember(given, "status") !== undefined && !(await offers(["status"], operation.path, { signal })))
      throw createNoStatusError();
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
  const keepText = (path: string, query: string, { text, link, freshFor }: JsonResponse) => {
    const answer = { text, link };
    cache.set(nameText(path, query), answer, text.length, Math.max(freshFor, MIN_FRESH_SECONDS));
    return answer;
  };
  const readText: ReadText = async (path, params, { signal, fresh }) => {
    const query = formatQuery(params);
    const key = nameText(path, query);
    const read = async (sharedSignal: AbortSignal) => {
      return keepText(path, query, await send(path, query, sharedSignal));
    };
    // The cache and the flights of this key hold texts alone.
    return ((fresh ? undefined : cache.get(key)) ?? share(key, read, signal)) as ReturnType<ReadText>;
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
  return { call: Object.assign(call, { readSite, offersSpans, offersFilter, offersHours }), readText };
}

const nameText = (path: string, query: string) => `text ${path}${query}`;

/** The answers of one question must agree, also where a service says nothing of how long they may be reused. */
const MIN_FRESH_SECONDS = 10;

const NO_DESCRIPTION = new Set<ErrorCode>(["not_found", "bad_answer", "too_large"]);

export const createNoHoursError = () =>
  new AnalyticsError("invalid_parameter", "There are no hours: this service only has days.", {
    hint: "Ask by day, week, month or weekday.",
    next: [{ why: "By day", params: { interval: undefined } }],
    parameters: [{ parameter: "interval", detail: "cannot be hour: this service only has days" }],
  });

const createNoStatusError = () =>
  new AnalyticsError(
    "invalid_parameter",
    "status cannot be used: this service does not tell failures apart.",
    {
      hint: "Without it, not-found lists what was answered 404 or 410.",
      parameters: [
        { parameter: "status", detail: "cannot be used: this service does not tell failures apart" },
      ],
    },
  );

function formatQuery(params: Record<string, unknown>): string {
  const query = new URLSearchParams(
    Object.entries(params).flatMap(([name, value]) =>
      (Array.isArray(value) ? value : [value]).map((each): [string, string] => [name, `${each}`]),
    ),
  );
  return query.size === 0 ? "" : `?${query}`;
}
