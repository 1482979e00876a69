import { AnalyticsError, type ErrorCode, type Quota, quote } from "../errors.ts";
import { readJson, readMember } from "../member.ts";
import { BASE_PATH } from "../operations/contract.ts";
import { type Problem, type ProblemCode, problem, problemCodes } from "../operations/problem.ts";
import { ForeignAnswerError } from "./foreign-answer.ts";
import { readBoundedJson } from "./result-parser.ts";

/** What a message about a problem mentions. */
export interface ProblemContext {
  path: string;
  origin: string;
  /** The base URL of the request. */
  base: string;
  /** Where the key was found: a variable, an option, a profile. */
  keySource?: string | undefined;
  /** The command that asks for another key and saves it in its place. */
  login?: string | undefined;
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

/** Refusals of a request, whose reason may be that the service keeps the specification in words of its own. */
const FOREIGN_STATUSES = new Set([400, 404, 406, 409, 410, 422]);

/**
 * Turns an error response into an AnalyticsError, from its problem document (RFC 9457), else from the sentence that it has
 * anywhere and the status.
 */
export function parseProblem(status: number, text: string, context: ProblemContext): AnalyticsError {
  const body = readKnownMembers(text);
  const known = findCode(status, body.code);
  const code = known ?? statusCodes[status] ?? (status >= 500 ? "internal_error" : "bad_answer");
  const said = body.detail ?? findSentence(text);
  const id = body.request_id?.slice(0, MAX_REQUEST_ID_LENGTH);
  const request = status >= 500 && id !== undefined ? ` (request ${id})` : "";
  // Its code alone may be another service's own word.
  const isProblem = known !== undefined && body.title !== undefined && body.status !== undefined;
  const cut = said?.slice(0, MAX_DETAIL_LENGTH);
  const end = /[.!?]$/.test(cut ?? "") ? "" : ".";
  // A report asks several questions: its own words do not say which of them failed.
  const says =
    status >= 500 ? `The service answered ${context.path} with status ${status}` : "The service says";
  const quoted = cut && (isProblem ? cut : `${says}: ${quoteSaid(cut)}${end}`);
  const message = quoted ?? describeStatus(status, context.path);
  const hint = status === 403 ? adviseOnForbidden(context) : adviseOn(code, context, isProblem);
  const options = {
    status,
    quota: code === "rate_limited" ? context.quota : undefined,
    // The service's own message may already contain the hint.
    hint: hint && message.toLowerCase().includes(hint.toLowerCase()) ? undefined : hint,
    parameters: body.errors?.slice(0, MAX_PARAMETERS),
  };
  const isForeign = !isProblem && FOREIGN_STATUSES.has(status);
  return isForeign
    ? new ForeignAnswerError(code, `${message}${request}`, text, options)
    : new AnalyticsError(code, `${message}${request}`, options);
}

/** Members that hold a sentence that somebody wrote, the best first. */
const SENTENCES = "detail message error_description reason description msg error title".split(" ");
const MAX_LEVELS = 3;

/** The sentence of an error of any shape, at most some levels down; undefined if there is none. */
export function findSentence(text: string): string | undefined {
  const body = readBoundedJson(text);
  const found = findText(body, 0) ?? findLoose(body, 0);
  return found?.replaceAll(/[\p{Cc}\p{Cf}]+/gu, " ").trim() || undefined;
}

/** A service's sentence in quotation marks. Those inside become single ones, so that none of them ends the quotation. */
export const quoteSaid = (sentence: string, maxLength: number = MAX_DETAIL_LENGTH): string =>
  quote(sentence.replaceAll('"', "'"), { maxLength });

function findText(value: unknown, level: number): string | undefined {
  if (typeof value !== "object" || value === null || level > MAX_LEVELS) return undefined;
  const members = new Map(Object.entries(value));
  const texts = SENTENCES.map((name) => members.get(name)).filter(isSentence);
  // A code in one word, such as `not_found`, is worse than a sentence beside it.
  const best = texts.find((each) => /\s/.test(each)) ?? (level > 0 ? texts[0] : undefined);
  if (best !== undefined) return best.slice(0, MAX_DETAIL_LENGTH);
  const inner = [...members.values()].slice(0, MAX_PARAMETERS);
  const found = inner.map((member) => findText(member, level + 1)).find((each) => each !== undefined);
  const loose =
    level > 0 && Array.isArray(value)
      ? value.find((each): each is string => isSentence(each) && /\s/.test(each))
      : undefined;
  return found ?? loose?.slice(0, MAX_DETAIL_LENGTH) ?? texts[0]?.slice(0, MAX_DETAIL_LENGTH);
}

/** The first text of several words under whatever name. */
function findLoose(value: unknown, level: number): string | undefined {
  if (isSentence(value))
    return level > 0 && /\s/.test(value.trim()) ? value.slice(0, MAX_DETAIL_LENGTH) : undefined;
  if (typeof value !== "object" || value === null || level > MAX_LEVELS) return undefined;
  const inner = Object.values(value).slice(0, MAX_PARAMETERS);
  return inner.map((member) => findLoose(member, level + 1)).find((each) => each !== undefined);
}

const isSentence = (value: unknown): value is string => typeof value === "string" && value.trim() !== "";

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
  const body = readJson(text);
  const { code, title, status, detail, request_id, errors } = problem().shape;
  const known = Object.entries({ code, title, status, detail, request_id, errors }).map(
    ([name, schema]) => [name, schema.safeParse(readMember(body, name)).data] as const,
  );
  return Object.fromEntries(known.filter(([, value]) => value !== undefined));
}

