import { AnalyticsError } from "../errors.ts";
import { hideKey } from "./hidden-key.ts";
import { type HttpResponse, isJson, readBodyText } from "./http-response.ts";
import { explainFailure } from "./network-failure.ts";
import { parseProblem } from "./problem-parser.ts";
import { readFreshness, readQuota, readRetryAfter } from "./response-headers.ts";
import { RetryableError } from "./retry.ts";

/** The options of a request that does not follow redirects. */
export interface FetchInit {
  /** GET unless there is a body, then POST. */
  body?: string;
  headers: Record<string, string>;
  signal: AbortSignal;
}

export type Fetch = (url: string, init: FetchInit) => Promise<HttpResponse>;

export interface ResponseLimits {
  /** Bytes of a body, after decompression. */
  maxBytes: number;
}

/** @param wait Milliseconds that the service asks to wait. */
export type Explain = (status: number, text: string, wait?: number) => AnalyticsError | undefined;

export interface HttpRequest {
  url: string;
  /** The operation's path, for messages: a URL's query is never shown. */
  path: string;
  apiKey: string;
  /** Instead of the key as a Bearer token. */
  headers?: Readonly<Record<string, string>>;
  /** Makes the request a POST. */
  body?: string | undefined;
  fetch: Fetch;
  proxies: readonly (string | undefined)[];
  /** Where the key was found, for messages. */
  keySource?: string | undefined;
  /** The command that asks for another key and saves it in its place. */
  login?: string | undefined;
  /** What a service with an API of its own means by an error; undefined to go by its status. */
  explain?: Explain;
  /** Milliseconds since 1970. */
  clock: () => number;
}

export interface JsonResponse {
  text: string;
  /** Seconds for which it may be reused. */
  freshFor: number;
  /** The header `Link`, which can lead to the next page of a list. */
  link: string | null;
}

/** Generous: a problem document takes a few hundred. */
const MAX_PROBLEM_BYTES = 100_000;

/** A shorter key could be part of a correct answer by accident, for example of a page's path. */
const MIN_UNIQUE_KEY_LENGTH = 16;

const PROBLEM_TYPE = /^application\/problem\+(json|xml)\s*(;|$)/i;

const RETRYABLE_STATUSES = new Set([429, 502, 503, 504]);
/** Without 304: that answers a conditional request, and none is sent. */
const REDIRECTS = new Set([300, 301, 302, 303, 305, 306, 307, 308]);

/**
 * Sends one request. Returns the text of a 200 with a JSON body. Throws AnalyticsError for everything else, wrapped
 * in a RetryableError if another attempt may succeed.
 */
export async function sendRequest(request: HttpRequest, limits: ResponseLimits, signal: AbortSignal) {
  const requested = request.clock();
  const { response, text } = await fetchText(request, limits, signal);
  const { status, headers } = response;
  const { origin } = new URL(request.url);
  if (status === 200) {
    const contentType = headers.get("content-type");
    if (contentType !== null && PROBLEM_TYPE.test(contentType)) {
      throw new AnalyticsError(
        "bad_answer",
        `The answer to ${request.path} is an error with the status 200.`,
        {
          status,
          hint: "Nothing was shown. Report it to the service's operator: its content type is application/problem+json.",
        },
      );
    }
    if (isJson(response)) {
      const freshFor = readFreshness(headers, requested, request.clock());
      return { text, freshFor, link: headers.get("link") };
    }
    const type = describeType(contentType, request.apiKey);
    throw new AnalyticsError("bad_answer", `The answer to ${request.path} ${type}, not JSON.`, {
      status,
      hint: `Check the base URL: ${describePage(text) ?? `is ${origin} the API, or a web page in front of it?`}`,
    });
  }
  if (REDIRECTS.has(status)) throw createRedirectError(response, request);
  // The quota's window is not how long a service is unavailable.
  const asksToWait = status === 429 || headers.get("retry-after") !== null;
  const wait = asksToWait ? readRetryAfter(headers, request.clock()) : undefined;
  const explained = request.explain?.(status, text, wait);
  const error =
    explained ??
    parseProblem(status, isJson(response) ? text : "", {
      ...request,
      origin,
      base: request.url.slice(0, request.url.indexOf(request.path, origin.length)),
      wait,
      quota: readQuota(headers),
    });
  throw RETRYABLE_STATUSES.has(status) ? new RetryableError(error, wait) : error;
}

