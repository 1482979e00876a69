import { hostHeaderValidationResponse, originValidationResponse } from "@modelcontextprotocol/server";

export interface Guarded {
  /**
   * Host names, without ports, under which the server is asked; any other is refused with 403. A web page whose
   * name an attacker points at this machine (DNS rebinding) cannot choose its `Host`.
   */
  hosts: readonly string[];
  /** Host names of the web pages whose scripts may ask it; requests without `Origin` are no web page's. */
  origins: readonly string[];
}

/** Lets only requests through that were meant for this server; the others get the refusal. */
export function guard(
  { hosts, origins }: Guarded,
  serve: (request: Request) => Promise<Response>,
): (request: Request) => Promise<Response> {
  return async (request) =>
    hostHeaderValidationResponse(request, [...hosts]) ??
    originValidationResponse(request, [...origins]) ??
    serve(request);
}
