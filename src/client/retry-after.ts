import { readDate } from "./http-date.ts";
import type { HeaderFields } from "./http-request.ts";

/**
 * How long a service asks a client to wait, in milliseconds: `Retry-After` as seconds or as a date (RFC 9110,
 * section 10.2.3), else the `t` of the IETF draft's `RateLimit`, else `X-RateLimit-Reset` as seconds to go or
 * as seconds since 1970. Undefined where it does not say. A date is taken by the service's own clock, where the
 * answer tells it: the two may differ by hours.
 *
 * @param received When the answer came, in milliseconds since 1970.
 */
export function readRetryAfter(headers: HeaderFields, received: number): number | undefined {
  const now = readDate(headers.get("date")) ?? received;
  const retryAfter = headers.get("retry-after")?.trim();
  if (retryAfter !== undefined && /^\d+$/.test(retryAfter)) return Number(retryAfter) * 1000;
  const date = readDate(retryAfter);
  if (date !== undefined) return Math.max(0, date - now);
  const limit = /(?:^|;)\s*t=(\d+)/.exec(headers.get("ratelimit") ?? "");
  if (limit) return Number(limit[1]) * 1000;
  const reset = headers.get("x-ratelimit-reset")?.trim();
  if (reset === undefined || !/^\d+$/.test(reset)) return undefined;
  const seconds = Number(reset);
  return seconds > 1e9 ? Math.max(0, seconds * 1000 - now) : seconds * 1000;
}
