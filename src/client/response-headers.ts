import type { Quota } from "../errors.ts";
import type { HeaderFields } from "./http-response.ts";

/**
 * The number of seconds for which a response may be reused without asking, by a private cache of one credential
 * (RFC 9111, sections 4.2 and 5.2.2): `max-age`, or `Expires` less `Date`, less the response's age on arrival. 0 if
 * the service forbids it or does not say; nothing is guessed from `Last-Modified`.
 *
 * @param requested When the request was sent, in milliseconds since 1970.
 * @param received When its response came, in milliseconds since 1970.
 */
export function readFreshness(headers: HeaderFields, requested: number, received: number): number {
  if (headers.get("vary")?.includes("*")) return 0;
  const directives = readDirectives(headers.get("cache-control") ?? "");
  if (directives.has("no-store") || directives.has("no-cache")) return 0;
  const date = readHttpDate(headers.get("date")) ?? received;
  const lifetime = directives.has("max-age")
    ? readSeconds(directives.get("max-age"))
    : ((readHttpDate(headers.get("expires")) ?? date) - date) / 1000;
  const apparentAge = Math.max(0, (received - date) / 1000);
  const correctedAge = readSeconds(headers.get("age")) + (received - requested) / 1000;
  return Math.max(0, lifetime - Math.max(apparentAge, correctedAge));
}

/** Maps lower-case names to values. A directive given twice has no value, so it reads as 0, the strictest. */
function readDirectives(text: string): Map<string, string | undefined> {
  const directives = new Map<string, string | undefined>();
  for (const [, name = "", value] of text.matchAll(/([\w-]+)(?:\s*=\s*("[^"]*"|[^\s,]*))?/g)) {
    const key = name.toLowerCase();
    directives.set(key, directives.has(key) ? undefined : value?.replaceAll('"', ""));
  }
  return directives;
}

const readSeconds = (text: string | null | undefined) => (/^\d+$/.test(text ?? "") ? Number(text) : 0);

/**
 * How long a service asks callers to wait, in milliseconds; undefined if it does not say. Reads `Retry-After` as
 * seconds or a date (RFC 9110, section 10.2.3), else the `t` of `RateLimit` (draft-ietf-httpapi-ratelimit-headers), else
 * `X-RateLimit-Reset` as remaining seconds or as seconds since 1970. A date is compared with the response's own `Date`
 * if it has one, since the two clocks may differ by hours.
 *
 * @param received When the response came, in milliseconds since 1970.
 */
export function readRetryAfter(headers: HeaderFields, received: number): number | undefined {
  const now = readHttpDate(headers.get("date")) ?? received;
  const retryAfter = headers.get("retry-after")?.trim();
  if (retryAfter !== undefined && /^\d+$/.test(retryAfter)) return Number(retryAfter) * 1000;
  const date = readHttpDate(retryAfter);
  if (date !== undefined) return Math.max(0, date - now);
  const limit = /(?:^|;)\s*t=(\d+)/.exec(headers.get("ratelimit") ?? "");
  if (limit) return Number(limit[1]) * 1000;
  const reset = headers.get("x-ratelimit-reset")?.trim();
  if (reset === undefined || !/^\d+$/.test(reset)) return undefined;
  const seconds = Number(reset);
  return seconds > 1e9 ? Math.max(0, seconds * 1000 - now) : seconds * 1000;
}

/** In seconds. A call is repeated until it gets past the quota of a shorter window. */
const MIN_WINDOW_SECONDS = 30;

/**
 * The smallest quota of requests that a response names; undefined if it names none. Reads `RateLimit-Policy` in both forms of
 * draft-ietf-httpapi-ratelimit-headers (`"default";q=120;w=60`, earlier `120;w=60`), else `RateLimit-Limit` or
 * `X-RateLimit-Limit`.
 */
export function readQuota(headers: HeaderFields): Quota | undefined {
  const policies = (headers.get("ratelimit-policy") ?? "").split(",").flatMap(readPolicy);
  const limit = headers.get("ratelimit-limit") ?? headers.get("x-ratelimit-limit") ?? "";
  const [, requests] = /^\s*(\d{1,9})(?!\d)/.exec(limit) ?? [];
  const named = policies.length === 0 && requests !== undefined ? [{ requests: Number(requests) }] : policies;
  return named
    .filter(({ seconds = MIN_WINDOW_SECONDS }) => seconds >= MIN_WINDOW_SECONDS)
    .sort((a, b) => a.requests - b.requests)[0];
}

function readPolicy(policy: string): Quota[] {
  // Its units may be others than requests.
  if (/;\s*qu\s*=\s*"(?!requests")/.test(policy)) return [];
  const requests = /;\s*q=(\d{1,9})(?!\d)/.exec(policy)?.[1] ?? /^\s*(\d{1,9})(?=\s*;)/.exec(policy)?.[1];
  const seconds = /;\s*w=(\d{1,9})(?!\d)/.exec(policy)?.[1];
  if (requests === undefined) return [];
  return [{ requests: Number(requests), ...(seconds !== undefined && { seconds: Number(seconds) }) }];
}

/** The three forms of a date in HTTP (RFC 9110, section 5.6.7). `Date.parse` alone would accept "after 2099" and "-5". */
const HTTP_DATE =
  /^(?:[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} [\d:]{8} GMT|[A-Z][a-z]+, \d\d-[A-Z][a-z]{2}-\d\d [\d:]{8} GMT|[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d [\d:]{8} \d{4})$/;

/** Milliseconds since 1970; undefined if the text is not an HTTP date. */
export function readHttpDate(text: string | null | undefined): number | undefined {
  const given = text?.trim() ?? "";
  if (!HTTP_DATE.test(given)) return undefined;
  const time = Date.parse(given.endsWith("GMT") ? given : `${given} GMT`);
  return Number.isNaN(time) ? undefined : time;
}
