import type * as z from "zod";
import { AnalyticsError, type ErrorCode, type ParameterError } from "../errors.ts";
import type { Operation, ParamsOf, ResultOf } from "../operations/operation.ts";
import { type Problem, type ProblemCode, problem, problemCodes } from "../operations/problem.ts";

/**
 * The body of a 200 as an operation's result. Throws `bad_answer` where it is no JSON, lacks a field or has
 * one of the wrong type (and says which), or answers another question than the one asked.
 */
export function readAnswer<O extends Operation>(
  operation: O,
  params: ParamsOf<O>,
  text: string,
): ResultOf<O> {
  const refuse = (reason: string, cause?: unknown) =>
    new AnalyticsError("bad_answer", `The answer to ${operation.path} breaks the contract: ${reason}.`, {
      status: 200,
      hint: "Nothing was shown, since the numbers could be wrong. Tell whoever runs the service.",
      cause,
    });
  let body: unknown;
  // What walks through the answer later recurses, and takes a multiple of its memory: what would break it is
  // refused at the door.
  const excess = findExcess(text);
  if (excess !== undefined) throw refuse(excess);
  try {
    body = JSON.parse(text);
  } catch (cause) {
    throw refuse("it is not complete JSON", cause);
  }
  const parsed = operation.result.safeParse(body);
  if (!parsed.success) throw refuse(describeMismatch(parsed.error, body));
  const objection = operation.verify?.(parsed.data, params);
  if (objection !== undefined) throw refuse(objection);
  return parsed.data as ResultOf<O>;
}

const MAX_DEPTH = 100;
/** A breakdown of 1,000 rows has 6,000, a list of 10,000 sites 70,000. */
const MAX_VALUES = 200_000;

/** Why JSON text is too deep or has too many values to be read, if so; what stands in strings does not count. */
export function findExcess(text: string): string | undefined {
  let depth = 0;
  let deepest = 0;
  let values = 1;
  let inString = false;
  for (let index = 0; index < text.length; index++) {
    const character = text[index];
    if (character === '"') inString = !inString;
    else if (inString && character === "\\") index++;
    else if (inString) continue;
    else if (character === ",") values++;
    else if (character === "[" || character === "{") {
      values++;
      deepest = Math.max(deepest, ++depth);
    } else if (character === "]" || character === "}") depth--;
  }
  if (deepest > MAX_DEPTH) return `it is nested deeper than ${MAX_DEPTH} levels`;
  return values > MAX_VALUES ? `it has more than ${MAX_VALUES} values` : undefined;
}

/** The first member that is missing or of the wrong type, by name. */
export function describeMismatch(error: z.ZodError, body: unknown): string {
  const [issue] = error.issues;
  if (!issue) return "it is not of the form described";
  const path = issue.path.map((key) => (typeof key === "number" ? `[${key}]` : `.${String(key)}`)).join("");
  const name = path === "" ? "the body" : `"${path.slice(1)}"`;
  const value = issue.path.reduce<unknown>(
    (each, key) => (typeof each === "object" && each !== null ? Reflect.get(each, key) : undefined),
    body,
  );
  if (value === undefined) return `it lacks ${name}`;
  const expected = issue.code === "invalid_type" ? `${issue.expected} expected` : issue.message.toLowerCase();
  return `${name} is ${describeType(value)}, ${expected}`;
}

function describeType(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "number") return `the number ${value}`;
  return `${typeof value === "object" ? "an" : "a"} ${typeof value}`;
}

export interface ProblemContext {
  path: string;
  origin: string;
  /** The base URL that was asked. */
  base: string;
  /** Where the key was found: a variable, an option, a profile. */
  keySource?: string | undefined;
  /** Milliseconds that the service asks to wait. */
  wait: number | undefined;
}

const statusCodes: Record<number, ErrorCode> = {
  400: "invalid_parameter",
  401: "invalid_api_key",
  403: "invalid_api_key",
  404: "not_found",
  405: "method_not_allowed",
  429: "rate_limited",
  503: "unavailable",
};

