import { AnalyticsError } from "../errors.ts";
import { readFreshness } from "./freshness.ts";
import { hideKey } from "./hidden-key.ts";
import { explainFailure } from "./network-failure.ts";
import { readProblem } from "./result-parser.ts";
import { RetryableError } from "./retry.ts";
import { readRetryAfter } from "./retry-after.ts";

/** A GET whose redirects are not followed. */
export interface FetchInit {
  headers: Record<string, string>;
  signal: AbortSignal;
}

/** The members of a response that are read, so that what answers need not be one of the Fetch Standard. */
export interface HttpResponse {
  status: number;
  headers: HeaderFields;
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array> | null;
}

export interface HeaderFields {
  get(name: string): string | null;
}

export type Fetch = (url: string, get: FetchInit) => Promise<HttpResponse>;

export interface Limits {
  /** Bytes of a body, after decompression. */
  maxBytes: number;
}

export interface HttpRequest {
  url: string;
  /** The operation's path, for messages: a URL's query is never shown. */
  path: string;
  apiKey: string;
  fetch: Fetch;
  proxies: readonly (string | undefined)[];
  /** Where the key was found, for messages. */
  keySource?: string | undefined;
  clock: () => number;
}

export interface JsonResponse {
  text: string;
  /** Seconds for which it may be used again. */
  freshFor: number;
}

/** A problem document takes some hundred. */
const MAX_PROBLEM_BYTES = 100_000;

/** A key of so many characters is no part of an answer by accident: the path of a page, say. */
const UNMISTAKABLE = 16;

const PASSING_STATUSES = new Set([429, 502, 503, 504]);
/** 304 is none: it answers a condition, and none is sent. */
const REDIRECTS = new Set([300, 301, 302, 303, 305, 306, 307, 308]);

/** One request and its answer: the text of a 200 with a JSON body, or an error. */
export async function sendRequest(
  send: HttpRequest,
  limits: Limits,
  signal: AbortSignal,
): Promise<JsonResponse> {
  const origin = new URL(send.url).origin;
  const requested = send.clock();
  let response: HttpResponse;
  let text: string;
  try {
    response = await send.fetch(send.url, {
      headers: {
        Authorization: `Bearer ${send.apiKey}`,
        Accept: "application/json, application/problem+json",
      },
      signal,
    });
    text =
      response.status === 200
        ? await readBodyText(response, limits.maxBytes)
        : // An error is known by its status: what explains it may be cut off, or none at all.
          await readBodyText(response, Math.min(limits.maxBytes, MAX_PROBLEM_BYTES)).catch(() => "");
    if (response.status !== 200 || send.apiKey.length >= UNMISTAKABLE) text = hideKey(text, send.apiKey);
  } catch (error) {
    throw error instanceof AnalyticsError ? error : explainFailure(error, origin, send.proxies);
  }
  if (response.status === 200) {
    if (isJson(response)) {
      return { text, freshFor: readFreshness(response.headers, requested, send.clock()) };
    }
    throw new AnalyticsError(
      "bad_answer",
      `The answer to ${send.path} is ${describeType(response, send.apiKey)}, not JSON.`,
      { status: 200, hint: `Check the base URL: is ${origin} the API, or a web page in front of it?` },
    );
  }
  if (REDIRECTS.has(response.status)) throw refuseRedirect(response, send);
  const wait = readRetryAfter(response.headers, send.clock());
  const error = readProblem(response.status, isJson(response) ? text : "", {
    ...send,
    origin,
    base: send.url.slice(0, send.url.indexOf(send.path, origin.length)),
    wait,
  });
  throw PASSING_STATUSES.has(response.status) ? new RetryableError(error, wait) : error;
}

/** A body as text. Throws AnalyticsError `too_large` beyond the bytes, `bad_answer` for what is no UTF-8. */
export async function readBodyText(response: HttpResponse, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > maxBytes) {
      throw new AnalyticsError("too_large", `The service's answer is larger than ${maxBytes / 1e6} MB.`, {
        status: response.status,
        hint: "Check that the base URL is that of the API.",
      });
    }
    chunks.push(chunk);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks));
  } catch (cause) {
    throw new AnalyticsError("bad_answer", "The service's answer is not valid UTF-8.", {
      hint: "Check that the base URL is that of the API, or tell whoever runs the service.",
      cause,
    });
  }
}

function isJson({ headers }: HttpResponse): boolean {
  return /^application\/([\w.-]+\+)?json\s*(;|$)/i.test(headers.get("content-type") ?? "");
}

function describeType(response: HttpResponse, apiKey: string): string {
  const type = response.headers.get("content-type");
  return type === null
    ? "of no stated type"
    : (hideKey(type, apiKey).split(";")[0] ?? "").trim().slice(0, 60);
}

function refuseRedirect(response: HttpResponse, { url, apiKey }: HttpRequest): AnalyticsError {
  const { status } = response;
  const target = readRedirectOrigin(response.headers.get("location"), url, apiKey);
  return new AnalyticsError(
    "redirected",
    `The service redirects${target === undefined ? "" : ` to ${target}`} (status ${status}); the key is not sent on.`,
    { status, hint: adviseOnRedirect(target, new URL(url).origin) },
  );
}

/** The origin that a redirect leads to, where it is one of the web and may be shown. */
export function readRedirectOrigin(location: string | null, url: string, apiKey: string): string | undefined {
  if (location === null || !URL.canParse(location, url)) return undefined;
  const { origin } = new URL(location, url);
  return /^https?:/.test(origin) && hideKey(origin, apiKey) === origin ? origin : undefined;
}

/** Away from the host it is mostly another name of the service; on the host, mostly a page to sign in at. */
function adviseOnRedirect(target: string | undefined, origin: string): string {
  if (target === undefined || target === origin) {
    return "Check the base URL: that of the API answers by itself, that of a dashboard leads to a page to sign in.";
  }
  return `If ${target} is the service, make it the base URL: ANALYTICS_BASE_URL, --base-url, or analytics-mcp login.`;
}
