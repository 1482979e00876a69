import { BASE_PATH, CONTRACT_VERSION } from "../operations/contract.ts";
import { type AnyOperation, operations } from "../operations/index.ts";
import { parameterSchemas, toJsonSchema } from "../operations/json-schema.ts";
import { type ProblemStatus, problem, problemCodes } from "../operations/problem.ts";

type ResponseName =
  | "BadRequest"
  | "Unauthorized"
  | "NotFound"
  | "MethodNotAllowed"
  | "TooManyRequests"
  | "InternalError"
  | "Unavailable"
  | "NotModified";

const errorResponses: Record<ProblemStatus, { name: ResponseName; description: string; headers?: string[] }> =
  {
    400: {
      name: "BadRequest",
      description:
        "A parameter is missing, unknown, repeated, empty, of the wrong type or out of bounds. Nothing is ignored or clamped. `errors` lists every refused parameter with its allowed values; the entry of a missing one may have only `parameter` and `detail`. The length of a text is counted as sent.",
    },
    401: {
      name: "Unauthorized",
      description: "There is no key, or it is not valid.",
      headers: ["WWW-Authenticate"],
    },
    404: {
      name: "NotFound",
      description:
        "No site of the key's organization has this id or domain (another organization's site answers the same), or there is nothing at this path. A path with a trailing slash is a different path.",
    },
    405: {
      name: "MethodNotAllowed",
      description: "The API is read-only: only GET and HEAD.",
      headers: ["Allow"],
    },
    429: {
      name: "TooManyRequests",
      description: "The key's quota for this window is used up.",
      headers: ["Retry-After"],
    },
    500: { name: "InternalError", description: "The service failed; the fault is not the caller's." },
    503: {
      name: "Unavailable",
      description: "The service is not ready; try again later.",
      headers: ["Retry-After"],
    },
  };

const headers: Record<string, string> = {
  "X-Request-Id": "Identifies this answer, for support and logs.",
  ETag: "Weak validator, computed without `as_of`: send it back as If-None-Match.",
  "Cache-Control":
    "How long a client may keep the answer: `private, max-age=60` if the period is partial and for /sites, `private, max-age=3600` for /openapi.json, `no-cache` for /realtime, `no-store` on errors.",
  Vary: "`Authorization`, on errors too: an answer belongs to one key.",
  "RateLimit-Policy":
    'The quota, as in the IETF draft: `"default";q=120;w=60` is 120 requests in 60 seconds.',
  RateLimit: 'What is left of the quota: `"default";r=119;t=42` is 119 requests in the next 42 seconds.',
  "Retry-After": "Seconds to wait before asking again (or an HTTP date).",
  "WWW-Authenticate": "`Bearer` (RFC 6750).",
  Allow: "The methods that are allowed.",
};

/** Of an answer that can be kept. */
const CACHED = ["X-Request-Id", "ETag", "Cache-Control", "Vary"];
const statuses = [400, 401, 404, 405, 429, 500, 503] as const;

const refer = (kind: string, name: string) => ({ $ref: `#/components/${kind}/${name}` });
const referHeaders = (...names: string[]) =>
  Object.fromEntries(names.map((name) => [name, refer("headers", name)] as const));
const capitalize = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
const answerName = ({ name }: AnyOperation) => `${name.split("-").map(capitalize).join("")}Answer`;

function buildPath(operation: AnyOperation, unsupported: readonly string[]) {
  const required = new Set(toJsonSchema(operation.allParams).required);
  const parameters = [...parameterSchemas(operation.allParams)]
    .filter(([name]) => !unsupported.includes(name))
    .map(([name, { description, ...schema }]) => ({
      name,
      in: "query",
      required: required.has(name),
      description,
      ...(schema.type === "array" && { style: "form", explode: true }),
      schema,
    }));
  const takesSite = parameters.some(({ name }) => name === "site");
  return {
    get: {
      operationId: operation.name,
      tags: ["analytics"],
      summary: operation.summary,
      description: operation.description,
      parameters,
      responses: {
        "200": {
          description: operation.summary,
          headers: referHeaders(...CACHED, "RateLimit-Policy", "RateLimit"),
          content: { "application/json": { schema: refer("schemas", answerName(operation)) } },
        },
        "304": refer("responses", "NotModified"),
        ...Object.fromEntries(
          statuses
            .filter((status) => status !== 404 || takesSite)
            .map((status) => [status, refer("responses", errorResponses[status].name)]),
        ),
      },
    },
  };
}

function buildErrorResponse(status: ProblemStatus) {
  const { description, headers: own = [] } = errorResponses[status];
  return {
    description: `${description} \`code\`: ${problemCodes[status].join(", ")}.`,
    headers: referHeaders("X-Request-Id", "Cache-Control", "Vary", ...own),
    content: { "application/problem+json": { schema: refer("schemas", "Problem") } },
  };
}

/**
 * Builds the contract's OpenAPI 3.1 document from the operations that a service offers.
 *
 * @param unsupported Optional parameters that it does not have.
 */
export function buildOpenApi(
  offered: readonly AnyOperation[] = operations,
  unsupported: readonly string[] = [],
) {
  // The only optional parameter that changes the form of an answer.
  const hasHours = !unsupported.includes("interval");
  return {
    openapi: "3.1.1",
    info: {
      title: "Web Analytics API",
      version: CONTRACT_VERSION,
      summary: "Read-only web analytics for the sites of one organization.",
      description:
        "Every operation is a GET (or HEAD) with a Bearer key that belongs to one organization; it only gives access to that organization's sites. Answers are JSON objects, counts are integers, dates are `YYYY-MM-DD` in the site's timezone, timestamps are RFC 3339. Within v1, changes only add: ignore unknown members and accept unknown enumeration values. Errors are `application/problem+json` (RFC 9457).",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: BASE_PATH, description: "This host." }],
    security: [{ apiKey: [] }],
    tags: [{ name: "analytics", description: "Sites and their numbers." }],
    paths: Object.fromEntries(
      offered.map((operation) => [operation.path, buildPath(operation, unsupported)]),
    ),
    components: {
      securitySchemes: {
        apiKey: {
          type: "http",
          scheme: "bearer",
          description: "An API key, created in the dashboard under API keys. It belongs to one organization.",
        },
      },
      headers: Object.fromEntries(
        Object.entries(headers).map(([name, description]) => [
          name,
          { description, schema: { type: "string" } },
        ]),
      ),
      schemas: {
        ...Object.fromEntries(
          offered.map((operation) => [
            answerName(operation),
            toJsonSchema(hasHours ? operation.fullResult : operation.result),
          ]),
        ),
        Problem: toJsonSchema(problem()),
      },
      responses: {
        NotModified: {
          description: "Nothing has changed since the answer whose ETag was sent.",
          headers: referHeaders(...CACHED),
        },
        ...Object.fromEntries(
          statuses.map((status) => [errorResponses[status].name, buildErrorResponse(status)]),
        ),
      },
    },
  };
}
