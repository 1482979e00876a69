import type { IncomingHttpHeaders } from "node:http";
import { validateHostHeader, validateOriginHeader } from "@modelcontextprotocol/server";

export interface Guarded {
  /**
   * Host names, without ports, under which clients reach the server; any other is refused with 403. A web page whose
   * name an attacker points at this machine (DNS rebinding) cannot choose its `Host`.
   */
  hosts: readonly string[];
  /** Host names of the web pages whose scripts may send requests; a request without `Origin` is from no web page. */
  origins: readonly string[];
}

/** Why a request was not meant for this server, or undefined. */
export function findForeign(headers: IncomingHttpHeaders, { hosts, origins }: Guarded): string | undefined {
  const checks = [
    validateHostHeader(headers.host, [...hosts]),
    validateOriginHeader(headers.origin, [...origins]),
  ];
  return checks.flatMap((check) => (check.ok ? [] : [check.message]))[0];
}
