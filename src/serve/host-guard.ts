import type { IncomingHttpHeaders } from "node:http";
import { validateHostHeader, validateOriginHeader } from "@modelcontextprotocol/server";

export interface HostGuardOptions {
  /**
   * Host names, without ports, at which clients reach the server; others are refused with 403. If an attacker points
   * a web page's name at this machine (DNS rebinding), the page still cannot choose its `Host`.
   */
  hosts: readonly string[];
  /** Host names of web pages whose scripts may send requests. Requests without `Origin` are not from web pages. */
  origins: readonly string[];
}

/** Returns why a request is refused, or undefined if its host and origin are allowed. */
export function findForeignHeader(
  headers: IncomingHttpHeaders,
  { hosts, origins }: HostGuardOptions,
): string | undefined {
  const checks = [
    validateHostHeader(headers.host, [...hosts]),
    validateOriginHeader(headers.origin, [...origins]),
  ];
  return checks.flatMap((check) => (check.ok ? [] : [check.message]))[0];
}
