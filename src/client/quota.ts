import type { Quota } from "../errors.ts";
import type { HeaderFields } from "./http-response.ts";

/** In seconds. A call is repeated until it gets past the quota of a shorter window. */
const SHORTEST_WINDOW = 30;

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
    .filter(({ seconds = SHORTEST_WINDOW }) => seconds >= SHORTEST_WINDOW)
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
