import { readDate } from "./http-date.ts";
import type { HeaderFields } from "./http-request.ts";

/**
 * For how many seconds more an answer may be used again without asking (RFC 9111, sections 4.2 and 5.2.2), by a
 * private cache of one credential: `max-age`, or `Expires` less `Date`, less the answer's age when it came. 0
 * where the service forbids or does not say; nothing is guessed from `Last-Modified`.
 *
 * @param requested When the request was sent, in milliseconds since 1970.
 * @param received When its answer came.
 */
export function readFreshness(headers: HeaderFields, requested: number, received: number): number {
  if (headers.get("vary")?.includes("*")) return 0;
  const directives = readDirectives(headers.get("cache-control") ?? "");
  if (directives.has("no-store") || directives.has("no-cache")) return 0;
  const date = readDate(headers.get("date")) ?? received;
  const lifetime = directives.has("max-age")
    ? readSeconds(directives.get("max-age"))
    : ((readDate(headers.get("expires")) ?? date) - date) / 1000;
  const apparentAge = Math.max(0, (received - date) / 1000);
  const correctedAge = readSeconds(headers.get("age")) + (received - requested) / 1000;
  return Math.max(0, lifetime - Math.max(apparentAge, correctedAge));
}

/** By name in lower case. A directive that is given twice counts for nothing: its strictest reading is 0. */
function readDirectives(text: string): Map<string, string | undefined> {
  const directives = new Map<string, string | undefined>();
  for (const [, name = "", value] of text.matchAll(/([\w-]+)(?:\s*=\s*("[^"]*"|[^\s,]*))?/g)) {
    const key = name.toLowerCase();
    directives.set(key, directives.has(key) ? undefined : value?.replaceAll('"', ""));
  }
  return directives;
}

const readSeconds = (text: string | null | undefined) => (/^\d+$/.test(text ?? "") ? Number(text) : 0);
