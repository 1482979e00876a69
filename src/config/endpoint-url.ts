import { AnalyticsError } from "../errors.ts";
import { completeAddress, isLoopback } from "./base-url.ts";

const EXAMPLE = "For example: https://mcp.example.com/mcp";

/**
 * Reads the address of a connector's endpoint: no query, and no character in its path that a shell would interpret. Throws
 * AnalyticsError `usage`.
 *
 * @param option Where it was given, as the subject of a message: `--remote`.
 */
export function readEndpoint(text: string, option: string): string {
  const createError = (reason: string, hint = EXAMPLE) =>
    new AnalyticsError("usage", `${option} ${reason}.`, { hint });
  if (completeAddress(text) !== text.trim())
    throw createError("must start with https://", `Did you mean ${completeEndpoint(text)}?`);
  if (!URL.canParse(text)) throw createError("is not a URL");
  const { protocol, hostname, username, password, search, hash, pathname, href } = new URL(text);
  if (protocol !== "https:" && !(protocol === "http:" && isLoopback(hostname)))
    throw createError("must start with https://, because sign-ins go there");
  if (`${username}${password}${search}${hash}` !== "")
    throw createError("must not have a user, query or fragment");
  if (pathname === "/") throw createError("must include the endpoint's path");
  if (!/^[\w./~-]+$/.test(pathname)) throw createError("has characters in its path that no connector uses");
  return href;
}

/** Adds what people leave out: the scheme, and the path of `serve`. Returns other text as it is. */
export function completeEndpoint(text: string): string {
  const address = completeAddress(text);
  if (!URL.canParse(address)) return address;
  const { pathname, origin, search, hash, username } = new URL(address);
  return pathname === "/" && `${search}${hash}${username}` === "" && origin !== "null"
    ? `${origin}/mcp`
    : address;
}
