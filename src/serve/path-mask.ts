import { paths } from "../oauth/endpoint-paths.ts";

/** The words of which addresses are made here and where clients try others. */
const KNOWN = new Set([
  ...Object.values(paths).map((path) => path.slice(1)),
  ...["mcp", "sse", "healthz", "readyz", "metrics", "llms.txt", "favicon.ico", "robots.txt"],
  ...[".well-known", "oauth-authorization-server", "oauth-protected-resource", "openid-configuration"],
]);
const MOST_SEGMENTS = 6;

/**
 * A request's path as it may be told: without its query, and with a star for whatever is no word of this server's.
 * Ids of sign-ins stand in paths, and who mistakes an address may put a token there.
 */
export function maskPath(url: string): string {
  const [path = ""] = url.split(/[?#]/, 1);
  const [, ...segments] = path.split("/");
  const masked = segments.map((each) => (each === "" || KNOWN.has(each) ? each : "*"));
  return `/${masked.slice(0, MOST_SEGMENTS).join("/")}`;
}