const MAX_DETAIL_LENGTH = 500;
/** The contract has four. */
const MAX_PARAMETERS = 10;

/**
 * An error status as an AnalyticsError: from the problem document where the service sends one, else from the
 * status alone.
 */
export function readProblem(status: number, text: string, context: ProblemContext): AnalyticsError {
  const { path } = context;
  const body = readPartialProblem(text);
  const named = findCode(status, body.code);
  const code = named ?? statusCodes[status] ?? (status >= 500 ? "internal_error" : "bad_answer");
  const detail = body.detail?.slice(0, MAX_DETAIL_LENGTH);
  const request = body.request_id === undefined ? "" : ` (request ${body.request_id.slice(0, 64)})`;
  const message = detail ?? describeStatus(status, path);
  const hint = status === 403 ? adviseOnRefusal(context) : hintFor(code, context);
  return new AnalyticsError(code, `${message}${status >= 500 ? request : ""}`, {
    status,
    // A service may say by itself what to do.
    hint: hint && message.toLowerCase().includes(hint.toLowerCase()) ? undefined : hint,
    parameters: (body.errors ?? []).slice(0, MAX_PARAMETERS) as ParameterError[],
  });
}

/**
 * Of the contract's codes those that go with the status, or with its class where the contract has no such status: a
 * failure of the client's own is none of a service.
 */
function findCode(status: number, code: string | undefined): ProblemCode | undefined {
  const step = status in problemCodes ? 1 : 100;
  const fitting = Object.entries(problemCodes).filter(
    ([each]) => Math.floor(Number(each) / step) === Math.floor(status / step),
  );
  return fitting.flatMap(([, codes]): readonly ProblemCode[] => codes).find((each) => each === code);
}

function readPartialProblem(text: string): Partial<Problem> {
  try {
    const body: unknown = JSON.parse(text);
    const { code, detail, request_id, errors } = problem().shape;
    const known = Object.entries({ code, detail, request_id, errors }).flatMap(([name, schema]) => {
      const value = schema.safeParse(Reflect.get(Object(body), name));
      return value.success && value.data !== undefined ? [[name, value.data]] : [];
    });
    return Object.fromEntries(known);
  } catch {
    return {};
  }
}

function describeStatus(status: number, path: string): string {
  if (status === 401) return "The service does not accept the API key (status 401).";
  if (status === 403) return `The service refuses access to ${path} (status 403).`;
  return `The service answered ${path} with status ${status}.`;
}

function adviseOnRefusal({ origin, keySource = "the API key" }: ProblemContext): string {
  return `Either the key (${keySource}) may not read this: look in the dashboard under API keys. Or something in front of ${origin}, a firewall or a page to sign in, keeps this machine out.`;
}

/** A longer wait is no number to plan by. */
const DAY_MS = 86_400_000;

function hintFor(code: ErrorCode, context: ProblemContext): string | undefined {
  const { origin, base, wait, keySource = "the API key" } = context;
  switch (code) {
    case "missing_api_key":
    case "invalid_api_key":
      return `Check ${keySource}: ${origin} does not accept the key. Keys are made in the dashboard under API keys.`;
    case "site_not_found":
      return "List the sites of the key: analytics-mcp sites (tool list_sites).";
    case "not_found":
      return `Check the base URL: nothing of the API is at ${base}.`;
    case "rate_limited":
      return wait === undefined || wait > DAY_MS
        ? "Try again later."
        : `Try again in ${Math.ceil(wait / 1000)} seconds.`;
    case "internal_error":
    case "unavailable":
      return "The fault is the service's: try again later, or tell whoever runs it.";
    case "bad_answer":
    case "method_not_allowed":
      return `Check the base URL: is ${base} that of the API? If it is, tell whoever runs the service.`;
    default:
      return undefined;
  }
}
