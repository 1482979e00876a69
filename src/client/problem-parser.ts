import { AnalyticsError, type ErrorCode, type Quota } from "../errors.ts";
import { readMember } from "../member.ts";
import { type Problem, type ProblemCode, problem, problemCodes } from "../operations/problem.ts";

/** What a message about a problem mentions. */
export interface ProblemContext {
  path: string;
  origin: string;
  /** The base URL of the request. */
  base: string;
  /** Where the key was found: a variable, an option, a profile. */
  keySource?: string | undefined;
  /** Milliseconds that the service asks to wait. */
  wait: number | undefined;
  /** The service's quota, if it names one. */
  quota?: Quota | undefined;
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
const MAX_REQUEST_ID_LENGTH = 64;
/** An operation of the contract has six at most. */
const MAX_PARAMETERS = 10;

/**
 * Turns an error response into an AnalyticsError, from its problem document (RFC 9457) or, if it has none, from the
 * status alone.
 */
export function parseProblem(status: number, text: string, context: ProblemContext): AnalyticsError {
  const body = readKnownMembers(text);
  const code =
    findCode(status, body.code) ?? statusCodes[status] ?? (status >= 500 ? "internal_error" : "bad_answer");
  const message = body.detail?.slice(0, MAX_DETAIL_LENGTH) ?? describeStatus(status, context.path);
  const id = body.request_id?.slice(0, MAX_REQUEST_ID_LENGTH);
  const request = status >= 500 && id !== undefined ? ` (request ${id})` : "";
  const hint = status === 403 ? adviseOnForbidden(context) : adviseOn(code, context);
  return new AnalyticsError(code, `${message}${request}`, {
    status,
    quota: code === "rate_limited" ? context.quota : undefined,
    // The service's own message may already contain the hint.
    hint: hint && message.toLowerCase().includes(hint.toLowerCase()) ? undefined : hint,
    parameters: body.errors?.slice(0, MAX_PARAMETERS),
  });
}

/**
 * The given code, if the contract has it for this status. For a status that the contract does not have, any code of
 * the same class (4xx, 5xx) counts. This program's own codes never come from a service.
 */
function findCode(status: number, code: string | undefined): ProblemCode | undefined {
  const step = status in problemCodes ? 1 : 100;
  const fitting = Object.entries(problemCodes).filter(
    ([knownStatus]) => Math.floor(Number(knownStatus) / step) === Math.floor(status / step),
  );
  return fitting
    .flatMap(([, codes]): readonly ProblemCode[] => codes)
    .find((fittingCode) => fittingCode === code);
}

/** The members that are there and have the right type; the others do not spoil them. */
function readKnownMembers(text: string): Partial<Problem> {
  try {
    const body: unknown = JSON.parse(text);
    const { code, detail, request_id, errors } = problem().shape;
    const known = Object.entries({ code, detail, request_id, errors }).flatMap(([name, schema]) => {
      const value = schema.safeParse(readMember(body, name));
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

function adviseOnForbidden({ origin, keySource = "the API key" }: ProblemContext): string {
  return `Either the key (${keySource}) lacks permission: check it in the dashboard under API keys. Or something in front of ${origin}, such as a firewall or a sign-in page, blocks this machine.`;
}

/** Nobody waits longer than this, so the hint does not name the time. */
const DAY_MS = 86_400_000;

function adviseOn(code: ErrorCode, context: ProblemContext): string | undefined {
  const { origin, base, wait, keySource = "the API key" } = context;
  switch (code) {
    case "missing_api_key":
    case "invalid_api_key":
      return `Check ${keySource}: ${origin} does not accept the key. Create keys in the dashboard under API keys.`;
    case "site_not_found":
      return "List the key's sites: analytics-mcp sites (tool list_sites).";
    case "not_found":
      return `Check the base URL: there is no API at ${base}.`;
    case "rate_limited":
      return `Try again ${formatWait(wait)}.`;
    case "internal_error":
    case "unavailable":
      return `The problem is on the service's side: try again ${formatWait(wait)}, or contact its operator.`;
    case "bad_answer":
    case "method_not_allowed":
      return `Check that ${base} is the API's base URL. If it is, contact the service's operator.`;
    default:
      return undefined;
  }
}

const formatWait = (wait: number | undefined) =>
  wait === undefined || wait > DAY_MS ? "later" : `in ${formatDuration(Math.ceil(wait / 1000))}`;

function formatDuration(seconds: number): string {
  if (seconds < 120) return seconds === 1 ? "a second" : `${seconds} seconds`;
  return seconds < 7_200 ? `${Math.ceil(seconds / 60)} minutes` : `${Math.ceil(seconds / 3_600)} hours`;
}
