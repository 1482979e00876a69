import { paths } from "../oauth/endpoint-paths.ts";

/** The words in paths of this server, and in those that clients often try. */
const KNOWN = new Set([
  ...Object.values(paths).map((path) => path.slice(1)),
  "mcp",
  "sse",
  "healthz",
  "readyz",
  "metrics",
  "llms.txt",
  "favicon.ico",
  "robots.txt",
  ".well-known",
  "oauth-authorization-server",
  "oauth-protected-resource",
  "openid-configuration",
]);
const MAX_SEGMENTS = 6;

/**
 * Makes a request's path safe to log: without its query, and with a star for each segment that is not a known word.
 * Paths contain ids of sign-ins, and a client that builds a wrong address may put a token in it.
 */
export function maskPath(url: string): string {
  const [path = ""] = url.split(/[?#]/, 1);
  const [, ...segments] = path.split("/");
  const masked = segments.map((each) => (each === "" || KNOWN.has(each) ? each : "*"));
  return `/${masked.slice(0, MAX_SEGMENTS).join("/")}`;
}
