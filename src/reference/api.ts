import { createHash, randomUUID } from "node:crypto";
import { buildLlmsTxt, LLMS_TXT_LINK } from "../documents/llms.ts";
import { buildOpenApi } from "../documents/openapi.ts";
import { AnalyticsError } from "../errors.ts";
import { questions } from "../insights/question.ts";
import { BASE_PATH } from "../operations/contract.ts";
import { type AnyOperation, operations } from "../operations/index.ts";
import { readParams } from "../operations/parameters.ts";
import { answers, type Context } from "./answers.ts";
import { createDataset, type Organization } from "./dataset.ts";
import { readFixtures } from "./fixtures.ts";
import { createKeyring, type KeyHolder } from "./keys.ts";
import { createLabels } from "./labels.ts";
import { type Allowance, createLimiter, type Quota } from "./limiter.ts";
import { buildProblem } from "./problems.ts";
import type { Fixtures } from "./profile.ts";

export interface ReferenceApiOptions {
  /** Milliseconds since 1970. */
  clock: () => number;
  fixtures?: Fixtures;
  seed?: string;
  quota?: Quota;
  createRequestId?: () => string;
  /** False while the server is shutting down: every request is then answered with 503. */
  isAvailable?: () => boolean;
  /** Told of a failure that no rule of the contract covers, with the answer's request id. */
  onFault?: (fault: unknown, requestId: string) => void;
}

/** What the API reads of a request; one of the Fetch Standard has it all. */
export interface ReferenceRequest {
  method: string;
  /** Absolute; its origin picks nothing. */
  url: string;
  headers: { get(name: string): string | null };
}

export interface ReferenceResponse {
  status: number;
  /** By their names, spelled in one way each. */
  headers: Map<string, string>;
  body: string | null;
}

export type ReferenceApi = (request: ReferenceRequest) => ReferenceResponse;

const DEFAULT_QUOTA: Quota = { limit: 120, window: 60 };
const RETRY_AFTER_SECONDS = "5";

const readings = [
  {
    title: "OpenAPI 3.1 document",
    path: `${BASE_PATH}/openapi.json`,
    about: "every field, bound and error (needs the key)",
  },
];

/**
 * The contract, answered from the fixtures: a function from request to response that touches nothing but its
 * clock. The same seed, clock and requests give the same bodies.
 */
export function createReferenceApi(options: ReferenceApiOptions): ReferenceApi {
  const { clock, seed = "analytics", quota = DEFAULT_QUOTA, createRequestId = randomUUID } = options;
  const fixtures = options.fixtures ?? readFixtures();
  const organizations = createDataset(fixtures, seed, clock());
  const findHolder = createKeyring(organizations);
  const admit = createLimiter(quota);
  const labels = createLabels(fixtures);
  const routes = new Map<string, AnyOperation>(operations.map((each) => [BASE_PATH + each.path, each]));

  const answer = (request: ReferenceRequest, headers: Map<string, string>): ReferenceResponse => {
    const url = new URL(request.url);
    const operation = routes.get(url.pathname);
    const isLlmsTxt = url.pathname === "/llms.txt";
    if (!operation && !isLlmsTxt) throw new AnalyticsError("not_found", "There is nothing at this path.");
    if (request.method !== "GET" && request.method !== "HEAD") {
      headers.set("Allow", "GET, HEAD");
      throw new AnalyticsError("method_not_allowed", "The API is read-only: use GET or HEAD.");
    }
    if (!operation) return sendText(headers, buildLlmsTxt(questions, readings));

    const { keyId, organization } = authenticate(request, headers);
    // Timestamps of the contract are whole seconds, and so is what is counted.
    const now = Math.floor(clock() / 1000) * 1000;
    spend(admit(keyId, now), headers);
    const params = readParams(operation.params, readQuery(url.searchParams));
    const findSite = (name: string) => findSiteOf(organization, name);
    const context: Context = { organization, findSite, now, labels, document: buildOpenApi };
    return send(operation, request, headers, computeAnswer(operation, context, params));
  };

  const authenticate = (request: ReferenceRequest, headers: Map<string, string>): KeyHolder => {
    const [, key] = /^Bearer +([\x21-\x7e]+) *$/i.exec(request.headers.get("authorization") ?? "") ?? [];
    const holder = key === undefined ? undefined : findHolder(key);
    if (holder) return holder;
    headers.set("WWW-Authenticate", key === undefined ? "Bearer" : 'Bearer error="invalid_token"');
    throw key === undefined
      ? new AnalyticsError("missing_api_key", "Send your API key as Authorization: Bearer <API_KEY>.")
      : new AnalyticsError("invalid_api_key", "The API key is not valid: it is mistyped, or it was revoked.");
  };

  const spend = ({ allowed, remaining, reset }: Allowance, headers: Map<string, string>) => {
    headers.set("RateLimit-Policy", `"default";q=${quota.limit};w=${quota.window}`);
    headers.set("RateLimit", `"default";r=${remaining};t=${reset}`);
    if (allowed) return;
    headers.set("Retry-After", String(reset));
    throw new AnalyticsError("rate_limited", `The key's quota is used up: try again in ${reset} seconds.`);
  };

  return (request) => {
    const requestId = createRequestId();
    const headers = new Map([
      ["X-Request-Id", requestId],
      ["X-Content-Type-Options", "nosniff"],
      ["Vary", "Authorization"],
      ["Link", LLMS_TXT_LINK],
    ]);
    let response: ReferenceResponse;
    try {
      if (options.isAvailable?.() === false) {
        headers.set("Retry-After", RETRY_AFTER_SECONDS);
        throw new AnalyticsError("unavailable", "The service is shutting down: try again shortly.");
      }
      response = answer(request, headers);
    } catch (error) {
      if (!(error instanceof AnalyticsError)) options.onFault?.(error, requestId);
      response = refuse(error, headers, requestId);
    }
    return request.method === "HEAD" ? { ...response, body: null } : response;
  };
}

