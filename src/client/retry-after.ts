import { readHttpDate } from "./http-date.ts";
import type { HeaderFields } from "./http-response.ts";

/**
 * How long a service asks the client to wait, in milliseconds; undefined if it does not say. Reads `Retry-After` as
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
