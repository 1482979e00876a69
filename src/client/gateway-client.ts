import { setTimeout as sleep } from "node:timers/promises";
import type * as z from "zod";
import { AnalyticsError } from "../errors.ts";
import { createBrake } from "./brake.ts";
import { createConcurrencyLimiter, createSingleFlight } from "./concurrency.ts";
import type { HttpClientOptions, Target } from "./http-client.ts";
import { type Explain, sendRequest } from "./http-request.ts";
import { countRequest } from "./progress.ts";
import { createResponseCache } from "./response-cache.ts";
import { parseBody } from "./result-parser.ts";
import { retry } from "./retry.ts";

/** A service that has an API of its own. */
export interface GatewayService {
  /** For people: `Matomo`. */
  title: string;
  /** The headers that carry the key, if it is not in a request's form. */
  authorize?(apiKey: string): Readonly<Record<string, string>>;
  /** What it means by an error; undefined to go by the status. Nobody may see its own words unbounded. */
  explain?: Explain;
  /** Requests in flight at the same time. */
  concurrency: number;
  /** How many requests of one key it allows in so many seconds. */
  quota?: { requests: number; seconds: number } | undefined;
}

export interface GatewayRequest<T> {
  /** Appended to the base URL. */
  path: string;
  query?: Readonly<Record<string, string>>;
  /** The body of a POST: a JSON value, or the fields of a form. Keys belong into a form or a header, never into the query. */
  json?: unknown;
  form?: Readonly<Record<string, string>>;
  schema: z.ZodType<T>;
  /** Seconds for which the answer may be reused. Absent for an answer about this very moment. */
  freshFor?: number;
}

export interface GatewayClient {
  /**
   * Sends a request and parses its answer. The same request made several times at once is sent once. Throws
   * AnalyticsError `bad_answer` for an answer that does not have the request's shape, `rate_limited` if the quota is used up
   * for longer than a person would wait, and whatever `sendRequest` throws.
   */
  ask<T>(request: GatewayRequest<T>, signal?: AbortSignal): Promise<T>;
  /**
   * Throws AnalyticsError `rate_limited` if so many requests are more than what is left of the quota. To be called before
   * the first of many, so that no question fails half way.
   *
   * @param advise What to ask instead, given how many requests are left.
   */
  assertAffordable(requests: number, advise: (left: number) => string): void;
}

const MAX_BYTES = 20_000_000;
/** A report that a service computes when it is first asked for takes a while. */
const POLICY = { deadline: 120_000, attempts: 4, firstBackoff: 250, maxBackoff: 4_000 };
const CACHE = { entries: 500, size: 20_000_000 };
/** Nobody waits longer than this for a quota. */
const MAX_QUOTA_WAIT_MS = 20_000;

/** Creates the client of one key: its cache, its shared requests and its quota are never another key's. */
export function createGatewayClient(
  service: GatewayService,
  { baseUrl, apiKey, fetch, proxies = [], keySource }: Target,
  { clock, limits }: Pick<HttpClientOptions, "clock"> & { limits: HttpClientOptions["limits"] | undefined },
): GatewayClient {
  const policy = { ...POLICY, ...limits };
  const cache = createResponseCache(CACHE, clock);
  const share = createSingleFlight<unknown>();
  const limitConcurrency = createConcurrencyLimiter(service.concurrency);
  const openBrake = createBrake(policy.maxBackoff);
  const meter = createMeter(service, clock);
  const headers = service.authorize?.(apiKey) ?? {};
  const { explain } = service;

  const send = async <T>(request: GatewayRequest<T>, key: string, signal: AbortSignal): Promise<T> => {
    const { path, query, json, form, schema, freshFor = 0 } = request;
    const search = query === undefined ? "" : `?${new URLSearchParams(query)}`;
    const body = json === undefined ? form && `${new URLSearchParams(form)}` : JSON.stringify(json);
    const type = json === undefined ? "application/x-www-form-urlencoded" : "application/json";
    const sent = {
      url: `${baseUrl}${path}${search}`,
      path,
      apiKey,
      headers: { ...headers, ...(body !== undefined && { "Content-Type": type }) },
      body,
      fetch,
      proxies,
      keySource,
      clock,
      ...(explain && { explain }),
    };
    const pass = openBrake();
    const attempt = (attemptSignal: AbortSignal) =>
      limitConcurrency(
        () =>
          pass(async () => {
            await meter.take(attemptSignal);
            return sendRequest(sent, { maxBytes: MAX_BYTES }, attemptSignal);
          }, attemptSignal),
        attemptSignal,
      );
    const { text } = await retry(attempt, policy, signal);
    const result = parseBody(schema, text, (reason, cause) => {
      // Some services report an error with the status 200.
      const error = explain?.(200, text);
      return error ?? createShapeError(service.title, path, reason, cause);
    });
    if (freshFor > 0) cache.set(key, result, text.length, freshFor);
    return result;
  };

  return {
    ask: async <T>(request: GatewayRequest<T>, signal?: AbortSignal) => {
      const { path, query, json, form, freshFor = 0 } = request;
      const key = JSON.stringify([path, query, json, form]);
      // A key stands for one request, and so for one shape.
      const known = freshFor > 0 ? cache.get(key) : undefined;
      const ask = () => share(key, (shared) => send(request, key, shared), signal);
      return (known ?? countRequest(service.title, key, ask)) as Promise<T>;
    },
    assertAffordable: (requests, advise) => {
      const left = meter.left();
      if (requests <= left) return;
      const { quota } = service;
      throw new AnalyticsError(
        "rate_limited",
        `This question takes ${requests} requests to ${service.title}, which allows ${describeQuota(service)}: ${left} are left.`,
        { hint: advise(left), quota: quota && { ...quota } },
      );
    },
  };
}

/** Counts the requests of the quota's last window. */
function createMeter({ title, quota }: GatewayService, clock: () => number) {
  const sent: number[] = [];
  const prune = (window: number) => {
    const now = clock();
    while (sent[0] !== undefined && (sent[0] <= now - window || sent[0] > now)) sent.shift();
    return now;
  };
  return {
    left: () => {
      if (quota === undefined) return Number.POSITIVE_INFINITY;
      prune(quota.seconds * 1000);
      return Math.max(0, quota.requests - sent.length);
    },
    /** Waits until the quota allows another request. */
    take: async (signal: AbortSignal): Promise<void> => {
      if (quota === undefined) return;
      const window = quota.seconds * 1000;
      for (let now = prune(window); sent.length >= quota.requests; now = prune(window)) {
        const wait = (sent[0] ?? now) + window - now;
        if (wait > MAX_QUOTA_WAIT_MS) {
          throw new AnalyticsError(
            "rate_limited",
            `${title} allows ${describeQuota({ title, quota })}, and they are used up.`,
            { hint: `Try again in ${Math.ceil(wait / 60_000)} minutes.`, quota: { ...quota } },
          );
        }
        await sleep(wait, undefined, { signal });
      }
      sent.push(clock());
    },
  };
}

function describeQuota({ quota }: Pick<GatewayService, "title" | "quota">): string {
  const { requests = 0, seconds = 1 } = quota ?? {};
  return `${requests} requests ${seconds === 3600 ? "an hour" : `in ${seconds} seconds`}`;
}

const createShapeError = (title: string, path: string, reason: string, cause: unknown) =>
  new AnalyticsError("bad_answer", `${title}'s answer to ${path} is not as expected: ${reason}.`, {
    status: 200,
    hint: `Nothing was shown, because the numbers could be wrong. Check the base URL, and that ${title}'s version is one that analytics-mcp knows.`,
    cause,
  });
