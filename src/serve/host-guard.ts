import type { IncomingHttpHeaders } from "node:http";
import { validateHostHeader, validateOriginHeader } from "@modelcontextprotocol/server";

export interface HostGuardOptions {
  /**
   * Host names, without ports, at which callers reach the server; others are refused with 403. If an attacker points
   * a web page's name at this machine (DNS rebinding), the page still cannot choose its `Host`.
   */
  hosts: readonly string[];
  /** Host names of web pages whose scripts may send requests. Requests without `Origin` are not from web pages. */
  origins: readonly string[];
}

/** Returns why a request is refused, or undefined if its host is allowed. */
export function findForeignHost(
  headers: IncomingHttpHeaders,
  hosts: HostGuardOptions["hosts"],
): string | undefined {
  const check = validateHostHeader(headers.host, [...hosts]);
  return check.ok ? undefined : check.message;
}

/** Returns why a web page is refused, or undefined if it is allowed or the request is not from one. */
export function findForeignOrigin(
  headers: IncomingHttpHeaders,
  origins: HostGuardOptions["origins"],
): string | undefined {
  const check = validateOriginHeader(headers.origin, [...origins]);
  return check.ok ? undefined : check.message;
}
