import { findDomain, readHost, withoutWww } from "../host-name.ts";
import type { LogSettings } from "../settings.ts";

/** What a file says about the sites of its lines. */
export interface FileSite {
  /** The site of all of them; undefined if their hosts name it. */
  site: string | undefined;
  /** Whether lines name hosts: one that does not is of no known site then. */
  hasHosts?: boolean | undefined;
}

export interface RequestTarget {
  path: string;
  /** Without the question mark. */
  query: string;
  /** Of a request for an absolute URL, as proxies and load balancers log it. */
  host?: string;
}

/** Splits a target into its parts. */
export function splitTarget(target: string): RequestTarget {
  const isAbsolute = !target.startsWith("/") && /^[a-z][a-z0-9+.-]{1,10}:\/\//i.test(target);
  const hostStart = isAbsolute ? target.indexOf("//") + 2 : 0;
  const slash = isAbsolute ? target.indexOf("/", hostStart) : 0;
  const local = isAbsolute ? (slash < 0 ? "/" : target.slice(slash)) : target;
  const hash = local.indexOf("#");
  const asked = hash < 0 ? local : local.slice(0, hash);
  const question = asked.indexOf("?");
  const parts =
    question < 0
      ? { path: asked, query: "" }
      : { path: asked.slice(0, question), query: asked.slice(question + 1) };
  return isAbsolute ? { ...parts, host: target.slice(hostStart, slash < 0 ? undefined : slash) } : parts;
}

/** The domains that the options name. */
export const listNamed = ({ named, files }: Pick<LogSettings, "named" | "files">): ReadonlySet<string> =>
  new Set([...named, ...files.flatMap(({ site }) => site ?? [])]);

/**
 * The host of a line: that of its own field, else that of an absolute URL if the options name it. Otherwise anyone who asks for a
 * URL of another site would make it one.
 */
export function findRawHost(
  { host }: { host?: string | undefined },
  asked: RequestTarget,
  named: ReadonlySet<string>,
): string | undefined {
  if (host !== undefined || asked.host === undefined) return host;
  const domain = findDomain(asked.host, undefined);
  return domain !== undefined && named.has(domain) ? asked.host : undefined;
}

/** The domain that a line is about, as `findDomain`, unless its file is about one site. */
export function findLineDomain(
  line: { target: string; host?: string | undefined },
  fileSite: string | undefined,
  defaultDomain: string | undefined,
  named: ReadonlySet<string> = new Set(),
): string | undefined {
  const asked = splitTarget(line.target);
  const host = findRawHost(line, asked, named);
  const domain = fileSite ?? findDomain(host, defaultDomain);
  return domain === undefined || isForeign(asked, domain, host) ? undefined : domain;
}

/**
 * Whether a request is for an absolute URL of another site: who looks for an open proxy sends such requests, and servers answer
 * them with a page of their own.
 *
 * @param rawHost The host of the line, which may be another name of the site.
 */
export function isForeign({ host }: RequestTarget, domain: string, rawHost: string | undefined): boolean {
  if (host === undefined) return false;
  const name = readHost(host);
  return (
    name === undefined ||
    ![domain, readHost(rawHost)].some((own) => own && withoutWww(name) === withoutWww(own))
  );
}