function describeStatus(status: number, path: string): string {
  if (status === 401) return "The service does not accept the API key (status 401).";
  if (status === 403) return `The service refuses access to ${path} (status 403).`;
  if (status === 429) return "The service got too many requests and refuses more for now (status 429).";
  return `The service answered ${path} with status ${status}.`;
}

const adviseOnForbidden = ({ origin, keySource = "the API key" }: ProblemContext): string =>
  `Either the key (${keySource}) lacks permission: check it in the dashboard under API keys. Or something in front of ${origin}, such as a firewall or a sign-in page, blocks this machine.`;

/** Nobody waits longer than this, so the hint does not name the time. */
const DAY_MS = 86_400_000;

function adviseOn(code: ErrorCode, context: ProblemContext, isProblem: boolean): string | undefined {
  const { origin, base, wait, keySource = "the API key", login } = context;
  switch (code) {
    case "missing_api_key":
    case "invalid_api_key":
      return `Check ${keySource}: ${origin} does not accept the key.${isProblem ? " Create keys in the dashboard under API keys." : sentAs(base)}${login === undefined ? "" : ` To log in with another: ${login}`}`;
    case "site_not_found":
      return "List the key's sites: analytics-mcp sites (tool list_sites).";
    case "not_found":
      if (isProblem) return `If it should be there, check the base URL: ${base}.`;
      return `Check the base URL: there is no API at ${base}.${base.endsWith(BASE_PATH) ? NEEDED_PATHS : ""}`;
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

/** A service of somebody's own may want its key elsewhere. */
const sentAs = (base: string) =>
  base.endsWith(BASE_PATH) ? ' It was sent in the header "Authorization: Bearer …".' : "";

const NEEDED_PATHS =
  " A service of your own has /sites, /stats, /timeseries, /breakdown and /realtime there: a mapping is for fields, not for paths.";

/** When to try again: `in 90 seconds`, or `later`. */
export const formatWait = (wait: number | undefined) =>
  wait === undefined || wait > DAY_MS ? "later" : `in ${formatDuration(Math.ceil(wait / 1000))}`;

function formatDuration(seconds: number): string {
  if (seconds < 120) return seconds === 1 ? "a second" : `${seconds} seconds`;
  return seconds < 7_200 ? `${Math.ceil(seconds / 60)} minutes` : `${Math.ceil(seconds / 3_600)} hours`;
}
