import { normalizeSite } from "../../operations/site-name.ts";

/** A host as sites are named: lower case, without port, final dot and `www.`; undefined if it cannot be a name. */
export function readHost(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const host = text
    .toLowerCase()
    .replace(/:\d{1,5}$/, "")
    .replace(/\.$/, "");
  return /^(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9])?\.)*[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(host) &&
    host.length <= 253 &&
    !/^[\d.]+$/.test(host)
    ? host
    : undefined;
}

/** The site that a person types, also as an address; undefined if it cannot be a name. */
export function readSiteName(text: string): string | undefined {
  const host = readHost(normalizeSite(text));
  return host === undefined ? undefined : withoutWww(host);
}

/**
 * The domain that a line's host stands for; undefined if it cannot be a site, such as an address.
 *
 * @param defaultDomain The domain of lines that name no host.
 */
export function findDomain(
  rawHost: string | undefined,
  defaultDomain: string | undefined,
): string | undefined {
  if (rawHost === undefined || NAMELESS.has(rawHost)) return defaultDomain;
  const host = readHost(rawHost);
  return host === undefined ? undefined : withoutWww(host);
}

/** What servers log in place of a host; `_` is nginx's name for its default server. */
const NAMELESS: ReadonlySet<string> = new Set(["", "-", "_"]);

export const withoutWww = (host: string) => host.replace(/^www\./, "");
