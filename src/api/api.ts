import { createHash, randomUUID } from "node:crypto";
import { buildLlmsTxt, LLMS_TXT_LINK } from "../documents/llms.ts";
import { AnalyticsError } from "../errors.ts";
import { readMember } from "../member.ts";
import { BASE_PATH } from "../operations/contract.ts";
import { type AnyOperation, operations } from "../operations/index.ts";
import { readParams } from "../operations/parameters.ts";
import { queries } from "../reports/queries.ts";
import type { KeyHolder, Keyring } from "../sources/keyring.ts";
import {
  answerOperation,
  createNotOfferedError,
  findLack,
  offersOperation,
} from "../sources/operation-answers.ts";
import { assertNotDaysAndSpan } from "../sources/span.ts";
import { type Allowance, createKeyQuota, type Quota } from "./key-quota.ts";
import { buildProblem } from "./problem-document.ts";

export interface ApiOptions {
  /** Finds the data that a key gives access to. */
  keyring: Keyring;
  /** Milliseconds since 1970. */
  clock: () => number;
  /** Requests per key; by default 120 in 60 seconds. */
  quota?: Quota | undefined;
  createRequestId?: () => string;
  /** False while the server is shutting down: every request then gets 503. */
  isAvailable?: () => boolean;
  /** Called for a failure that the contract does not cover (a 500), with the response's request id. */
  onFault?: (fault: unknown, requestId: string) => void;
}

/** The parts of a request that the API reads. A Fetch Standard `Request` has them all. */
export interface ApiRequest {
  method: string;
  /** Absolute. Its origin is ignored. */
  url: string;
  headers: { get(name: string): string | null };
  /** Aborted when nobody waits for the response any more. */
  signal?: AbortSignal | undefined;
}

export interface ApiResponse {
  status: number;
  /** By name, each spelled one way. */
  headers: Map<string, string>;
  body: string | null;
}

export type Api = (request: ApiRequest) => Promise<ApiResponse>;

const DEFAULT_QUOTA: Quota = { limit: 120, window: 60 };
const RETRY_AFTER_SECONDS = "5";

const furtherReading = [
  {
    title: "OpenAPI 3.1 document",
    path: `${BASE_PATH}/openapi.json`,
    about: "every field, bound and error (needs the key)",
  },
];

/**
 * Creates the REST API for any data source, as a function from request to response: routing, keys, quotas, validation,
 * ETags and problem documents. `listen.ts` serves it over HTTP.
 */