async function fetchText(
  { url, apiKey, headers, body, fetch, proxies }: HttpRequest,
  { maxBytes }: ResponseLimits,
  signal: AbortSignal,
): Promise<{ response: HttpResponse; text: string }> {
  let began = false;
  try {
    const response = await fetch(url, {
      headers: {
        Accept: "application/json, application/problem+json",
        ...(headers ?? { Authorization: `Bearer ${apiKey}` }),
      },
      ...(body !== undefined && { body }),
      signal,
    });
    began = true;
    const isOk = response.status === 200;
    const text = isOk
      ? await readBodyText(response, maxBytes)
      : // The status alone identifies an error: its explanation may be cut off or missing.
        await readBodyText(response, Math.min(maxBytes, MAX_PROBLEM_BYTES)).catch(() => "");
    const mayHoldKey = !isOk || apiKey.length >= MIN_UNIQUE_KEY_LENGTH;
    return { response, text: mayHoldKey ? hideKey(text, apiKey) : text };
  } catch (error) {
    throw error instanceof AnalyticsError
      ? error
      : explainFailure(error, new URL(url).origin, proxies, began);
  }
}

const MAX_HEAD = 20_000;
/** What people mistake for another, or have in front of it. */
const PRODUCTS =
  /\b(Matomo|Piwik|Umami|Plausible|GoatCounter|Fathom|Grafana|GitLab|WordPress|Nextcloud|Authelia|authentik|Keycloak|Cloudflare|nginx|Apache|Caddy)\b/i;

/** Which product a page seems to be of, by its title and its generator; undefined if it does not tell. */
function describePage(text: string): string | undefined {
  const head = text.slice(0, MAX_HEAD);
  const title = /<title[^<>]{0,200}>([^<>]{0,200})/i.exec(head)?.[1] ?? "";
  const generator = /<meta[^<>]{0,200}generator[^<>]{0,200}>/i.exec(head)?.[0] ?? "";
  const [, product] = PRODUCTS.exec(`${title} ${generator}`) ?? [];
  return product && `it seems to be a page of ${product}.`;
}

function describeType(type: string | null, apiKey: string): string {
  if (type === null) return "has no content type";
  return `is ${(hideKey(type, apiKey).split(";")[0] ?? "").trim().slice(0, 60)}`;
}

function createRedirectError({ status, headers }: HttpResponse, { url, apiKey }: HttpRequest) {
  const target = readRedirectOrigin(headers.get("location"), url, apiKey);
  return new AnalyticsError(
    "redirected",
    `The service redirects${target === undefined ? "" : ` to ${target}`} (status ${status}); the key was not sent there.`,
    { status, hint: adviseOnRedirect(target, headers.get("location") ?? "", new URL(url).origin) },
  );
}

/** The origin that a redirect points to. Undefined if it is not http or https, or contains the key. */
export function readRedirectOrigin(location: string | null, url: string, apiKey: string): string | undefined {
  if (location === null || !URL.canParse(location, url)) return undefined;
  const { origin } = new URL(location, url);
  return /^https?:/.test(origin) && hideKey(origin, apiKey) === origin ? origin : undefined;
}

const MAX_LOCATION = 2_000;
const SIGN_IN =
  /[/.](?:log-?in|sign-?in|sso|auth|oauth2?|saml2?|idp|accounts?|authorize|cdn-cgi\/access)(?=[/.?#;]|$)/i;

/** A redirect to another host usually leads to the service's other name, or to a sign-in page; one on the same host, to such a page. */
function adviseOnRedirect(target: string | undefined, location: string, origin: string): string {
  if (target === undefined || target === origin) {
    return "Check the base URL: the API does not redirect, but a dashboard redirects to its sign-in page.";
  }
  const [address = ""] = location.slice(0, MAX_LOCATION).split("?");
  if (SIGN_IN.test(address))
    return `That looks like a sign-in page in front of ${origin}. Let the API through there without signing in, or use an address of the service that is not behind it.`;
  return `If ${target} is the service, use it as the base URL: ANALYTICS_BASE_URL, --base-url, or analytics-mcp login.`;
}
