import type { HeaderFields } from "./exchange.ts";

/**
 * How long a service asks a client to wait, in milliseconds: `Retry-After` as seconds or as a date (RFC 9110,
 * section 10.2.3), else the `t` of the IETF draft's `RateLimit`, else `X-RateLimit-Reset` as seconds to go or
 * as seconds since 1970. Undefined where it does not say.
 */
export function readWait(headers: HeaderFields, now: number): number | undefined {
  const retryAfter = headers.get("retry-after")?.trim();
  if (retryAfter !== undefined && /^\d+$/.test(retryAfter)) return Number(retryAfter) * 1000;
  if (retryAfter !== undefined && !Number.isNaN(Date.parse(retryAfter))) {
    return Math.max(0, Date.parse(retryAfter) - now);
  }
  const limit = /(?:^|;)\s*t=(\d+)/.exec(headers.get("ratelimit") ?? "");
  if (limit) return Number(limit[1]) * 1000;
  const reset = headers.get("x-ratelimit-reset")?.trim();
  if (reset === undefined || !/^\d+$/.test(reset)) return undefined;
  const seconds = Number(reset);
  return seconds > 1e9 ? Math.max(0, seconds * 1000 - now) : seconds * 1000;
}