export function createApi(options: ApiOptions): Api {
  const { keyring, clock, quota = DEFAULT_QUOTA, createRequestId = randomUUID } = options;
  const spendQuota = createKeyQuota(quota);
  const routes = new Map<string, AnyOperation>(
    operations.map((operation) => [BASE_PATH + operation.path, operation]),
  );

  const respond = async (request: ApiRequest, headers: Map<string, string>): Promise<ApiResponse> => {
    const url = new URL(request.url);
    const operation = routes.get(url.pathname);
    const isLlmsTxt = url.pathname === "/llms.txt";
    if (!operation && !isLlmsTxt) throw new AnalyticsError("not_found", "There is nothing at this path.");
    if (request.method !== "GET" && request.method !== "HEAD") {
      headers.set("Allow", "GET, HEAD");
      throw new AnalyticsError("method_not_allowed", "The API is read-only: use GET or HEAD.");
    }
    if (!operation) return sendText(headers, buildLlmsTxt(queries, furtherReading));

    const { keyId, source } = authenticate(request, headers);
    const now = clock();
    applyQuota(spendQuota(keyId, Math.floor(now / 1000) * 1000), headers);
    if (!offersOperation(source, operation)) throw createNotOfferedError(findLack(source, operation.name));
    const query = readQuery(url.searchParams);
    const params = readParams(operation.allParams, query);
    assertNotDaysAndSpan((name) => query.has(name));
    const body = await answerOperation(operation, params, {
      source,
      now,
      signal: request.signal,
      withDates: true,
    });
    // The contract has no totals without events.
    if (operation.name === "stats" && readMember(Object(body), "events") === undefined)
      throw createNotOfferedError("it has no events");
    return send(operation, request, headers, body);
  };

  const authenticate = (request: ApiRequest, headers: Map<string, string>): KeyHolder => {
    const [, key] = /^Bearer +([\x21-\x7e]+) *$/i.exec(request.headers.get("authorization") ?? "") ?? [];
    const holder = key === undefined ? undefined : keyring(key);
    if (holder) return holder;
    headers.set("WWW-Authenticate", key === undefined ? "Bearer" : 'Bearer error="invalid_token"');
    throw key === undefined
      ? new AnalyticsError("missing_api_key", "Send your API key as Authorization: Bearer <API_KEY>.")
      : new AnalyticsError("invalid_api_key", "The API key is not valid: it is mistyped, or it was revoked.");
  };

  const applyQuota = ({ allowed, remaining, reset }: Allowance, headers: Map<string, string>) => {
    headers.set("RateLimit-Policy", `"default";q=${quota.limit};w=${quota.window}`);
    headers.set("RateLimit", `"default";r=${remaining};t=${reset}`);
    if (allowed) return;
    headers.set("Retry-After", String(reset));
    throw new AnalyticsError("rate_limited", `The key's quota is used up: try again in ${reset} seconds.`);
  };

  return async (request) => {
    const requestId = createRequestId();
    const headers = new Map([
      ["X-Request-Id", requestId],
      ["X-Content-Type-Options", "nosniff"],
      ["Vary", "Authorization"],
      ["Link", LLMS_TXT_LINK],
    ]);
    let response: ApiResponse;
    try {
      if (options.isAvailable?.() === false) {
        throw new AnalyticsError("unavailable", "The service is shutting down: try again shortly.");
      }
      response = await respond(request, headers);
    } catch (error) {
      // A failure after the caller left is a consequence of the abort.
      const isAborted = request.signal?.aborted === true;
      if (!isAborted && !(error instanceof AnalyticsError)) options.onFault?.(error, requestId);
      if (error instanceof AnalyticsError && error.code === "unavailable") {
        headers.set("Retry-After", RETRY_AFTER_SECONDS);
      }
      response = answerProblem(error, headers, requestId);
    }
    return request.method === "HEAD" ? { ...response, body: null } : response;
  };
}

/** Collects every value of a parameter, so that a repeated one can be refused. */
function readQuery(query: URLSearchParams): Map<string, string[]> {
  const given = new Map<string, string[]>();
  for (const [name, value] of query) given.set(name, [...(given.get(name) ?? []), value]);
  return given;
}

/** Sends a result with an ETag that ignores `as_of`, which would change it every second. */
function send(operation: AnyOperation, request: ApiRequest, headers: Map<string, string>, body: unknown) {
  const etag = `W/"${hash(JSON.stringify(body, (key, value) => (key === "as_of" ? undefined : value)))}"`;
  headers.set("ETag", etag);
  headers.set("Cache-Control", operation.maxAge === 0 ? "no-cache" : `private, max-age=${operation.maxAge}`);
  if (matches(request.headers.get("if-none-match"), etag)) return { status: 304, headers, body: null };
  headers.set("Content-Type", "application/json");
  return { status: 200, headers, body: JSON.stringify(body) };
}

/** Evaluates If-None-Match, which compares weakly (RFC 9110, sections 8.8.3.2 and 13.1.2). */
function matches(ifNoneMatch: string | null, etag: string): boolean {
  if (ifNoneMatch === null) return false;
  if (ifNoneMatch.trim() === "*") return true;
  const opaque = (tag: string) => tag.trim().replace(/^W\//, "");
  return ifNoneMatch.split(",").some((tag) => opaque(tag) === opaque(etag));
}

function sendText(headers: Map<string, string>, body: string): ApiResponse {
  headers.set("Content-Type", "text/plain; charset=utf-8");
  headers.set("Cache-Control", "public, max-age=3600");
  headers.delete("Vary");
  return { status: 200, headers, body };
}

function answerProblem(error: unknown, headers: Map<string, string>, requestId: string): ApiResponse {
  const known =
    error instanceof AnalyticsError
      ? error
      : new AnalyticsError(
          "internal_error",
          "The service failed to answer. Report the request id to its operator.",
        );
  const problem = buildProblem(known, requestId);
  headers.set("Content-Type", "application/problem+json");
  headers.set("Cache-Control", "no-store");
  return { status: problem.status, headers, body: JSON.stringify(problem) };
}

const hash = (text: string): string => createHash("sha256").update(text).digest("base64url").slice(0, 22);