/** The compiler cannot see that an operation's name picks the answer for its own parameters. */
function computeAnswer(operation: AnyOperation, context: Context, params: unknown): unknown {
  const compute = answers[operation.name] as (context: Context, params: unknown) => unknown;
  return compute(context, params);
}

function findSiteOf(organization: Organization, name: string) {
  const site = organization.findSite(name);
  if (site) return site;
  throw new AnalyticsError(
    "site_not_found",
    "No site of your organization has this id or domain: GET /sites lists those it has.",
  );
}

function readQuery(query: URLSearchParams): Map<string, string[]> {
  const given = new Map<string, string[]>();
  for (const [name, value] of query) given.set(name, [...(given.get(name) ?? []), value]);
  return given;
}

function send(
  operation: AnyOperation,
  request: ReferenceRequest,
  headers: Map<string, string>,
  body: unknown,
): ReferenceResponse {
  const etag = `W/"${hash(JSON.stringify(body, (key, value) => (key === "as_of" ? undefined : value)))}"`;
  headers.set("ETag", etag);
  headers.set("Cache-Control", operation.maxAge === 0 ? "no-cache" : `private, max-age=${operation.maxAge}`);
  if (matches(request.headers.get("if-none-match"), etag)) return { status: 304, headers, body: null };
  headers.set("Content-Type", "application/json");
  return { status: 200, headers, body: JSON.stringify(body) };
}

/** If-None-Match with the weak comparison of RFC 9110, section 13.1.2. */
function matches(ifNoneMatch: string | null, etag: string): boolean {
  if (ifNoneMatch === null) return false;
  if (ifNoneMatch.trim() === "*") return true;
  const opaque = (tag: string) => tag.trim().replace(/^W\//, "");
  return ifNoneMatch.split(",").some((tag) => opaque(tag) === opaque(etag));
}

function sendText(headers: Map<string, string>, body: string): ReferenceResponse {
  headers.set("Content-Type", "text/plain; charset=utf-8");
  headers.set("Cache-Control", "public, max-age=3600");
  headers.delete("Vary");
  return { status: 200, headers, body };
}

function refuse(error: unknown, headers: Map<string, string>, requestId: string): ReferenceResponse {
  const known =
    error instanceof AnalyticsError
      ? error
      : new AnalyticsError(
          "internal_error",
          "The service failed to answer. Quote the request id to its operator.",
        );
  const problem = buildProblem(known, requestId);
  headers.set("Content-Type", "application/problem+json");
  headers.set("Cache-Control", "no-store");
  return { status: problem.status, headers, body: JSON.stringify(problem) };
}

function hash(text: string): string {
  return createHash("sha256").update(text).digest("base64url").slice(0, 22);
}
