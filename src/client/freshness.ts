import { readHttpDate } from "./http-date.ts";
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
